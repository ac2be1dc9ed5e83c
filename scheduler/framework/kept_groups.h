// KeptGroups: the groups in which one or more GroupScorers together see the nodes, and their part in totals,
// from one decision to the next.
//
// Each chunk lists the groups that its feasible rows have, each with its best rows by the other strategies'
// total. When the groups' scores change, a chunk's best total is that of its few groups, not of its rows.
// Owner: an EvaluationMemo. Threads: one at a time. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scheduler/framework/column_view.h"
#include "scheduler/framework/group_scorer.h"
#include "scheduler/framework/row_values.h"

namespace podium::framework {

class KeptGroups {
 public:
  // Reads the groups of the rows that may have changed.
  void look(std::span<const GroupScorer* const> scorers, std::span<const ChunkChange> changes,
            const NodeMask& feasible);
  // Sets the scores of one scorer; `scorer` is its index in look().
  void score(std::size_t scorer, Scores& scores);
  // Sets what the groups add to the totals: weights by scorer. False: they add what they did.
  bool weigh(std::span<const std::int64_t> weights, Totals& totals);
  // Sets the summary of a chunk whose rows have their own totals. `words`: those in which totals or groups
  // may have changed, bit w is word w. False: no total has changed.
  bool add_up(std::size_t chunk, std::uint32_t words, bool own_changed, Totals& totals);

  bool empty() const { return chunks_.empty(); }

 private:
  static constexpr std::uint8_t kNotFeasible = 255;
  // The rows of a group in a chunk with the largest total, without what groups add.
  struct Best {
    static constexpr std::int64_t kNone = -1;
    std::int64_t most = kNone;
    std::int64_t next = kNone;  // the largest below `most`
    std::uint32_t count = 0;
    bool is_stale = false;  // to be found again
  };
  struct Group {
    std::uint8_t group = 0;
    std::uint32_t rows = 0;
    Best best;
  };
  // What the best rows were found in.
  struct Seen {
    Totals::Chunk totals;
    cluster::ChunkBytes of_row;
  };
  struct Chunk {
    Scores::Groups of_row;
    std::vector<Group> groups;
    std::vector<cluster::ChunkWords> rows_with_most;  // by group, in their order
    bool changed = false;           // since add_up(), which a decision that fails does not reach
    std::unique_ptr<Seen> best_in;  // null: the best rows are not known

    // Index into `groups`; its size if there is none.
    std::size_t find(std::uint8_t group) const;
    void add(std::size_t group, std::size_t row, std::int64_t total);
    void remove(std::size_t group, std::size_t row, std::int64_t total);
  };
  void look_at(const ChunkChange& change, const NodeMask& feasible);
  void write_groups(const ChunkRows& rows, const cluster::ChunkBytes& mask, cluster::ChunkBytes& out) const;
  void count_groups(Chunk& chunk);
  void regroup(Chunk& chunk, std::uint8_t from, std::uint8_t to);
  static void find_best(Chunk& chunk, Totals::Values totals);
  static void update_best(Chunk& chunk, std::uint32_t words, Totals::Values totals);
  std::size_t part_of(std::size_t group, std::size_t scorer) const;

  std::vector<const GroupScorer*> scorers_;  // during a decision
  std::vector<std::size_t> limits_;          // groups by scorer
  std::vector<Chunk> chunks_;
  std::array<std::uint32_t, 256> rows_{};  // by group, of all chunks
  std::vector<Scores::OfGroup> scores_;    // by scorer
  Totals::OfGroup total_{};
  bool total_changed_ = false;
};

}  // namespace podium::framework
