#include "scheduler/cycle/metrics.h"

#include <utility>

namespace podium::cycle {
namespace {

prometheus::Histogram::BucketBoundaries exponential(double start, double factor, int count) {
  prometheus::Histogram::BucketBoundaries bounds;
  for (; count > 0; --count, start *= factor) bounds.push_back(start);
  return bounds;
}

auto attempt_buckets() { return exponential(0.001, 2, 15); }
auto sli_buckets() { return exponential(0.01, 2, 20); }
auto event_buckets() { return exponential(0.0001, 2, 12); }

// Source: k8s.io/kube-scheduler framework/types.go EventResource and ActionType.String.
const char* name_of(framework::Resource resource) {
  using enum framework::Resource;
  switch (resource) {
    case assigned_pod: return "AssignedPod";
    case unscheduled_pod: return "UnschedulablePod";
    case node: return "Node";
    case namespace_: return "Namespace";
    case service: return "Service";
    case persistent_volume: return "PersistentVolume";
    case persistent_volume_claim: return "PersistentVolumeClaim";
    case storage_class: return "storage.k8s.io/StorageClass";
    case csi_node: return "storage.k8s.io/CSINode";
    case csi_driver: return "storage.k8s.io/CSIDriver";
    case csi_storage_capacity: return "storage.k8s.io/CSIStorageCapacity";
    case volume_attachment: return "storage.k8s.io/VolumeAttachment";
    case wild_card: break;
  }
  return "*";
}

constexpr std::pair<framework::Action, const char*> kActions[] = {
    {framework::kAdd, "Add"},
    {framework::kDelete, "Delete"},
    {framework::kUpdateNodeAllocatable, "UpdateNodeAllocatable"},
    {framework::kUpdateNodeLabel, "UpdateNodeLabel"},
    {framework::kUpdateNodeTaint, "UpdateNodeTaint"},
    {framework::kUpdateNodeAnnotation, "UpdateNodeAnnotation"},
    {framework::kUpdateNodeDeclaredFeature, "UpdateNodeDeclaredFeature"},
    {framework::kUpdatePodLabel, "UpdatePodLabel"},
    {framework::kUpdatePodScaleDown, "UpdatePodScaleDown"},
    {framework::kUpdatePodTolerations, "UpdatePodToleration"},
    {framework::kUpdatePodGatesEliminated, "UpdatePodSchedulingGatesEliminated"},
    {framework::kUpdateOther, "Update"},
};

prometheus::Family<prometheus::Gauge>& gauges(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

prometheus::Family<prometheus::Histogram>& histograms(prometheus::Registry& registry, const char* name,
                                                      const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

constexpr auto kPending = "scheduler_pending_pods";
constexpr auto kPendingHelp = "Pods that wait, by the queue that they wait in.";
constexpr auto kCache = "scheduler_cache_size";
constexpr auto kCacheHelp = "Nodes, pods and assumed pods in the scheduler's cache.";

}  // namespace

Metrics::Metrics(prometheus::Registry& registry)
    : attempts_(prometheus::BuildCounter()
                    .Name("scheduler_schedule_attempts_total")
                    .Help("Attempts to schedule pods, by result: scheduled, unschedulable (no node fits), error.")
                    .Register(registry)),
      attempt_seconds_(histograms(registry, "scheduler_scheduling_attempt_duration_seconds",
                                  "Duration of an attempt to schedule a pod, with its binding.")),
      algorithm_seconds_(histograms(registry, "scheduler_scheduling_algorithm_duration_seconds",
                                    "Duration of filtering and scoring all nodes for one pod.")
                             .Add({}, attempt_buckets())),
      pod_attempts_(histograms(registry, "scheduler_pod_scheduling_attempts",
                               "Attempts that it took until a pod was bound.")
                        .Add({}, exponential(1, 2, 5))),
      sli_seconds_(histograms(registry, "scheduler_pod_scheduling_sli_duration_seconds",
                              "From a pod's first entry into the queue to its binding.")),
      preemption_attempts_(prometheus::BuildCounter()
                               .Name("scheduler_preemption_attempts_total")
                               .Help("Times that pods to evict were looked for.")
                               .Register(registry)
                               .Add({})),
      preemption_victims_(histograms(registry, "scheduler_preemption_victims", "Pods that a preemption evicts.")
                              .Add({}, exponential(1, 2, 7))),
      permit_wait_seconds_(histograms(registry, "scheduler_permit_wait_duration_seconds",
                                      "How long pods waited for a permit, by how it ended.")),
      event_seconds_(histograms(registry, "scheduler_event_handling_duration_seconds",
                                "How long it took to take in a change of the cluster, by what it was.")),
      active_(gauges(registry, kPending, kPendingHelp).Add({{"queue", "active"}})),
      backoff_(gauges(registry, kPending, kPendingHelp).Add({{"queue", "backoff"}})),
      unschedulable_(gauges(registry, kPending, kPendingHelp).Add({{"queue", "unschedulable"}})),
      gated_(gauges(registry, kPending, kPendingHelp).Add({{"queue", "gated"}})),
      cache_nodes_(gauges(registry, kCache, kCacheHelp).Add({{"type", "nodes"}})),
      cache_pods_(gauges(registry, kCache, kCacheHelp).Add({{"type", "pods"}})),
      cache_assumed_(gauges(registry, kCache, kCacheHelp).Add({{"type", "assumed_pods"}})) {}

void Metrics::attempt(const std::string& profile, const std::string& result, double seconds) {
  const prometheus::Labels labels{{"profile", profile}, {"result", result}};
  attempts_.Add(labels).Increment();
  attempt_seconds_.Add(labels, attempt_buckets()).Observe(seconds);
}

void Metrics::algorithm(double seconds) { algorithm_seconds_.Observe(seconds); }

void Metrics::bound(std::uint32_t attempts, double sli_seconds) {
  pod_attempts_.Observe(attempts);
  const auto label = attempts >= 15 ? std::string("15+") : std::to_string(attempts);
  sli_seconds_.Add({{"attempts", label}}, sli_buckets()).Observe(sli_seconds);
}

void Metrics::preemption_attempt() { preemption_attempts_.Increment(); }

void Metrics::preemption(std::size_t victims) { preemption_victims_.Observe(static_cast<double>(victims)); }

void Metrics::permit_wait(const std::string& result, double seconds) {
  permit_wait_seconds_.Add({{"result", result}}, attempt_buckets()).Observe(seconds);
}

void Metrics::event(framework::Resource resource, std::uint32_t actions, double seconds) {
  for (const auto& [action, name] : kActions) {
    if (!(actions & action)) continue;
    event_seconds_.Add({{"event", std::string(name_of(resource)) + name}}, event_buckets()).Observe(seconds);
  }
}

void Metrics::pending(const queue::QueueCounts& counts) {
  active_.Set(static_cast<double>(counts.active));
  backoff_.Set(static_cast<double>(counts.backoff));
  unschedulable_.Set(static_cast<double>(counts.unschedulable));
  gated_.Set(static_cast<double>(counts.gated));
}

void Metrics::cache(std::size_t nodes, std::size_t pods, std::size_t assumed) {
  cache_nodes_.Set(static_cast<double>(nodes));
  cache_pods_.Set(static_cast<double>(pods));
  cache_assumed_.Set(static_cast<double>(assumed));
}

}  // namespace podium::cycle
