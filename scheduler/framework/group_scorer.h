// GroupScorer: a scorer that gives all nodes of a group the same score. The score depends on which groups
// have feasible nodes: that is how scores are normalised over all nodes.
//
// A pod that is placed changes one node's group, and perhaps every group's score. So with an EvaluationMemo
// the framework keeps the groups by row, and totals in two parts, one by row and one by group (KeptGroups).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/framework/plugin.h"

namespace podium::framework {

// True at each group that has a feasible node.
using UsedGroups = std::vector<std::uint8_t>;

class GroupScorer : public NodeScorer {
 public:
  // Groups are bytes; one value is for nodes that are not feasible.
  static constexpr std::size_t kMost = 255;

  virtual std::size_t groups() const = 0;  // 1 to kMost
  // What a node's group follows from, besides the plugin.
  virtual void declare(RowInputs& inputs) const = 0;
  // Writes rows.count groups, of all these rows.
  virtual void group_rows(const ChunkRows& rows, std::uint8_t* out) const = 0;
  // Writes the scores of the groups that are used.
  virtual void score_groups(const UsedGroups& used, std::span<std::uint8_t> scores) const = 0;

  void score(const NodeMask& feasible, std::span<std::uint8_t> out) const final;
  const GroupScorer* by_group() const final { return this; }
};

}  // namespace podium::framework
