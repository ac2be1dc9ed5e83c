#include "scheduler/plugins/volumes/binding.h"

#include <algorithm>
#include <array>
#include <expected>

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_set.hpp>

#include "api/values/topology_labels.h"
#include "scheduler/plugins/shared/arg_names.h"
#include "scheduler/plugins/shared/claim_owner.h"
#include "scheduler/plugins/shared/csi_migration.h"
#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"
#include "scheduler/plugins/volumes/claim_lookup.h"
#include "scheduler/plugins/volumes/score.h"

namespace podium::plugins {
namespace {

using namespace framework;

constexpr auto kName = VolumeBinding::kName;

// The reason why the pod cannot use the claim; nullopt: it can. Source: podHasPVCs.
std::optional<Reason> problem_of(const api::PersistentVolumeClaim* claim, const std::string& name,
                                 const api::Volume& volume, const api::Pod& pod) {
  const bool ephemeral = volume.kind == api::Volume::Kind::ephemeral;
  if (!claim) {
    if (!ephemeral) return claim_not_found(name);
    return Reason(ReasonCode::claim_not_created, {{Topic::claim, name}});
  }
  if (claim->phase == "Lost") {
    return Reason(ReasonCode::volume_not_found,
                  fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                              name, claim->volume_name),
                  {{Topic::claim, name}, {Topic::volume, claim->volume_name}});
  }
  if (claim->meta.deleted) return Reason(ReasonCode::claim_deleted, {{Topic::claim, name}});
  if (ephemeral && !is_for_pod(claim->meta, pod))
    return Reason(ReasonCode::claim_of_another_pod, not_for_pod(*claim, pod), {{Topic::claim, name}});
  return std::nullopt;
}

// Each is compared with the volumes of its class, and looked for on each node. No node attaches as many.
constexpr std::size_t kMostUnbound = 256;

// Classifies the pod's claims. Error: the verdict on the pod.
std::expected<PodClaims, Verdict> claims_of(const api::Pod& pod, const Snapshot& snapshot) {
  PodClaims claims;
  std::optional<std::string> error;
  boost::unordered_flat_set<const api::PersistentVolumeClaim*>
      bound;  // a pod may name one thousands of times
  for (const auto& volume : pod.volumes) {
    const auto name = claim_name(pod, volume);
    if (!name) continue;
    const auto* claim = find_claim(snapshot, pod, *name);
    if (auto problem = problem_of(claim, *name, volume, pod)) {
      return std::unexpected(unresolvable(kName, std::move(*problem)));
    }
    const auto* storage_class = class_of(snapshot, *claim);
    const bool delayed =
        storage_class && storage_class->wait_for_first_consumer && claim->volume_name.empty();
    if (is_bound(*claim)) {
      if (bound.insert(claim).second) claims.bound.push_back(claim);
    } else if (storage_class && !storage_class->has_binding_mode) {
      if (!error) error = without_binding_mode(storage_class->meta.name);
    } else {
      (delayed ? claims.delayed : claims.immediate).push_back(claim);
    }
  }
  if (error) return std::unexpected(plugin_error(kName, std::move(*error)));
  if (claims.delayed.size() > kMostUnbound)
    return std::unexpected(
        unresolvable(kName, Reason(ReasonCode::no_volume_to_bind, "the pod has too many unbound claims")));
  return claims;
}

// Each attempt compares them again. Beyond this number of requirements the reason is less exact.
constexpr std::size_t kMostCompared = 20'000;

// Whether a volume exists that the claim can get, as far as the volumes are compared. The volume controller
// then binds it soon.
bool may_have_volume(const api::PersistentVolumeClaim& claim, const Snapshot& snapshot) {
  const auto& volumes = snapshot.objects().volumes();
  const auto is_for_claim = [&](std::string_view name) {
    return could_hold(*find_volume(snapshot, name), claim);
  };
  const auto& selector = claim.selector;
  const auto each_time = 1 + claim.access_modes.size() +
                         (selector ? selector->match_labels.size() + selector->match_expressions.size() : 0);
  std::size_t compared = 0;
  return std::ranges::any_of(volumes.promised_to(claim), is_for_claim) ||
         std::ranges::any_of(volumes.free_of(claim.storage_class.value_or("")), [&](const auto& each) {
           compared += each_time;
           return compared > kMostCompared ||
                  (could_hold(*each.second, claim) && is_free_for(*each.second, claim));
         });
}

// A volume whose claimRef names an earlier claim of this name. Null: there is none.
const api::PersistentVolume* volume_of_earlier(const api::PersistentVolumeClaim& claim,
                                               const Snapshot& snapshot) {
  for (const auto name : snapshot.objects().volumes().promised_to(claim)) {
    const auto* volume = find_volume(snapshot, name);
    if (!claim_ref_matches(*volume, claim) && volume->storage_class == claim.storage_class.value_or(""))
      return volume;
  }
  return nullptr;
}

// Why a claim is unbound that names its volume.
Reason unbound_from_named(const api::PersistentVolumeClaim& claim, const Snapshot& snapshot) {
  Topics about{{Topic::claim, claim.meta.name}, {Topic::volume, claim.volume_name}};
  const auto* volume = find_volume(snapshot, claim.volume_name);
  if (!volume)
    return Reason(ReasonCode::volume_not_found, std::string(row_of(ReasonCode::claim_not_bound).text),
                  std::move(about));
  const bool is_taken = volume->claim && !claim_ref_matches(*volume, claim);
  return Reason(is_taken ? ReasonCode::volume_of_another_claim : ReasonCode::claim_not_bound,
                std::move(about));
}

// Why a claim is unbound that must be bound before the pod is scheduled.
Reason unbound(const api::PersistentVolumeClaim& claim, const Snapshot& snapshot) {
  if (!claim.volume_name.empty()) return unbound_from_named(claim, snapshot);
  Topics about{{Topic::claim, claim.meta.name}};
  const auto class_name = claim.storage_class.value_or("");
  const auto* storage_class = class_of(snapshot, claim);
  if (!class_name.empty()) about.emplace_back(Topic::storage_class, class_name);
  const auto code = [&] {
    if ((storage_class && creates_volumes(*storage_class)) || may_have_volume(claim, snapshot))
      return ReasonCode::claim_not_bound;
    if (const auto* volume = volume_of_earlier(claim, snapshot)) {
      about.emplace_back(Topic::volume, volume->meta.name);
      return ReasonCode::volume_of_another_claim;
    }
    if (class_name.empty()) return ReasonCode::claim_without_class;
    // Volumes and claims may share the name of a class that has no object.
    if (!storage_class && snapshot.objects().volumes().free_of(class_name).empty())
      return ReasonCode::claim_class_not_found;
    return ReasonCode::claim_matches_no_volume;
  }();
  return Reason(code, std::move(about));
}

// What the reasons are about, if the pod has only one claim of the kind. The name of an ephemeral volume's
// claim follows from the pod's, which its author does not choose.
struct Named {
  Named(const PodClaims& claims, const Snapshot& snapshot) {
    if (claims.delayed.size() == 1) name_delayed(*claims.delayed.front());
    if (claims.bound.size() == 1) name_bound(*claims.bound.front(), snapshot);
  }
  Topics delayed, of_class, selected, bound;
  std::string storage_class;  // of the delayed claim
  ReasonCode out_of_reach = ReasonCode::volume_affinity_mismatch;

