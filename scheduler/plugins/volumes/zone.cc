// VolumeZone: a bound volume with zone or region labels is reachable only from nodes in that zone or region.
// Source: pkg/scheduler/framework/plugins/volumezone.
#include <algorithm>

#include <fmt/format.h>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/column_scan.h"
#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"
#include "scheduler/plugins/volumes/claim_lookup.h"
#include "scheduler/plugins/volumes/zone_labels.h"

namespace podium::plugins {
namespace {

using namespace framework;

using framework::names::kVolumeZone;

// Splits "a__b" into {"a", "b"}, sorted and unique. Empty if any part is empty.
std::vector<std::string> zones_of(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n", kDelimiter = "__";
  std::vector<std::string> zones;
  while (true) {
    const auto end = text.find(kDelimiter);
    auto part = text.substr(0, end);
    const auto begin = part.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    zones.emplace_back(part.substr(begin, part.find_last_not_of(kBlanks) - begin + 1));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + kDelimiter.size());
  }
  std::ranges::sort(zones);
  zones.erase(std::ranges::unique(zones).begin(), zones.end());
  return zones;
}

void add_topologies(const api::PersistentVolume& volume, std::vector<VolumeTopology>& to) {
  for (const auto& label : kTopologyLabels) {
    const auto* value = volume.meta.labels.find(label.key);
    if (!value) continue;
    if (auto zones = zones_of(*value); !zones.empty()) to.push_back({label, std::move(zones)});
  }
}

}  // namespace

std::vector<VolumeTopology> topologies_of(const api::PersistentVolume& volume) {
  std::vector<VolumeTopology> result;
  add_topologies(volume, result);
  return result;
}

namespace {

// Finds the nodes whose label has one of the values; if `values` is null, all nodes with the label.
class LabelTest {
 public:
  LabelTest(const Snapshot& snapshot, std::string_view key, const std::vector<std::string>* values)
      : column_(snapshot.labels().find(key)), ids_(column_ ? column_->id_limit() : 1), negated_(!values) {
    if (!values) ids_.insert(cluster::kNoValue);
    for (const auto& value : values ? *values : std::vector<std::string>{}) {
      if (const auto id = column_ ? column_->find(value) : cluster::kNoValue; id != cluster::kNoValue)
        ids_.insert(id);
    }
  }
  ChunkWords match(std::size_t chunk) const {
    if (!column_ || ids_.empty()) return {};
    cluster::RareColumn<cluster::ValueId>::Chunk space;
    auto words = ids_.match(column_->values().chunk(chunk, space));
    if (negated_) std::ranges::transform(words, words.begin(), [](auto word) { return ~word; });
    return words;
  }

 private:
  const cluster::LabelColumn* column_;
  IdSet ids_;
  bool negated_;
};

class ZoneFilter final : public NodeFilter {
 public:
  ZoneFilter(const Snapshot& snapshot, const std::vector<VolumeTopology>& topologies) : NodeFilter(snapshot) {
    for (const auto& label : kTopologyLabels) any_label_.emplace_back(snapshot, label.key, nullptr);
    for (const auto& [label, values] : topologies) {
      tests_.push_back({{snapshot, label.key, &values},
                        {snapshot, label.key, nullptr},
                        {snapshot, label.fallback, &values}});
    }
  }

  bool ignores_pods() const override { return true; }
  void filter(NodeMask& nodes, Rejections& out) const override {
    const auto id = out.add(unresolvable(kVolumeZone, Reason(ReasonCode::volume_zone_mismatch)));
    for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
      if (!chunk_is_empty(nodes, chunk)) reject_chunk(nodes, chunk, outside(chunk), id, out);
    }
  }

 private:
  struct Test {
    LabelTest matches, has_key, fallback_matches;
  };

  // Nodes without any zone or region label match every volume.
  ChunkWords outside(std::size_t chunk) const {
    ChunkWords mismatch{}, labelled{};
    for (const auto& test : tests_) {
      const auto match = test.matches.match(chunk), has_key = test.has_key.match(chunk),
                 fallback = test.fallback_matches.match(chunk);
      for (std::size_t w = 0; w < kChunkWords; ++w) mismatch[w] |= ~(match[w] | (~has_key[w] & fallback[w]));
    }
    for (const auto& test : any_label_) {
      const auto has_key = test.match(chunk);
      for (std::size_t w = 0; w < kChunkWords; ++w) labelled[w] |= has_key[w];
    }
    for (std::size_t w = 0; w < kChunkWords; ++w) mismatch[w] &= labelled[w];
    return mismatch;
  }

