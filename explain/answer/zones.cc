#include "explain/answer/zones.h"

#include <utility>

#include "api/values/topology_labels.h"
#include "explain/report/bounds.h"
#include "explain/report/each_field.h"

namespace podium::explain {
namespace {

constexpr std::size_t kZoneBytes = bound_of(&ZonePlacements::name).bytes;

// Empty: the node does not have this label.
std::string zone_of(const cluster::Snapshot& fork, cluster::Row row) {
  const auto* value = fork.entry(row).node->meta.labels.find(api::label::zone);
  return value ? cut(*value, kZoneBytes) : std::string();
}

}  // namespace

Zones zones_now(const std::vector<cluster::PodInfoPtr>& placed, const cluster::Snapshot& fork) {
  Zones zones;
  for (const auto& pod : placed) {
    const auto row = fork.find_row(pod->pod->node_name);
    if (auto zone = row ? zone_of(fork, *row) : std::string(); !zone.empty()) ++zones[std::move(zone)].now;
  }
  return zones;
}

std::vector<ZonePlacements> count_zones(const cluster::Snapshot& fork, const std::vector<cluster::Row>& rows,
                                        Zones zones) {
  std::vector<std::uint32_t> placed(fork.rows());
  for (const auto row : rows) ++placed[row];
  for (const auto row : fork.rows_by_name()) {
    if (auto zone = zone_of(fork, row); !zone.empty()) zones[std::move(zone)].count += placed[row];
  }
  std::vector<ZonePlacements> out;
  for (auto& [name, zone] : zones) {
    zone.name = name;
    out.push_back(std::move(zone));
  }
  return out;
}

}  // namespace podium::explain
