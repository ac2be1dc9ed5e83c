// Reserve and PreBind of VolumeBinding: assumes volumes and claims in the snapshot, writes them to the API
// server, and checks whether they are bound.
// Source: plugins/volumebinding/binder.go (AssumePodVolumes, BindPodVolumes, checkBindings)
// and component-helpers/storage/volume GetBindVolumeToClaim.
#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <memory>

#include "api/decode/decode.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/csi_migration.h"
#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/node_selector.h"
#include "scheduler/plugins/volumes/binding.h"
#include "scheduler/plugins/volumes/claim_lookup.h"

namespace podium::plugins {
namespace {

namespace json = boost::json;
using api::PersistentVolume;
using api::PersistentVolumeClaim;
using framework::AssumedPod;
using framework::PluginState;
using framework::Progress;

constexpr auto kBoundByController = "pv.kubernetes.io/bound-by-controller";

// A volume to bind to a claim, or a claim whose volume is to be provisioned.
struct Item {
  std::shared_ptr<const PersistentVolume> volume;      // as assumed; null: the claim's volume is provisioned
  std::shared_ptr<const PersistentVolumeClaim> claim;  // the claim of `volume`, or the claim as assumed
  std::string written;  // the resourceVersion after the write; empty: not yet written
};

struct Reservation final : PluginState {
  std::vector<Item> items;  // in the order of the writes: volumes first
};

const Reservation* reservation(const PluginState* state) { return static_cast<const Reservation*>(state); }
Reservation* reservation(PluginState* state) { return static_cast<Reservation*>(state); }

std::shared_ptr<const PersistentVolume> bound_to(const PersistentVolume& volume,
                                                 const PersistentVolumeClaim& claim) {
  auto bound = std::make_shared<PersistentVolume>(volume);
  auto& annotations = bound->meta.annotations;
  if (!claim_ref_matches(volume, claim) && !annotations.contains(kBoundByController))
    annotations.set(kBoundByController, "yes");
  bound->claim = {claim.meta.namespace_, claim.meta.name, claim.meta.uid};
  return bound;
}

std::shared_ptr<const PersistentVolumeClaim> for_node(const PersistentVolumeClaim& claim,
                                                      const std::string& node) {
  auto selected = std::make_shared<PersistentVolumeClaim>(claim);
  selected->meta.annotations.set(kSelectedNode, node);
  return selected;
}

// --- writes ---

framework::ObjectWrite write_of(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  json::object metadata;
  if (const auto* by_controller = volume.meta.annotations.find(kBoundByController)) {
    metadata["annotations"] = {{kBoundByController, *by_controller}};
  }
  json::object patch{{"spec",
                      {{"claimRef",
                        {{"apiVersion", "v1"},
                         {"kind", "PersistentVolumeClaim"},
                         {"namespace", claim.meta.namespace_},
                         {"name", claim.meta.name},
                         {"uid", claim.meta.uid},
                         {"resourceVersion", claim.meta.resource_version}}}}}};
  if (!metadata.empty()) patch["metadata"] = std::move(metadata);
  return {.resource = "persistentvolumes",
          .name = volume.meta.name,
          .uid = volume.meta.uid,
          .resource_version = volume.meta.resource_version,
          .patch = std::move(patch)};
}

framework::ObjectWrite write_of(const PersistentVolumeClaim& claim, const std::string& node) {
  return {.resource = "persistentvolumeclaims",
          .namespace_ = claim.meta.namespace_,
          .name = claim.meta.name,
          .uid = claim.meta.uid,
          .resource_version = claim.meta.resource_version,
          .patch = json::object{{"metadata", {{"annotations", {{kSelectedNode, node}}}}}}};
}

// --- the check ---

// resourceVersions of one resource are increasing numbers.
bool is_older(std::string_view version, std::string_view than) {
  return version.size() != than.size() ? version.size() < than.size() : version < than;
}

class BindingCheck {
 public:
  BindingCheck(const AssumedPod& pod, const cluster::Snapshot& snapshot) : pod_(pod), snapshot_(snapshot) {
    if (const auto row = snapshot.find_row(pod.node)) node_ = snapshot.entry(*row).node;
    csi_node_ = snapshot.objects().find<api::CsiNode>("", pod.node);
  }

  Progress run(const Reservation& reserved) const {
    if (!node_)
      return failed(fmt::format("failed to get node \"{}\": node \"{}\" not found", pod_.node, pod_.node));
    for (const auto& item : reserved.items) {
      auto progress = item.volume ? check_volume(item) : check_provision(item);
      if (progress.state != Progress::State::ready) return progress;
    }
    return Progress::ready();
  }

