#include "scheduler/framework/node_sampling.h"

#include <algorithm>
#include <array>
#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <string>

#include "base/text_hash.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::framework {
namespace {

using cluster::LabelColumn;
using cluster::Row;
using cluster::Snapshot;
using cluster::ValueId;

constexpr std::size_t kMinNodes = 100;  // the least to find; smaller clusters are evaluated whole
constexpr std::int64_t kMinPercentage = 5;

// A node's zone as a small number. Source: component-helpers/node/topology GetZoneKey.
class Zones {
 public:
  explicit Zones(const Snapshot& snapshot) {
    constexpr std::string_view kLabels[] = {
        "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"};
    for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i] = snapshot.labels().find(kLabels[i]);
  }

  // Numbers zones in the order of first use.
  std::size_t of(Row row) {
    Ids ids{};
    for (std::size_t i = 0; i < ids.size(); ++i)
      ids[i] = columns_[i] ? columns_[i]->value(row) : cluster::kNoValue;
    const auto [known, is_new] = by_ids_.try_emplace(ids, 0);
    if (is_new) known->second = by_name_.try_emplace(name(ids), by_name_.size()).first->second;
    return known->second;
  }

 private:
  using Ids = std::array<ValueId, 4>;

  // The beta label has precedence, even if its value is empty.
  std::string_view value(const Ids& ids, std::size_t beta) const {
    const auto i = ids[beta] != cluster::kNoValue ? beta : beta + 1;
    return ids[i] == cluster::kNoValue ? std::string_view() : columns_[i]->name(ids[i]);
  }
  std::string name(const Ids& ids) const {
    return std::string(value(ids, 2)) + '\0' + std::string(value(ids, 0));
  }

  std::array<const LabelColumn*, 4> columns_{};
  boost::unordered_flat_map<Ids, std::size_t, boost::hash<Ids>> by_ids_;
  boost::unordered_flat_map<std::string, std::size_t, TextHash, std::equal_to<>> by_name_;
};

}  // namespace

std::size_t NodeSampling::nodes_to_find(std::size_t of_nodes) const {
  if (one_is_enough) return std::min<std::size_t>(of_nodes, 1);
  if (of_nodes < kMinNodes) return of_nodes;
  const auto nodes = static_cast<std::int64_t>(of_nodes);
  const std::int64_t share = percentage != 0 ? percentage : std::max(kMinPercentage, 50 - nodes / 125);
  return std::max(kMinNodes, static_cast<std::size_t>(nodes * share / 100));
}

std::vector<Row> rows_round_robin(const Snapshot& snapshot) {
  std::vector<std::vector<Row>> zones;
  Zones zone_of(snapshot);
  for (const Row row : snapshot.rows_by_name()) {
    const auto zone = zone_of.of(row);
    if (zone >= zones.size()) zones.resize(zone + 1);
    zones[zone].push_back(row);
  }
  std::vector<Row> out;
  out.reserve(snapshot.node_count());
  for (std::size_t turn = 0; !zones.empty(); ++turn) {
    std::erase_if(zones, [&](const auto& zone) { return turn == zone.size(); });
    for (const auto& zone : zones) out.push_back(zone[turn]);
  }
  return out;
}

SearchRange search(std::vector<Row> rows, std::size_t start, std::size_t wanted,
                   const cluster::NodeMask& feasible) {
  SearchRange out;
  if (rows.empty()) return out;
  std::ranges::rotate(rows, rows.begin() + static_cast<std::ptrdiff_t>(start % rows.size()));
  std::size_t found = 0;
  const auto enough =
      std::ranges::find_if(rows, [&](Row row) { return feasible.test(row) && found++ == wanted; });
  out.left.assign(enough, rows.end());
  rows.erase(enough, rows.end());
  out.tried = std::move(rows);
  return out;
}

}  // namespace podium::framework
