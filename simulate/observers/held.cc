#include "simulate/observers/held.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "api/values/device.h"
#include "api/values/pod.h"
#include "simulate/cluster/budgets.h"
#include "simulate/cluster/volumes.h"
#include "simulate/observers/recount.h"
#include "simulate/server/resource_claims.h"

namespace podium::simulate {
namespace {

using Names = std::set<std::string>;

std::optional<std::string> difference(std::string_view what, const Names& held, const Names& there) {
  for (const auto& name : held) {
    if (!there.contains(name)) return fmt::format("holds a {} that is not there: {}", what, name);
  }
  for (const auto& name : there) {
    if (!held.contains(name)) return fmt::format("lacks a {}: {}", what, name);
  }
  return std::nullopt;
}

std::string placed_text(const std::string& uid, const std::string& node) { return uid + " on " + node; }

template <typename T>
std::optional<std::string> objects_difference(std::string_view what, const cluster::Objects& objects,
                                              const Store& store, std::string_view plural) {
  Names held, there;
  for (const auto& [key, object] : objects.all<T>())
    held.insert(fmt::format("{}/{} at {}", key.first, key.second, object->meta.resource_version));
  for (const auto& object : store.all(plural))
    there.insert(full_name(object->value) + " at " + text_at(object->value, "/metadata/resourceVersion"));
  return difference(what, held, there);
}

// Nothing is being bound, so nothing is assumed. A write that changed nothing has no event that ends its
// assumption, which is the object as it is.
template <typename T>
std::optional<std::string> volumes_difference(std::string_view what, const cluster::Objects& objects,
                                              const Store& store, std::string_view plural) {
  if (auto found = objects_difference<T>(what, objects, store, plural)) return found;
  for (const auto& [key, object] : objects.all<T>()) {
    const auto actual = objects.actual<T>(key.first, key.second);
    if (!actual || !(*actual == *object)) return fmt::format("still assumes the {} {}", what, key.second);
  }
  return std::nullopt;
}

std::optional<std::string> cluster_difference(const cluster::Snapshot& snapshot, const Store& store) {
  Names nodes, held_nodes, pods, held_pods;
  for (const auto& node : store.all("nodes")) nodes.insert(text_at(node->value, "/metadata/name"));
  for (const auto row : snapshot.rows_by_name()) held_nodes.emplace(snapshot.node_name(row));
  for (const auto& pod : store.all("pods")) {
    const auto node = text_at(pod->value, "/spec/nodeName");
    if (!node.empty() && !is_finished(pod->value)) pods.insert(placed_text(uid_of(pod->value), node));
  }
  snapshot.each_pod([&held_pods](const cluster::PodInfoPtr& pod) {
    held_pods.insert(placed_text(pod->pod->meta.uid, pod->pod->node_name));
  });
  if (auto found = difference("node", held_nodes, nodes)) return found;
  if (auto found = difference("pod", held_pods, pods)) return found;
  if (auto found = miscounted(snapshot, store)) return found;
  const auto& objects = snapshot.objects();
  auto found = objects_difference<api::ResourceClaim>("claim", objects, store, "resourceclaims");
  if (!found) found = objects_difference<api::ResourceSlice>("slice", objects, store, "resourceslices");
  if (!found) found = objects_difference<api::DeviceTaintRule>("taint rule", objects, store, kTaintRules);
  if (!found) found = volumes_difference<api::PersistentVolume>("volume", objects, store, kVolumes);
  if (!found)
    found = volumes_difference<api::PersistentVolumeClaim>("volume claim", objects, store, kVolumeClaims);
  return found ? found : objects_difference<api::PodDisruptionBudget>("budget", objects, store, kBudgets);
}

std::optional<std::string> queue_difference(const queue::SchedulingQueue& queue, const Store& store) {
  Names waiting, held;
  for (const auto& pod : store.all("pods")) {
    const bool waits = text_at(pod->value, "/spec/nodeName").empty() && !is_finished(pod->value);
    if (waits && !is_leaving(pod->value)) waiting.insert(uid_of(pod->value));
  }
  queue.each([&held](const queue::QueuedPod& queued) { held.insert(queued.pod->pod->meta.uid); });
  return difference("pod that waits", held, waiting);
}

}  // namespace

std::optional<std::string> held_wrongly(app::Engine& engine, const Store& store, std::size_t refused) {
  auto& scheduler = engine.scheduler();
  if (const auto lacks = engine.not_synced(); !lacks.empty()) return "has not read all: " + lacks.front();
  if (auto found = cluster_difference(scheduler.snapshot(), store)) return found;
  if (!engine.elector()->leading()) return std::nullopt;
  if (auto found = queue_difference(scheduler.queue(), store)) return found;
  const auto counts = scheduler.queue().counts();
  struct Held {
    std::string_view what;
    std::size_t count = 0, most = 0;
  };
  const Held all[] = {
      {"pods in flight", counts.in_flight},
      {"events of pods in flight", counts.in_flight_events},
      {"bindings and preemptions", scheduler.in_flight()},
      {"claims in flight", scheduler.snapshot().objects().claims_in_flight().size()},
      {"events to write", engine.events_waiting()},
      {"statuses to write", engine.pod_statuses().counts().waiting},
      {"what-ifs to answer", engine.what_ifs().waiting()},
      {"reports to write", engine.reports().counts().waiting, refused},
      {"reports to delete", engine.retention().size(), store.all("schedulingreports").size()},
  };
  for (const auto& held : all) {
    if (held.count > held.most)
      return fmt::format("holds {} {}, and {} are there", held.count, held.what, held.most);
  }
  return std::nullopt;
}

}  // namespace podium::simulate
