// Rejections: the verdict on each rejected node, without a string per node.
//
// A filter registers each distinct verdict once and gets a small id; a column holds the id of each row. A
// copy shares what neither writes.
// Most decisions have a handful of verdicts, found by linear search. Extenders may give each node its own
// reason; a hash table finds those.
// Owner: one evaluation. Threads: not thread-safe.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/cow.h"
#include "scheduler/cluster/column.h"
#include "scheduler/cluster/hash.h"
#include "scheduler/cluster/node_mask.h"
#include "scheduler/framework/verdict.h"

namespace podium::framework {

using VerdictId = std::uint32_t;
inline constexpr VerdictId kFits = 0;

class Rejections {
 public:
  explicit Rejections(std::size_t chunks) { grow_to_chunks(chunks); }
  void grow_to_chunks(std::size_t chunks) { of_row_.grow_to(chunks * cluster::kChunkRows); }

  // Registers the verdict; equal verdicts get equal ids.
  VerdictId add(Verdict verdict);
  // Sets the verdict of a node and clears its bit in `nodes`.
  void reject(cluster::NodeMask& nodes, cluster::Row row, VerdictId id) {
    change(of_row_.write(row), id);
    nodes.clear(row);
  }
  // The same for the rows `bits` of one word of the mask.
  void reject_word(cluster::NodeMask& nodes, std::size_t word, std::uint64_t bits, VerdictId id);

  // Removes the node's verdict.
  void forget(cluster::Row row) {
    if (of_row_[row] != kFits) change(of_row_.write(row), kFits);
  }
  void forget_word(std::size_t word);  // of the mask

  VerdictId id(cluster::Row row) const { return of_row_[row]; }
  // `id` is not kFits.
  const Verdict& verdict(VerdictId id) const {
    PODIUM_CHECK(id != kFits && id <= verdicts_->size(), id, verdicts_->size());
    return (*verdicts_)[id - 1];
  }
  const std::vector<Verdict>& verdicts() const { return *verdicts_; }  // index is VerdictId - 1
  // The nodes with each verdict; a verdict may have none. Index is VerdictId - 1.
  const std::vector<std::size_t>& counts() const { return counts_; }

 private:
  VerdictId search(const Verdict& verdict) const;  // kFits if it is new

  void change(VerdictId& of_row, VerdictId id) {
    if (of_row != kFits) --counts_[of_row - 1];
    if (id != kFits) ++counts_[id - 1];
    of_row = id;
  }

  cluster::Column<VerdictId> of_row_;
  Cow<std::vector<Verdict>> verdicts_;
  std::vector<std::size_t> counts_;
  // By hash; empty while a linear search is faster. Has only the first of verdicts with equal hashes.
  boost::unordered_flat_map<std::uint64_t, VerdictId, cluster::HashOfHash> ids_;
};

}  // namespace podium::framework