 private:
  void name_delayed(const api::PersistentVolumeClaim& claim) {
    if (!claim.meta.controller()) delayed = {{Topic::claim, claim.meta.name}};
    of_class = selected = delayed;
    storage_class = claim.storage_class.value_or("");
    of_class.emplace_back(Topic::storage_class, storage_class);
    const auto* node = claim.meta.annotations.find(kSelectedNode);
    if (node) selected.emplace_back(Topic::node, *node);
  }

  // The volume may be out of reach for all nodes. The labels that migration uses instead are not looked at.
  void name_bound(const api::PersistentVolumeClaim& claim, const Snapshot& snapshot) {
    bound = {{Topic::claim, claim.meta.name}, {Topic::volume, claim.volume_name}};
    const auto* volume = find_volume(snapshot, claim.volume_name);
    const auto terms = volume ? by_labels(volume->node_affinity) : std::nullopt;
    const auto* label = terms ? only_label(*terms) : nullptr;
    if (!label || !migrated_affinity(*volume).plugin.empty()) return;
    const auto* column = snapshot.labels().find(label->key);
    const auto has_node = [&](const std::string& value) {
      return column && column->find(value) != cluster::kNoValue;
    };
    if (std::ranges::any_of(label->values, has_node)) return;
    const bool is_of_node = label->key == api::label::hostname && label->values.size() == 1;
    out_of_reach = is_of_node ? ReasonCode::volume_node_not_found : ReasonCode::volume_reaches_no_node;
    if (is_of_node) bound.emplace_back(Topic::node, label->values.front());
  }
};

// Whether a driver reports capacity for volumes of the class, on any node.
bool has_known_capacity(const std::string& storage_class, const Snapshot& snapshot) {
  return std::ranges::any_of(snapshot.objects().all<api::CsiStorageCapacity>(),
                             [&](const auto& each) { return each.second->storage_class == storage_class; });
}

Verdict verdict_of(std::uint8_t conflicts, const Named& named, const Snapshot& snapshot) {
  Verdict verdict{std::string(kName), Code::unschedulable_and_unresolvable, {}};
  const auto add = [&](std::uint8_t conflict, Reason reason) {
    if (conflicts & conflict) verdict.reasons.push_back(std::move(reason));
  };
  add(kNodeAffinityConflict, Reason(named.out_of_reach, named.bound));
  add(kNoVolumeToBind, Reason(ReasonCode::no_volume_to_bind, named.delayed));
  add(kOutsideAllowedTopologies, Reason(ReasonCode::outside_allowed_topologies, named.of_class));
  add(kProvisionedElsewhere, Reason(ReasonCode::provisioned_elsewhere, named.selected));
  if (conflicts & kNotEnoughStorage) {
    const bool is_known = named.storage_class.empty() || has_known_capacity(named.storage_class, snapshot);
    verdict.reasons.push_back(is_known ? Reason(ReasonCode::insufficient_storage, named.delayed)
                                       : Reason(ReasonCode::storage_capacity_unknown, named.of_class));
  }
  add(kBoundVolumeMissing,
      Reason(ReasonCode::volume_not_found,
             "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)", named.bound));
  return verdict;
}

class BindingFilter final : public NodeFilter {
 public:
  BindingFilter(const Snapshot& snapshot, const PodClaims& claims, AvailableCache& cache)
      : NodeFilter(snapshot), binder_(snapshot, claims, cache), named_(claims, snapshot) {}

