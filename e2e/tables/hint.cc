#include "e2e/tables/hint.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "api/decode/decode.h"
#include "api/values/device.h"
#include "e2e/tables/recorded_cluster.h"
#include "scheduler/framework/events.h"

namespace podium::tables {
namespace {

using boost::json::object;
using namespace framework;

Result<api::Object> read_object(const object& question, std::string_view side) {
  const auto* given = question.if_contains(side);
  if (!given || given->is_null()) return api::Object{};
  const auto& named = given->as_object();
  return api::decode_object(named.at("object"), named.at("apiVersion").as_string(),
                            named.at("kind").as_string());
}

template <typename T>
const T* held(const api::Object& object) {
  const auto* pointer = std::get_if<std::shared_ptr<const T>>(&object);
  return pointer ? pointer->get() : nullptr;
}

// The kinds that have no actions of their own but Add, Delete and Update; nullopt for others.
std::optional<EventResource> plain_resource(const api::Object& object) {
  if (held<api::PersistentVolume>(object)) return EventResource::persistent_volume;
  if (held<api::PersistentVolumeClaim>(object)) return EventResource::persistent_volume_claim;
  if (held<api::StorageClass>(object)) return EventResource::storage_class;
  if (held<api::CsiNode>(object)) return EventResource::csi_node;
  if (held<api::CsiDriver>(object)) return EventResource::csi_driver;
  if (held<api::CsiStorageCapacity>(object)) return EventResource::csi_storage_capacity;
  if (held<api::VolumeAttachment>(object)) return EventResource::volume_attachment;
  if (held<api::ResourceClaim>(object)) return EventResource::resource_claim;
  if (held<api::ResourceSlice>(object)) return EventResource::resource_slice;
  if (held<api::DeviceClass>(object)) return EventResource::device_class;
  return std::nullopt;
}

// The event that the live scheduler's feed would make.
ClusterEvent to_event(api::Object before, api::Object after, std::string_view hint) {
  ClusterEvent event{.before = std::move(before), .after = std::move(after)};
  const auto from = plain_resource(event.before), to = plain_resource(event.after);
  if (from || to) {
    event.resource = to ? *to : *from;
    event.actions = !from ? kAdd : to ? kUpdateOther : kDelete;
    return event;
  }
  const auto *old_pod = held<api::Pod>(event.before), *new_pod = held<api::Pod>(event.after);
  const auto *old_node = held<api::Node>(event.before), *new_node = held<api::Node>(event.after);
  if (old_pod || new_pod) {
    const bool of_itself = hint.find("TargetPod") != hint.npos;
    event.resource = of_itself ? EventResource::target_pod : EventResource::assigned_pod;
  } else if (old_node || new_node || hint.find("Node") != hint.npos) {
    event.resource = EventResource::node;
  } else {
    event.resource = EventResource::assigned_pod;
  }
  if (old_pod && new_pod)
    event.actions = pod_changes(*old_pod, *new_pod);
  else if (old_node && new_node)
    event.actions = node_changes(*old_node, *new_node);
  else
    event.actions = new_pod || new_node ? kAdd : kDelete;
  return event;
}

// Upstream's name of a resource.
std::string_view name_of(EventResource resource) {
  switch (resource) {
    case EventResource::assigned_pod:
      return "AssignedPod";
    case EventResource::unscheduled_pod:
      return "UnscheduledPod";
    case EventResource::target_pod:
      return "TargetPod";
    case EventResource::node:
      return "Node";
    case EventResource::persistent_volume:
      return "PersistentVolume";
    case EventResource::persistent_volume_claim:
      return "PersistentVolumeClaim";
    case EventResource::storage_class:
      return "storage.k8s.io/StorageClass";
    case EventResource::csi_node:
      return "storage.k8s.io/CSINode";
    case EventResource::csi_driver:
      return "storage.k8s.io/CSIDriver";
    case EventResource::csi_storage_capacity:
      return "storage.k8s.io/CSIStorageCapacity";
    case EventResource::volume_attachment:
      return "storage.k8s.io/VolumeAttachment";
    case EventResource::resource_claim:
      return "resource.k8s.io/ResourceClaim";
    case EventResource::resource_slice:
      return "resource.k8s.io/ResourceSlice";
    case EventResource::device_class:
      return "resource.k8s.io/DeviceClass";
    default:
      return "unknown upstream";
  }
}

boost::json::array names_of(std::uint32_t actions) {
  static const std::vector<std::pair<std::uint32_t, std::string_view>> names{
      {kAdd, "Add"},
      {kDelete, "Delete"},
      {kUpdateNodeAllocatable, "UpdateNodeAllocatable"},
      {kUpdateNodeLabel, "UpdateNodeLabel"},
      {kUpdateNodeTaint, "UpdateNodeTaint"},
      {kUpdateNodeCondition, "UpdateNodeCondition"},
      {kUpdateNodeAnnotation, "UpdateNodeAnnotation"},
      {kUpdateNodeDeclaredFeature, "UpdateNodeDeclaredFeature"},
      {kUpdatePodLabel, "UpdatePodLabel"},
      {kUpdatePodScaleDown, "UpdatePodScaleDown"},
      {kUpdatePodScaleUp, "UpdatePodScaleUp"},
      {kUpdatePodTolerations, "UpdatePodToleration"},
      {kUpdatePodGatesEliminated, "UpdatePodSchedulingGatesEliminated"},
      {kUpdatePodClaims, "UpdatePodGeneratedResourceClaim"},
      {kUpdateOther, "an update that upstream has no name for"},
  };
  boost::json::array out;
  if ((actions & kUpdate) == kUpdate) out.emplace_back("Update");
  for (const auto& [bit, name] : names) {
    if (actions & bit && !(bit & kUpdate && (actions & kUpdate) == kUpdate)) out.emplace_back(name);
  }
  return out;
}

}  // namespace

Result<object> answer_events(const FilterPlugin& plugin) {
  std::map<EventResource, std::uint32_t> actions;
  for (const auto& hint : plugin.hints()) actions[hint.resource] |= hint.actions;
  object events;
  for (const auto& [resource, set] : actions) {
    if (set) events[name_of(resource)] = names_of(set);
  }
  return object{{"events", std::move(events)}};
}

Result<object> answer_hint(const FilterPlugin& plugin, const object& question) {
  auto before = read_object(question, "old");
  if (!before) return std::unexpected(before.error());
  auto after = read_object(question, "new");
  if (!after) return std::unexpected(after.error());
  const auto pod = read_asked(question);
  if (!pod) return std::unexpected(pod.error());
  const auto cluster = Cluster::read(question);
  if (!cluster) return std::unexpected(cluster.error());
  const auto event = to_event(std::move(*before), std::move(*after), question.at("hint").as_string());

  const auto hints = plugin.hints();
  const auto helps = std::ranges::any_of(hints, [&](const EventHint& hint) {
    return hint.matches(event) && hint.helps(**pod, event, cluster->snapshot());
  });
  return object{{"answer", helps ? "Queue" : "QueueSkip"}};
}

}  // namespace podium::tables
