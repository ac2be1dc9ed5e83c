// EvaluationMemo: keeps verdicts, scores and totals for the next decision about an equal pod.
//
// A Deployment's pods and a what-if's replicas ask for the same, and each decision changes one node. So a
// decision takes over, chunk by chunk, what was computed for an equal pod, and computes what has changed:
//
//   verdicts   of the filters up to the first that does not declare its RowInputs: words of rows in which a
//              declared column or the set of nodes has changed
//   scores     of scorers that declare their RowInputs: words of rows in which a declared column has changed;
//              of other scorers: all, and a chunk that comes out equal is the same chunk
//              of scorers by group: the groups of words of rows, as above, and the score of each group
//   totals     chunks in which a plugin's scores have changed; and, for scorers by group, what groups add
//   rests      of totals, without one strategy: in the same chunks, when a report asks
//   counts     of a class's pods by label value or by node: what differs in the class's list of nodes
//
// Exact: it knows all that has changed since, or holds what results were computed from (ColumnView,
// KeptCounts). Keys have all that is asked.
//
// Owner: the caller that makes the decisions; evaluate() uses it on its thread while a Use exists. Plugins
// must outlive the memo. Threads: one at a time. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "scheduler/framework/column_view.h"
#include "scheduler/framework/kept_counts.h"
#include "scheduler/framework/kept_groups.h"
#include "scheduler/framework/rejections.h"
#include "scheduler/framework/row_values.h"

namespace podium::cluster {
class Snapshot;
}

namespace podium::framework {

// Declarations of several plugins, and their key: equal keys and equal columns give equal results.
class Declared {
 public:
  // `snapshot`: has the columns that are members; null: none are.
  explicit Declared(const cluster::Snapshot* snapshot = nullptr) : snapshot_(snapshot) {}
  // Adds a plugin. Its settings are known by its address.
  void add(const void* plugin, const RowInputs& inputs);
  // Adds one that does not declare.
  void add_undeclared(const void* plugin);
  const std::vector<std::int64_t>& key() const { return key_; }
  std::span<const RowInput> columns() const { return columns_; }

 private:
  RowInput with_place(RowInput input) const;

  const cluster::Snapshot* const snapshot_;
  std::vector<std::int64_t> key_;
  std::vector<RowInput> columns_;
};

class EvaluationMemo {
 public:
  // The filters of a key.
  struct Verdicts {
    std::vector<std::int64_t> key;
    void forget();
    std::uint64_t number = 0;  // another one for each key that is taken in
    Tick seen = 0;             // not 0: the rest is known, of this look
    cluster::NodeMask asked, fit;
    struct Left {
      std::vector<std::uint8_t> of_word;
      std::size_t nodes = 0;  // of all words
    };
    std::vector<Left> left;  // nodes left after each filter
    Rejections rejections{0};
  };
  // The scorers of a key.
  struct Strategies {
    std::vector<std::int64_t> key;
    std::uint64_t nodes_of = 0;  // Verdicts::number
    void forget();  // keeps the memory; and the totals, as what these are of is known by versions
    Tick seen = 0;  // not 0: all is of this look, except for scorers that do not declare
    cluster::NodeMask feasible;
    struct Chunk {
      std::uint64_t version = 0;                      // of the scores, in one numbering for all strategies
      std::unique_ptr<cluster::ChunkBytes> computed;  // of all rows, feasible or not
    };
    struct Strategy {
      std::vector<Chunk> chunks;
      Scores scores;
    };
    std::vector<Strategy> strategies;
    KeptGroups groups;  // of the GroupScorers
    std::uint64_t versions = 0;
    std::vector<std::int64_t> weights;
    std::vector<std::vector<std::uint64_t>> added;  // by chunk: the versions that the total is of
    Totals total;
    // By chunk and strategy: the largest rest of `total` without the strategy. A chunk has none until it is
    // asked for one.
    std::vector<std::vector<std::int64_t>> rests;
    static constexpr auto kUnknownRest = std::numeric_limits<std::int64_t>::min();
    std::int64_t& rest(std::size_t chunk, std::size_t strategy);
  };

  // The verdicts of a key; a new key knows nothing. Above the most keys it forgets the least recently used
  // one. Valid until the next call.
  Verdicts& verdicts(const Declared& declared);
  // The scores of the nodes that pass the verdicts with this number; 0: verdicts that are not kept. A pod's
  // verdicts may alternate, as with zones that it must not fill further. Each of them keeps its scores.
  Strategies& strategies(const Declared& declared, std::uint64_t nodes_of = 0);
  // The number of this decision's verdicts.
  void set_nodes_of(std::uint64_t number) { nodes_of_ = number; }
  std::uint64_t nodes_of() const { return nodes_of_; }
  // Any key will do: KeptCounts compares all that it counts from.
  KeptCounts& counts(const std::vector<std::int64_t>& key) { return find(counts_, key, kMostCounts); }
  // Those of the last decision, if its totals are these; else null. Valid until the next call.
  Strategies* strategies_of(const Totals& totals);
  ColumnView& view() { return view_; }
  static constexpr std::size_t kMost = 12, kMostCounts = 24;

  static EvaluationMemo* of_thread();  // null: none
  class Use {
   public:
    explicit Use(EvaluationMemo& memo);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    EvaluationMemo* const before_;
  };

 private:
  // The last one first: a list, since a strategy's arrays are dear to move.
  template <typename T>
  using Recent = std::list<T>;
  template <typename T>
  static T& find(Recent<T>& kept, const std::vector<std::int64_t>& key, std::size_t most);

  ColumnView view_;
  Recent<Verdicts> verdicts_;
  Recent<Strategies> strategies_;
  Recent<KeptCounts> counts_;
  std::uint64_t numbers_ = 0, nodes_of_ = 0;
};

}  // namespace podium::framework