  void filter(NodeMask& nodes, Rejections& out) const override {
    std::array<VerdictId, kUntranslatableVolume> ids{};
    binder_.maybe_in_conflict(nodes).each([&](Row row) {
      const auto conflicts = binder_.conflicts_at(row);
      if (!conflicts) return;
      if (conflicts == kUntranslatableVolume) return out.reject(nodes, row, out.add(error_at(row)));
      if (ids[conflicts] == kFits) ids[conflicts] = out.add(verdict_of(conflicts, named_, snapshot_));
      out.reject(nodes, row, ids[conflicts]);
    });
  }

  std::optional<Verdict> check(Row row, const PodDelta&) const override {
    const auto conflicts = binder_.conflicts_at(row);
    if (!conflicts) return std::nullopt;
    return conflicts == kUntranslatableVolume ? error_at(row) : verdict_of(conflicts, named_, snapshot_);
  }
  bool ignores_pods() const override { return true; }

 private:
  Verdict error_at(Row row) const { return plugin_error(kName, binder_.error_at(row)); }

  VolumeBinder binder_;
  const Named named_;
};

std::optional<api::Quantity> limit_of(const api::CsiStorageCapacity& capacity) {
  return capacity.maximum_volume_size ? capacity.maximum_volume_size : capacity.capacity;
}

bool helps_after_capacity_change(const api::CsiStorageCapacity& before,
                                 const api::CsiStorageCapacity& after) {
  const auto old = limit_of(before), now = limit_of(after);
  return now && (!old || now->value() > old->value());
}

}  // namespace

