// ScoreMemo: keeps scores for the next decision about an equal pod.
//
// A Deployment's pods and a what-if's replicas have equal requests, and each decision changes one node. A
// scorer whose score of a node follows from columns of that node alone keeps its scores here and computes
// changed rows only. Exact: the memo holds the chunks that the scores were computed from. A held chunk is
// shared, so no writer changes it: Cow makes another one.
//
// Owner: the caller that makes the decisions; the scorers of its thread see the memo while a Use exists.
// Settings that a key points to must outlive the memo. Threads: one at a time. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/cluster/column.h"

namespace podium::framework {

class ScoreMemo {
 public:
  using Amounts = cluster::Column<std::int64_t>;
  // The scores of one chunk, and their inputs.
  struct Chunk {
    std::vector<Amounts::Box> inputs;  // empty: nothing computed yet
    std::array<std::uint8_t, cluster::kChunkRows> scores;
  };
  using Chunks = std::vector<Chunk>;
  // Equal keys and equal inputs give equal scores.
  struct Key {
    const void* settings = nullptr;  // the plugin's, by address
    std::vector<std::int64_t> amounts;
    bool operator==(const Key&) const = default;
  };

  // The scores for a key. Above kMost keys it forgets the least recently used one. Null without a memo. Valid
  // until the next call.
  static Chunks* of_thread(const Key& key);
  static constexpr std::size_t kMost = 8;

  class Use {
   public:
    explicit Use(ScoreMemo& memo);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    ScoreMemo* const before_;
  };

 private:
  struct Kept {
    Key key;
    Chunks chunks;
  };
  std::vector<Kept> kept_;  // the last one first
};

// The words (64 rows each) of a chunk in which `inputs` differ from those that the memo holds. It holds
// `inputs` from now on.
std::uint32_t changed_words(ScoreMemo::Chunk& memo, std::span<const ScoreMemo::Amounts::Box* const> inputs);

}  // namespace podium::framework
