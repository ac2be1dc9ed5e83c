#include "scheduler/live/watched_kinds.h"

#include <memory>
#include <utility>
#include <variant>

#include "api/decode/decode.h"
#include "api/decode/decode_workload.h"
#include "api/values/device.h"
#include "client/decode/watch_lines.h"
#include "scheduler/cycle/scheduler.h"

namespace podium::live {
namespace {

using framework::Action;

template <typename T, auto Decode>
Result<api::Object> decoded(const boost::json::value& value) {
  auto object = Decode(value);
  if (!object) return std::unexpected(object.error());
  return api::Object(std::make_shared<const T>(std::move(*object)));
}

template <api::Workload::Kind Kind>
Result<api::Object> workload(const boost::json::value& value) {
  auto object = api::decode_workload(value, Kind);
  if (!object) return std::unexpected(object.error());
  return api::Object(std::make_shared<const api::Workload>(std::move(*object)));
}

// Applies a change of a kind that Objects holds, and passes the event to the scheduler.
template <typename T, framework::EventResource Kind>
void apply_object(cycle::Scheduler& scheduler, const Arrival& arrival) {
  auto& objects = scheduler.snapshot().objects();
  framework::ClusterEvent event{.resource = Kind, .actions = Action::kAdd, .before = {}, .after = {}};
  const auto& meta =
      arrival.deleted ? arrival.meta : std::get<std::shared_ptr<const T>>(arrival.object)->meta;
  // If the object is assumed as it was written, the write of this process was already an event.
  auto before = cluster::Objects::assumed_as_written<T> ? objects.shared<T>(meta.namespace_, meta.name)
                                                        : objects.actual<T>(meta.namespace_, meta.name);
  if (before) {
    event.before = std::move(before);
    event.actions = Action::kUpdateOther;
  }
  if (arrival.deleted) {
    if (std::holds_alternative<std::monostate>(event.before)) return;
    event.actions = Action::kDelete;
    objects.remove<T>(meta.namespace_, meta.name);
  } else {
    event.after = arrival.object;
    const bool is_news = objects.set<T>(std::get<std::shared_ptr<const T>>(arrival.object));
    if (cluster::Objects::assumed_as_written<T> && !is_news) return;
  }
  scheduler.object_changed(std::move(event));
}

// Priority classes only matter to what-ifs, disruption budgets to the choice of victims: no pod waits
// for their events.
template <typename T>
void apply_quietly(cycle::Scheduler& scheduler, const Arrival& arrival) {
  auto& objects = scheduler.snapshot().objects();
  if (arrival.deleted) {
    objects.remove<T>(arrival.meta.namespace_, arrival.meta.name);
  } else {
    objects.set<T>(std::get<std::shared_ptr<const T>>(arrival.object));
  }
}

// The scheduler sees a change of the slices whose devices get other taints, as upstream. One event is enough:
// its hint does not look at the slice.
void apply_taint_rule(cycle::Scheduler& scheduler, const Arrival& arrival) {
  auto& objects = scheduler.snapshot().objects();
  const auto before = objects.taints_version();
  apply_quietly<api::DeviceTaintRule>(scheduler, arrival);
  if (objects.taints_version() == before) return;
  scheduler.object_changed({.resource = framework::EventResource::resource_slice,
                            .actions = Action::kUpdateOther,
                            .before = {},
                            .after = {}});
}

// Removes claims that this process created and that were deleted before the watch could show them.
void claims_listed(cycle::Scheduler& scheduler, std::string_view version) {
  for (auto& [ns, name] : scheduler.snapshot().objects().never_shown<api::ResourceClaim>(version)) {
    Arrival gone;
    gone.deleted = true;
    gone.meta.namespace_ = std::move(ns);
    gone.meta.name = std::move(name);
    apply_object<api::ResourceClaim, framework::EventResource::resource_claim>(scheduler, gone);
  }
}

// What this process has written may be lost, whatever its version.
void claim_versions_restarted(cycle::Scheduler& scheduler) {
  scheduler.snapshot().objects().forget_versions<api::ResourceClaim>();
}

void pod_versions_restarted(cycle::Scheduler& scheduler) { scheduler.pod_versions_restarted(); }

// Services and controllers only provide default spread selectors; no queueing hint uses their events.
template <api::Workload::Kind Kind>
void apply_workload(cycle::Scheduler& scheduler, const Arrival& arrival) {
  auto& objects = scheduler.snapshot().objects();
  if (arrival.deleted) {
    objects.remove_workload(arrival.meta.namespace_, Kind, arrival.meta.name);
  } else {
    objects.set_workload(std::get<std::shared_ptr<const api::Workload>>(arrival.object));
  }
}

void apply_node(cycle::Scheduler& scheduler, const Arrival& arrival) {
  if (arrival.deleted) {
    scheduler.node_deleted(arrival.meta.name);
  } else {
    scheduler.node_added_or_updated(std::get<api::NodePtr>(arrival.object));
  }
}

void apply_pod(cycle::Scheduler& scheduler, const Arrival& arrival) {
  const auto& meta = arrival.deleted || arrival.damaged ? arrival.meta : (*arrival.pod)->meta;
  scheduler.snapshot().saw_pods(client::version_number(meta.resource_version));
  if (arrival.damaged && scheduler.snapshot().find_pod(meta.uid)) return;
  if (arrival.deleted || !arrival.pod) {
    scheduler.pod_deleted(meta.uid);
  } else {
    scheduler.pod_added_or_updated(arrival.pod);
  }
}

using W = api::Workload::Kind;
using R = framework::EventResource;
namespace res = client::resource;

const WatchedKind kKinds[] = {
    {res::nodes, "", decoded<api::Node, api::decode_node>, apply_node},
    {res::pods, "status.phase!=Succeeded,status.phase!=Failed", nullptr, apply_pod, false, nullptr,
     pod_versions_restarted},
    {res::namespaces, "", decoded<api::Namespace, api::decode_namespace>,
     apply_object<api::Namespace, R::namespace_>},
    {res::services, "", workload<W::service>, apply_workload<W::service>},
    {res::replication_controllers, "", workload<W::replication_controller>,
     apply_workload<W::replication_controller>},
    {res::replica_sets, "", workload<W::replica_set>, apply_workload<W::replica_set>},
    {res::stateful_sets, "", workload<W::stateful_set>, apply_workload<W::stateful_set>},
    {res::persistent_volumes, "", decoded<api::PersistentVolume, api::decode_persistent_volume>,
     apply_object<api::PersistentVolume, R::persistent_volume>},
    {res::persistent_volume_claims, "",
     decoded<api::PersistentVolumeClaim, api::decode_persistent_volume_claim>,
     apply_object<api::PersistentVolumeClaim, R::persistent_volume_claim>},
    {res::storage_classes, "", decoded<api::StorageClass, api::decode_storage_class>,
     apply_object<api::StorageClass, R::storage_class>},
    {res::csi_nodes, "", decoded<api::CsiNode, api::decode_csi_node>,
     apply_object<api::CsiNode, R::csi_node>},
    {res::csi_drivers, "", decoded<api::CsiDriver, api::decode_csi_driver>,
     apply_object<api::CsiDriver, R::csi_driver>},
    {res::csi_storage_capacities, "", decoded<api::CsiStorageCapacity, api::decode_csi_storage_capacity>,
     apply_object<api::CsiStorageCapacity, R::csi_storage_capacity>},
    {res::volume_attachments, "", decoded<api::VolumeAttachment, api::decode_volume_attachment>,
     apply_object<api::VolumeAttachment, R::volume_attachment>},
    {res::resource_claims, "", decoded<api::ResourceClaim, api::decode_resource_claim>,
     apply_object<api::ResourceClaim, R::resource_claim>, true, claims_listed, claim_versions_restarted},
    {res::resource_slices, "", decoded<api::ResourceSlice, api::decode_resource_slice>,
     apply_object<api::ResourceSlice, R::resource_slice>, true},
    {res::device_classes, "", decoded<api::DeviceClass, api::decode_device_class>,
     apply_object<api::DeviceClass, R::device_class>, true},
    {res::device_taint_rules, "", decoded<api::DeviceTaintRule, api::decode_device_taint_rule>,
     apply_taint_rule, true},
    {res::pod_disruption_budgets, "", decoded<api::PodDisruptionBudget, api::decode_pod_disruption_budget>,
     apply_quietly<api::PodDisruptionBudget>},
    {res::priority_classes, "", decoded<api::PriorityClass, api::decode_priority_class>,
     apply_quietly<api::PriorityClass>},
};

}  // namespace

std::span<const WatchedKind> watched_kinds() { return kKinds; }

}  // namespace podium::live
