#include "explain/report/answer.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace podium::explain {
namespace {

constexpr std::size_t kPlacements = 64, kZones = 16;

}  // namespace

void set_placements(ReportAnswer& answer, const std::vector<std::string>& nodes) {
  std::map<std::string_view, std::size_t> counts;
  for (const auto& node : nodes) ++counts[node];
  answer.placements.clear();
  for (const auto& [node, count] : counts) answer.placements.push_back({std::string(node), count});
  answer.placements_total = counts.size();
  std::ranges::stable_sort(answer.placements, std::ranges::greater(), &ReplicaPlacement::count);
  answer.placements.resize(std::min(answer.placements.size(), kPlacements));
}

void set_zones(ReportAnswer& answer, std::vector<ZonePlacements> zones) {
  answer.zones_total = zones.size();
  std::ranges::sort(zones, [](const ZonePlacements& a, const ZonePlacements& b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
  zones.resize(std::min(zones.size(), kZones));
  answer.zones = std::move(zones);
}

}  // namespace podium::explain