 private:
  static Progress failed(const std::string& why) { return Progress::failed("binding volumes: " + why); }

  // The object from the API server, not the assumed one: another pod may have assumed the claim.
  std::shared_ptr<const PersistentVolumeClaim> live_claim(const PersistentVolumeClaim& claim) const {
    return snapshot_.objects().actual<PersistentVolumeClaim>(claim.meta.namespace_, claim.meta.name);
  }
  static Progress without_volume(const PersistentVolumeClaim& claim) {
    using framework::ReasonCode, framework::Topic;
    return Progress::not_yet(
        framework::Reason(ReasonCode::claim_not_bound, {{Topic::claim, claim.meta.name}}));
  }
  static std::string no_claim(const PersistentVolumeClaim& claim) {
    return fmt::format("persistentvolumeclaims \"{}/{}\" not found", claim.meta.namespace_, claim.meta.name);
  }

  Progress check_volume(const Item& item) const {
    const auto& name = item.volume->meta.name;
    const auto volume = snapshot_.objects().actual<PersistentVolume>("", name);
    if (!volume)
      return failed(fmt::format("failed to check binding: persistentvolumes \"{}\" not found", name));
    const auto claim = live_claim(*item.claim);
    if (!claim) return failed("failed to check binding: " + no_claim(*item.claim));
    if (is_older(volume->meta.resource_version, item.written)) return Progress::not_yet();
    const auto reached = reaches(*volume);
    if (!reached) return failed("failed to translate pv to csi: " + reached.error());
    if (!*reached) return out_of_reach(name);
    if (!volume->claim || volume->claim->uid.empty())
      return failed(fmt::format("ClaimRef got reset for pv \"{}\"", name));
    // Upstream takes the claim for ready, even if the node cannot reach the other volume.
    if (!claim->volume_name.empty() && claim->volume_name != name)
      return failed(fmt::format("PVC \"{}\" is bound to pv \"{}\"", claim->meta.name, claim->volume_name));
    return is_bound(*claim) ? Progress::ready() : without_volume(*claim);
  }

  Progress check_provision(const Item& item) const {
    const auto claim = live_claim(*item.claim);
    if (!claim) return failed("failed to check provisioning pvc: " + no_claim(*item.claim));
    if (is_older(claim->meta.resource_version, item.written)) return Progress::not_yet();
    // A provisioner that fails removes the selected-node annotation so that the pod is rescheduled. Upstream
    // has a different text if no annotation is left.
    if (claim->meta.annotations.empty())
      return failed(fmt::format("selectedNode annotation reset for PVC \"{}\"", claim->meta.name));
    const auto* node = claim->meta.annotations.find(kSelectedNode);
    if (!node || *node != pod_.node)
      return failed(fmt::format("provisioning failed for PVC \"{}\"", claim->meta.name));
    if (!claim->volume_name.empty()) {
      const auto volume = snapshot_.objects().actual<PersistentVolume>("", claim->volume_name);
      if (!volume) return without_volume(*claim);
      const auto reached = reaches(*volume);
      if (!reached) return failed(reached.error());
      if (!*reached) return out_of_reach(claim->volume_name);
    }
    return is_bound(*claim) ? Progress::ready() : without_volume(*claim);
  }

  // True if the node can reach the volume. Error: the volume cannot be translated to CSI.
  std::expected<bool, std::string> reaches(const PersistentVolume& volume) const {
    const auto [plugin, terms] = migrated_affinity(volume);
    const bool is_migrated = csi_node_ && has_migrated(*csi_node_, plugin);
    if (is_migrated && !terms) return std::unexpected(terms.error());
    const auto affinity = by_labels(is_migrated ? *terms : volume.node_affinity);
    return !affinity || selects(*affinity, *node_);
  }
  Progress out_of_reach(const std::string& volume) const {
    return failed(
        fmt::format("pv \"{}\" node affinity doesn't match node \"{}\": no matching NodeSelectorTerms",
                    volume, pod_.node));
  }

