#include "scheduler/cycle/metrics.h"

#include "metrics/families.h"
#include "scheduler/cycle/stop_watch.h"

namespace podium::cycle {
namespace {

using Bounds = prometheus::Histogram::BucketBoundaries;

Bounds exponential(double start, double factor, int count) {
  Bounds bounds;
  for (; count > 0; --count, start *= factor) bounds.push_back(start);
  return bounds;
}

const Bounds kAttempt = exponential(0.001, 2, 15), kPoint = exponential(0.0001, 2, 12),
             kLong = exponential(0.01, 2, 20), kDevices = exponential(0.1, 2, 14),
             kPlugin = exponential(0.00001, 1.5, 20);

// In the order of BindEnd.
constexpr std::array<std::string_view, 5> kBindEnds{"bound", "elsewhere", "rejected", "not_sent", "unknown"};

// In the order of Progress::State. Source: metrics.go BindingConditionsStatusSuccess.
constexpr std::array<std::string_view, 5> kWaitEnds{"success", "", "failure", "timeout", "error"};

using Registry = prometheus::Registry;
using Names = std::vector<std::string>;
using metrics::counters;
using metrics::gauges;
using metrics::histograms;

}  // namespace

Metrics::Metrics(Registry& registry)
    : attempts_(
          counters(registry, "scheduler_schedule_attempts_total",
                   "Attempts to schedule pods, by result: scheduled, unschedulable (no node fits), error."),
          Names{"profile", "result"}),
      attempt_seconds_(histograms(registry, "scheduler_scheduling_attempt_duration_seconds",
                                  "Duration of an attempt to schedule a pod, with its binding."),
                       Names{"profile", "result"}, kAttempt),
      algorithm_seconds_(histograms(registry, "scheduler_scheduling_algorithm_duration_seconds",
                                    "Duration of filtering and scoring all nodes for one pod.")
                             .Add({}, kAttempt)),
      point_seconds_(histograms(registry, "scheduler_framework_extension_point_duration_seconds",
                                "Duration of all plugins of one extension point for one pod, on all nodes."),
                     Names{"extension_point", "status", "profile"}, kPoint),
      plugin_seconds_(histograms(registry, "scheduler_plugin_execution_duration_seconds",
                                 "Duration of one plugin at one extension point for one pod, on all nodes; "
                                 "of one pod in ten."),
                      Names{"plugin", "extension_point", "status"}, kPlugin),
      plugin_calls_(counters(registry, "scheduler_plugin_evaluation_total",
                             "Pods that a plugin was asked about at PreFilter and PreScore, nodes at Filter "
                             "and Score."),
                    Names{"plugin", "extension_point", "profile"}),
      pod_attempts_(histograms(registry, "scheduler_pod_scheduling_attempts",
                               "Attempts that it took until a pod was bound.")
                        .Add({}, exponential(1, 2, 5))),
      sli_seconds_(histograms(registry, "scheduler_pod_scheduling_sli_duration_seconds",
                              "From a pod's first entry into the queue to its binding."),
                   Names{"attempts"}, kLong),
      after_flush_(counters(registry, "scheduler_pod_scheduled_after_flush_total",
                            "Pods that no event brought back and that were bound when they were tried again.")
                       .Add({})),
      preemption_attempts_(counters(registry, "scheduler_preemption_attempts_total",
                                    "Times that pods to evict were looked for.")
                               .Add({})),
      preemption_victims_(
          histograms(registry, "scheduler_preemption_victims", "Pods that a preemption evicts.")
              .Add({}, exponential(1, 2, 7))),
      evictions_(counters(registry, "scheduler_preemption_goroutines_execution_total",
                          "Preemptions whose requests have ended, by result: success, error."),
                 Names{"result"}),
      eviction_seconds_(
          histograms(registry, "scheduler_preemption_goroutines_duration_seconds",
                     "Deprecated upstream since 1.37. Duration of the requests of a preemption, by "
                     "result: success, error."),
          Names{"result"}, kLong),
      permit_wait_seconds_(histograms(registry, "scheduler_permit_wait_duration_seconds",
                                      "How long pods waited for a permit, by how it ended."),
                           Names{"result"}, kAttempt),
      device_allocations_(
          counters(registry, "scheduler_dra_bindingconditions_allocations_total",
                   "Devices with binding conditions that a pod waited for, by how the wait ended: success, "
                   "failure, timeout, error."),
          Names{"profile", "driver", "status"}),
      device_wait_seconds_(
          histograms(registry, "scheduler_dra_bindingconditions_wait_duration_seconds",
                     "How long a pod waited for devices with binding conditions, for each of its devices."),
          Names{"profile", "driver", "status"}, kDevices),
      claims_created_(counters(registry, "dynamic_resource_allocation_resourceclaim_creates_total",
                               "ResourceClaims to create for extended resources of pods, by how the request "
                               "ended: success, failure."),
                      Names{"status", "admin_access", "owner_api_group", "owner_api_kind"}),
      event_seconds_(histograms(registry, "scheduler_event_handling_duration_seconds",
                                "Duration of taking in a change of the cluster, by what has changed."),
                     Names{"event"}, kPoint),
      bindings_(counters(registry, "podium_bindings_total",
                         "Bindings that ended, by result: bound, elsewhere (gone, or placed by another), "
                         "rejected, not_sent (the lease was lost before), unknown (stopped in doubt)."),
                Names{"result"}),
      incoming_(counters(registry, "scheduler_queue_incoming_pods_total",
                         "Pods that came to a queue, by the queue and the event that brought them."),
                Names{"queue", "event"}),
      incoming_entities_(
          counters(registry, "scheduler_queue_incoming_entities_total",
                   "As scheduler_queue_incoming_pods_total, without the pods that were requeued to "
                   "where a hint or a failed attempt sends them."),
          Names{"queue", "event", "type"}),
      unschedulable_(
          gauges(
              registry, "scheduler_unschedulable_pods",
              "Pods that wait, by a plugin that turned them down; a pod counts for each of those plugins."),
          Names{"plugin", "profile"}),
      kept_events_(gauges(registry, "scheduler_inflight_events",
                          "Events that are kept for pods in flight, by kind; PodPopped: those pods."),
                   Names{"event"}),
      pending_(gauges(registry, "scheduler_pending_pods", "Pods that wait, by the queue that they wait in."),
               Names{"queue"}),
      entities_(
          gauges(registry, "scheduler_queued_entities",
                 "As scheduler_pending_pods: each pod is an entity, because podium schedules no groups."),
          Names{"queue", "type"}),
      cache_size_(
          gauges(registry, "scheduler_cache_size", "Nodes, pods and assumed pods in the scheduler's cache."),
          Names{"type"}),
      goroutines_(gauges(registry, "scheduler_goroutines", "Pods between their decision and their binding."),
                  Names{"operation"}) {
  for (const auto result : kBindEnds) bindings_.with(result);
}

void Metrics::attempt(const std::string& profile, const std::string& result, double seconds) {
  attempts_.with(profile, result).Increment();
  attempt_seconds_.with(profile, result).Observe(seconds);
}

void Metrics::algorithm(double seconds) { algorithm_seconds_.Observe(seconds); }

void Metrics::extension_point(std::string_view point, std::string_view status, const std::string& profile,
                              double seconds) {
  point_seconds_.with(point, status, profile).Observe(seconds);
}

void Metrics::plugin(std::string_view plugin, std::string_view point, std::string_view status,
                     double seconds) {
  plugin_seconds_.with(plugin, point, status).Observe(seconds);
}

void Metrics::bound(std::uint32_t attempts, double sli_seconds, bool was_flushed) {
  pod_attempts_.Observe(attempts);
  const auto label = attempts >= 15 ? std::string("15+") : std::to_string(attempts);
  sli_seconds_.with(label).Observe(sli_seconds);
  if (was_flushed) after_flush_.Increment();
}

void Metrics::preemption_attempt() { preemption_attempts_.Increment(); }

void Metrics::preemption(std::size_t victims) { preemption_victims_.Observe(static_cast<double>(victims)); }

void Metrics::evicted(bool well, double seconds) {
  const std::string_view result = well ? "success" : "error";
  evictions_.with(result).Increment();
  eviction_seconds_.with(result).Observe(seconds);
}

void Metrics::binding_ended(BindEnd end) {
  bindings_.with(kBindEnds.at(static_cast<std::size_t>(end))).Increment();
}

void Metrics::permit_wait(const std::string& result, double seconds) {
  permit_wait_seconds_.with(result).Observe(seconds);
}

void Metrics::device_wait(const std::string& profile, const std::vector<framework::AwaitedDevice>& devices,
                          framework::Progress::State end, double seconds) {
  const auto status = kWaitEnds.at(static_cast<std::size_t>(end));
  for (const auto& device : devices) {
    device_wait_seconds_.with(profile, device.driver, status).Observe(seconds);
    if (device.has_conditions) device_allocations_.with(profile, device.driver, status).Increment();
  }
}

// The claims of extended resources ask for no admin access and belong to their pod.
void Metrics::claim_created(bool well) {
  claims_created_.with(well ? "success" : "failure", "false", "", "Pod").Increment();
}

void Metrics::event_handled(const framework::ClusterEvent& event, double seconds) {
  framework::each_event_slot(event, [&](std::size_t slot) {
    auto*& histogram = event_seconds_of_[slot];
    if (!histogram) histogram = &event_seconds_.with(framework::event_label(slot));
    histogram->Observe(seconds);
  });
}

void Metrics::queue(const queue::SchedulingQueue& queue) {
  const auto counts = queue.counts();
  const auto pending = [this](std::string_view name, std::size_t count) {
    pending_.with(name).Set(static_cast<double>(count));
    entities_.with(name, "pod").Set(static_cast<double>(count));
  };
  pending("active", counts.active);
  pending("backoff", counts.backoff);
  pending("unschedulable", counts.unschedulable);
  pending("gated", counts.gated);
  for (const auto of_groups : {"incomplete", "pending"}) pending_.with(of_groups).Set(0);
  const auto copy = [](prometheus::Counter& counter, std::uint64_t count) {
    counter.Increment(static_cast<double>(count) - counter.Value());
  };
  for (const auto& [key, count] : queue.tallies().incoming)
    copy(incoming_.with(key.first, key.second), count);
  for (const auto& [key, count] : queue.tallies().incoming_entities)
    copy(incoming_entities_.with(key.first, key.second, "pod"), count);
  for (const auto& [key, count] : queue.tallies().rejected) {
    unschedulable_.with(key.first, key.second).Set(static_cast<double>(count));
  }
  queue.each_in_flight_event([&](std::string_view label, std::size_t number) {
    kept_events_.with(label).Set(static_cast<double>(number));
  });
}

void Metrics::plugin_calls(const PluginCalls& calls) {
  for (std::size_t phase = 0; phase < calls.times.size(); ++phase) {
    const auto which = static_cast<framework::Phase>(phase);
    for (std::size_t index = 0; index < calls.times[phase].size(); ++index) {
      auto& counter = plugin_calls_.with(plugin_name(calls.profile, which, index),
                                         extension_point_name(which), calls.profile.scheduler_name);
      counter.Increment(static_cast<double>(calls.times[phase][index]) - counter.Value());
    }
  }
}

void Metrics::cache(std::size_t nodes, std::size_t pods, std::size_t assumed) {
  const auto size = [&](std::string_view type, std::size_t count) {
    cache_size_.with(type).Set(static_cast<double>(count));
  };
  size("nodes", nodes);
  size("pods", pods);
  size("assumed_pods", assumed);
}

void Metrics::bindings(std::size_t under_way) {
  goroutines_.with(std::string_view("binding")).Set(static_cast<double>(under_way));
}

}  // namespace podium::cycle