PreparedFilter VolumeBinding::prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const {
  const auto claims = claims_of(*pod, snapshot);
  if (!claims) return {.rejected = claims.error()};
  if (!claims->immediate.empty()) {
    return {.rejected = unresolvable(kName, unbound(*claims->immediate.front(), snapshot))};
  }
  if (claims->bound.empty() && claims->delayed.empty()) return {};
  return {.filter = std::make_unique<BindingFilter>(snapshot, *claims, *available_)};
}

PreparedScore VolumeBinding::prepare_score(const PodInfo& pod, const Snapshot& snapshot,
                                           const NodeMask&) const {
  if (by_utilization_.empty()) return {};
  const auto claims = claims_of(*pod, snapshot);
  return {make_storage_scorer(snapshot, claims ? *claims : PodClaims(), by_utilization_, *available_)};
}

// Source: volume_binding.go EventsToRegister. For a CSIDriver update, upstream wakes only pods with an inline
// volume of that driver. But the update concerns pods whose claims lacked storage capacity, so podium wakes
// all pods that the plugin rejected.
std::vector<EventHint> VolumeBinding::hints() const {
  std::vector<EventHint> hints;
  hints.push_back(
      {EventResource::storage_class, kAdd | kUpdate, [](const PodInfo&, const ClusterEvent& event) {
         const auto *before = object_before<api::StorageClass>(event),
                    *after = object_after<api::StorageClass>(event);
         return !before || !after || before->allowed_topologies != after->allowed_topologies;
       }});
  hints.push_back({EventResource::persistent_volume_claim, kAdd | kUpdate,
                   [](const PodInfo& rejected, const ClusterEvent& event) {
                     const auto* claim = object_after<api::PersistentVolumeClaim>(event);
                     return !claim || uses_claim(*rejected, *claim, true);
                   }});
  hints.push_back({EventResource::persistent_volume, kAdd | kUpdate, nullptr});
  hints.push_back({EventResource::node, kAdd | kUpdateNodeLabel, nullptr});
  hints.push_back({EventResource::csi_node, kAdd | kUpdate, [](const PodInfo&, const ClusterEvent& event) {
                     const auto *before = object_before<api::CsiNode>(event),
                                *after = object_after<api::CsiNode>(event);
                     constexpr auto kMigrated = "storage.alpha.kubernetes.io/migrated-plugins";
                     const auto plugins = [](const api::CsiNode& node) {
                       const auto* text = node.meta.annotations.find(kMigrated);
                       return text ? *text : std::string();
                     };
                     return !before || !after || plugins(*before) != plugins(*after);
                   }});
  hints.push_back({EventResource::csi_driver, kUpdate, [](const PodInfo&, const ClusterEvent& event) {
                     const auto *before = object_before<api::CsiDriver>(event),
                                *after = object_after<api::CsiDriver>(event);
                     return !before || !after || (before->storage_capacity && !after->storage_capacity);
                   }});
  hints.push_back(
      {EventResource::csi_storage_capacity, kAdd | kUpdate, [](const PodInfo&, const ClusterEvent& event) {
         const auto* before = object_before<api::CsiStorageCapacity>(event);
         const auto* after = object_after<api::CsiStorageCapacity>(event);
         return !before || !after || helps_after_capacity_change(*before, *after);
       }});
  return hints;
}

std::optional<VolumePlan> plan_volumes(const api::Pod& pod, const Snapshot& snapshot, Row row,
                                       AvailableCache& cache) {
  const auto claims = claims_of(pod, snapshot);
  if (!claims || !claims->immediate.empty()) return std::nullopt;
  VolumePlan plan;
  if (VolumeBinder(snapshot, *claims, cache).conflicts_at(row, &plan)) return std::nullopt;
  return plan;
}

PluginPtr make_volume_binding(const boost::json::object& args, const Features& features) {
  const auto* timeout = args.if_contains(arg_names::kBindTimeoutSeconds);
  const auto* given = timeout ? timeout->if_int64() : nullptr;
  constexpr std::chrono::seconds kLongest = std::chrono::years(100);
  return std::make_shared<VolumeBinding>(
      given ? std::min(std::chrono::seconds(*given), kLongest) : VolumeBinding::kDefaultTimeout,
      features.storage_capacity_scoring ? decode_storage_shape(args) : std::vector<std::int32_t>());
}

}  // namespace podium::plugins
