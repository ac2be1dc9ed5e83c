// Rejections: the verdict on every node that is not feasible, without a string in the hot path.
//
// A filter registers each distinct verdict once and gets a small id; a node's verdict is that id in a dense
// array. Most decisions have a handful of verdicts, which are searched one by one; where extenders give
// every node a reason of its own, a table of hashes finds them. An id has room for more verdicts than
// memory has.
// Owner: one evaluation. Threads: none.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "scheduler/cluster/hash.h"
#include "scheduler/cluster/node_mask.h"
#include "scheduler/framework/verdict.h"

namespace podium::framework {

using VerdictId = std::uint32_t;
inline constexpr VerdictId kFits = 0;

class Rejections {
 public:
  explicit Rejections(std::size_t chunks) : of_row_(chunks * cluster::kChunkRows, kFits) {}

  // The id of this verdict; the same verdict gets the same id.
  VerdictId add(Verdict verdict);
  // Notes the verdict on a node and clears its bit.
  void reject(cluster::NodeMask& nodes, cluster::Row row, VerdictId id) {
    of_row_[row] = id;
    nodes.clear(row);
  }
  // The same for the rows of one word of the mask: `bits` are the ones to turn down.
  void reject_word(cluster::NodeMask& nodes, std::size_t word, std::uint64_t bits, VerdictId id);

  // As if the node had never been looked at.
  void forget(cluster::Row row) { of_row_[row] = kFits; }

  VerdictId id(cluster::Row row) const { return of_row_[row]; }
  const Verdict& verdict(VerdictId id) const { return verdicts_[id - 1]; }
  const std::vector<Verdict>& verdicts() const { return verdicts_; }  // index is VerdictId - 1

 private:
  VerdictId search(const Verdict& verdict) const;  // kFits where it is new

  std::vector<VerdictId> of_row_;
  std::vector<Verdict> verdicts_;
  // By hash, once there are too many verdicts to search one by one. Of two with the same hash, only the
  // first is in it.
  boost::unordered_flat_map<std::uint64_t, VerdictId, cluster::HashOfHash> ids_;
};

}  // namespace podium::framework
