#include "scheduler/framework/group_scorer.h"

#include <bit>

namespace podium::framework {

void GroupScorer::score(const NodeMask& feasible, std::span<std::uint8_t> out) const {
  for (std::size_t chunk = 0; chunk * cluster::kChunkRows < out.size(); ++chunk)
    group_rows({.chunk = chunk}, &out[chunk * cluster::kChunkRows]);
  UsedGroups used(groups());
  feasible.each([&](Row row) { used[out[row]] = 1; });
  std::vector<std::uint8_t> scores(groups());
  score_groups(used, scores);
  for (auto& each : out) each = scores[each];
}

}  // namespace podium::framework