  std::vector<LabelTest> any_label_;
  std::vector<Test> tests_;
};

// Adds the topologies of the claim's volume. A verdict if the claim is neither bound nor waits for
// its first consumer.
std::optional<Verdict> add_topologies(const std::string& claim_name, const api::Pod& pod,
                                      const Snapshot& snapshot, std::vector<VolumeTopology>& to) {
  const auto unbound = [&](ReasonCode code, std::string text) {
    return unresolvable(kVolumeZone, Reason(code, std::move(text), {{Topic::claim, claim_name}}));
  };
  const auto incomplete = [&](std::string text) {
    return unbound(ReasonCode::claim_invalid, std::move(text));
  };
  if (claim_name.empty()) return incomplete(kClaimWithoutName);
  const auto* claim = find_claim(snapshot, pod, claim_name);
  if (!claim) return unresolvable(kVolumeZone, claim_not_found(claim_name));
  if (!claim->volume_name.empty()) {
    const auto* volume = find_volume(snapshot, claim->volume_name);
    if (!volume)
      return unresolvable(kVolumeZone,
                          Reason(ReasonCode::volume_not_found,
                                 fmt::format("persistentvolume \"{}\" not found", claim->volume_name),
                                 {{Topic::claim, claim_name}, {Topic::volume, claim->volume_name}}));
    add_topologies(*volume, to);
    return std::nullopt;
  }
  const auto class_name = claim->storage_class.value_or("");
  if (class_name.empty())
    return unbound(ReasonCode::claim_without_class,
                   "PersistentVolumeClaim had no pv name and storageClass name");
  const auto* storage_class = class_of(snapshot, *claim);
  if (!storage_class) {
    return unresolvable(kVolumeZone,
                        Reason(ReasonCode::storage_class_not_found,
                               {{Topic::claim, claim_name}, {Topic::storage_class, class_name}}));
  }
  if (!storage_class->has_binding_mode) {
    return incomplete(without_binding_mode(class_name));
  }
  if (!storage_class->wait_for_first_consumer)
    return unbound(ReasonCode::claim_not_bound, "PersistentVolume had no name");
  return std::nullopt;
}

class VolumeZone final : public Plugin, public FilterPlugin {
 public:
  std::string_view name() const override { return kVolumeZone; }
  bool has_pre_filter() const override { return true; }

  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    std::vector<VolumeTopology> topologies;
    for (const auto& volume : pod->volumes) {
      if (volume.kind != api::Volume::Kind::claim) continue;
      if (auto verdict = add_topologies(volume.id, *pod, snapshot, topologies))
        return {.rejected = std::move(verdict)};
    }
    if (topologies.empty()) return {};
    return {.filter = std::make_unique<ZoneFilter>(snapshot, topologies)};
  }

  std::vector<EventHint> hints() const override {
    std::vector<EventHint> hints;
    hints.push_back({EventResource::storage_class, kAdd, [](const PodInfo&, const ClusterEvent& event) {
                       const auto* added = object_after<api::StorageClass>(event);
                       return !added || added->wait_for_first_consumer;
                     }});
    hints.push_back({EventResource::node, kAdd | kUpdateNodeLabel, nullptr});
    hints.push_back({EventResource::persistent_volume_claim, kAdd | kUpdate,
                     [](const PodInfo& rejected, const ClusterEvent& event) {
                       const auto* claim = object_after<api::PersistentVolumeClaim>(event);
                       return !claim || uses_claim(*rejected, *claim, false);
                     }});
    hints.push_back(
        {EventResource::persistent_volume, kAdd | kUpdate, [](const PodInfo&, const ClusterEvent& event) {
           const auto* before = object_before<api::PersistentVolume>(event);
           const auto* after = object_after<api::PersistentVolume>(event);
           return !before || !after || topologies_of(*before) != topologies_of(*after);
         }});
    return hints;
  }
};

}  // namespace

PluginPtr make_volume_zone(const boost::json::object&) { return std::make_shared<VolumeZone>(); }

}  // namespace podium::plugins