  const AssumedPod& pod_;
  const cluster::Snapshot& snapshot_;
  api::NodePtr node_;
  const api::CsiNode* csi_node_ = nullptr;
};

// Ends the assumption, unless the watch or another pod has ended it.
template <typename T>
void give_back(const T& assumed, framework::EventResource resource, cluster::Objects& objects,
               framework::Handle& handle) {
  const auto& meta = assumed.meta;
  auto before = objects.shared<T>(meta.namespace_, meta.name);
  objects.restore<T>(meta.namespace_, meta.name, meta.resource_version);
  auto after = objects.shared<T>(meta.namespace_, meta.name);
  if (before == after) return;
  handle.gave_back({.resource = resource,
                    .actions = framework::kUpdateOther,
                    .before = std::move(before),
                    .after = std::move(after)});
}

template <typename T>
bool is_about(const framework::ClusterEvent& event, const std::string& ns, const std::string& name) {
  const auto* before = object_before<T>(event);
  const auto* object = before ? before : object_after<T>(event);
  return !object || (object->meta.namespace_ == ns && object->meta.name == name);
}

}  // namespace

framework::ReserveResult VolumeBinding::reserve(const AssumedPod& pod, cluster::Snapshot& snapshot) const {
  const auto is_claim = [&](const auto& volume) { return claim_name(**pod.pod, volume).has_value(); };
  if (std::ranges::none_of((*pod.pod)->volumes, is_claim)) return {};
  const auto row = snapshot.find_row(pod.node);
  const auto plan = row ? plan_volumes(**pod.pod, snapshot, *row, *available_) : std::nullopt;
  if (!plan) {
    // Not expected: the filter accepted the node.
    return {plugin_error(kName, fmt::format("no pod volume found for node \"{}\"", pod.node)), nullptr};
  }
  if (plan->bindings.empty() && plan->provisions.empty()) return {};

  // Copies the objects: the plan points into the snapshot, which assume() below modifies.
  auto reserved = std::make_unique<Reservation>();
  for (const auto& [claim, volume] : plan->bindings) {
    reserved->items.push_back(
        {bound_to(*volume, *claim), std::make_shared<PersistentVolumeClaim>(*claim), {}});
  }
  for (const auto& provision : plan->provisions)
    reserved->items.push_back({nullptr, for_node(*provision.claim, pod.node), {}});
  auto& objects = snapshot.objects();
  for (const auto& item : reserved->items) {
    if (item.volume)
      objects.assume<PersistentVolume>(item.volume);
    else
      objects.assume<PersistentVolumeClaim>(item.claim);
  }
  return {std::nullopt, std::move(reserved)};
}

// Objects that were written stay assumed until the watch delivers them.
void VolumeBinding::unreserve(const AssumedPod&, PluginState* state, cluster::Snapshot& snapshot,
                              framework::Handle& handle) const {
  using enum framework::EventResource;
  if (!state) return;
  for (const auto& [volume, claim, written] : reservation(state)->items) {
    if (!written.empty()) continue;
    if (volume)
      give_back(*volume, persistent_volume, snapshot.objects(), handle);
    else
      give_back(*claim, persistent_volume_claim, snapshot.objects(), handle);
  }
}

std::expected<bool, framework::Verdict> VolumeBinding::needs_pre_bind(const AssumedPod&,
                                                                      const PluginState* state) const {
  return state != nullptr;
}

framework::PreBindPlan VolumeBinding::pre_bind(const AssumedPod& pod, PluginState* state,
                                               const cluster::Snapshot&) const {
  framework::PreBindPlan plan{.timeout = bind_timeout_,
                              .timed_out = "binding volumes: context deadline exceeded"};
  for (const auto& [volume, claim, written] : reservation(state)->items) {
    plan.writes.push_back(volume ? write_of(*volume, *claim) : write_of(*claim, pod.node));
  }
  return plan;
}

std::optional<framework::NextStep> VolumeBinding::replied(const AssumedPod&, PluginState* state,
                                                          std::size_t index,
                                                          const framework::WriteReply& reply,
                                                          cluster::Snapshot&) const {
  if (!reply.object) return std::nullopt;
  const auto meta = api::decode_meta(*reply.object);
  reservation(state)->items[index].written = meta ? meta->resource_version : "0";
  return std::nullopt;
}

Progress VolumeBinding::ready(const AssumedPod& pod, const PluginState* state,
                              const cluster::Snapshot& snapshot) const {
  return BindingCheck(pod, snapshot).run(*reservation(state));
}

bool VolumeBinding::concerns(const AssumedPod& pod, const PluginState* state,
                             const framework::ClusterEvent& event) const {
  using enum framework::EventResource;
  const auto& items = reservation(state)->items;
  switch (event.resource) {
    case wild_card:
      return true;
    case node:
      return is_about<api::Node>(event, "", pod.node);
    case csi_node:
      return is_about<api::CsiNode>(event, "", pod.node);
    case persistent_volume:  // the name of a provisioned volume is not known yet
      return std::ranges::any_of(items, [&](const Item& item) {
        return !item.volume || is_about<PersistentVolume>(event, "", item.volume->meta.name);
      });
    case persistent_volume_claim:
      return std::ranges::any_of(items, [&](const Item& item) {
        return is_about<PersistentVolumeClaim>(event, item.claim->meta.namespace_, item.claim->meta.name);
      });
    default:
      return false;
  }
}

}  // namespace podium::plugins
