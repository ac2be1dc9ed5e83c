#include "scheduler/cycle/metrics.h"

#include <array>
#include <vector>

#include "metrics/families.h"
#include "metrics/labelled.h"
#include "scheduler/cycle/stop_watch.h"
#include "scheduler/framework/event_labels.h"

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
using metrics::counters;
using metrics::Counters;
using metrics::gauges;
using metrics::Gauges;
using metrics::histograms;
using metrics::Histograms;
using prometheus::Counter;
using prometheus::Histogram;

}  // namespace

struct Metrics::Families {
  explicit Families(Registry& given) : registry(given) {
    for (const auto result : kBindEnds) bindings.with(result);
  }

  Registry& registry;
  Counters attempts{
      counters(registry, "scheduler_schedule_attempts_total",
               "Attempts to schedule a pod, by result: scheduled, unschedulable (no node fits), error."),
      {"profile", "result"}};
  Histograms attempt_seconds{histograms(registry, "scheduler_scheduling_attempt_duration_seconds",
                                        "Duration of an attempt to schedule a pod, including its binding."),
                             {"profile", "result"},
                             kAttempt};
  Histogram& algorithm_seconds = histograms(registry, "scheduler_scheduling_algorithm_duration_seconds",
                                            "Duration of filtering and scoring all nodes for one pod.")
                                     .Add({}, kAttempt);
  Histograms point_seconds{
      histograms(registry, "scheduler_framework_extension_point_duration_seconds",
                 "Duration of all plugins of one extension point for one pod, on all nodes."),
      {"extension_point", "status", "profile"},
      kPoint};
  Histograms plugin_seconds{histograms(registry, "scheduler_plugin_execution_duration_seconds",
                                       "Duration of one plugin at one extension point for one pod, on all "
                                       "nodes; sampled for one pod in ten."),
                            {"plugin", "extension_point", "status"},
                            kPlugin};
  Counters plugin_calls{counters(registry, "scheduler_plugin_evaluation_total",
                                 "Evaluations by a plugin: of pods at PreFilter and PreScore, of nodes at "
                                 "Filter and Score."),
                        {"plugin", "extension_point", "profile"}};
  Histogram& pod_attempts =
      histograms(registry, "scheduler_pod_scheduling_attempts", "Number of attempts until a pod was bound.")
          .Add({}, exponential(1, 2, 5));
  Histograms sli_seconds{
      histograms(registry, "scheduler_pod_scheduling_sli_duration_seconds",
                 "Time from a pod's first entry into the scheduling queue until it was bound."),
      {"attempts"},
      kLong};
  Counter& after_flush = counters(registry, "scheduler_pod_scheduled_after_flush_total",
                                  "Pods bound after the periodic flush of unschedulable pods, instead of an "
                                  "event, requeued them.")
                             .Add({});
  Counter& preemption_attempts =
      counters(registry, "scheduler_preemption_attempts_total", "Searches for pods to preempt.").Add({});
  Histogram& preemption_victims =
      histograms(registry, "scheduler_preemption_victims", "Number of pods that a preemption evicts.")
          .Add({}, exponential(1, 2, 7));
  Counters evictions{counters(registry, "scheduler_preemption_goroutines_execution_total",
                              "Preemptions whose API requests completed, by result: success, error."),
                     {"result"}};
  Histograms eviction_seconds{
      histograms(registry, "scheduler_preemption_goroutines_duration_seconds",
                 "Deprecated upstream since 1.37. Duration of the API requests of a preemption, by result: "
                 "success, error."),
      {"result"},
      kLong};
  Histograms permit_wait_seconds{histograms(registry, "scheduler_permit_wait_duration_seconds",
                                            "Duration of the wait of a pod at Permit, by result."),
                                 {"result"},
                                 kAttempt};
  Counters device_allocations{
      counters(registry, "scheduler_dra_bindingconditions_allocations_total",
               "Devices with binding conditions that a pod waited for, by result of the wait: success, "
               "failure, timeout, error."),
      {"profile", "driver", "status"}};
  Histograms device_wait_seconds{
      histograms(registry, "scheduler_dra_bindingconditions_wait_duration_seconds",
                 "Time that a pod waits for devices with binding conditions, once for each device."),
      {"profile", "driver", "status"},
      kDevices};
  Counters claims_created{counters(registry, "dynamic_resource_allocation_resourceclaim_creates_total",
                                   "Requests to create a ResourceClaim for the extended resources of a pod, "
                                   "by result: success, failure."),
                          {"status", "admin_access", "owner_api_group", "owner_api_kind"}};
  Histograms event_seconds{histograms(registry, "scheduler_event_handling_duration_seconds",
                                      "Time to handle a cluster event, by event."),
                           {"event"},
                           kPoint};
  std::array<Histogram*, framework::kEventSlots> event_seconds_of{};
  Counters bindings{counters(registry, "podium_bindings_total",
                             "Bindings that ended, by result: bound, elsewhere (the pod is gone, or another "
                             "scheduler placed it), rejected, not_sent (the lease was lost before the "
                             "request), unknown (podium stopped before it knew the outcome)."),
                    {"result"}};
  Counters incoming{counters(registry, "scheduler_queue_incoming_pods_total",
                             "Pods added to a queue, by queue and by the event that added them."),
                    {"queue", "event"}};
  Counters incoming_entities{
      counters(registry, "scheduler_queue_incoming_entities_total",
               "As scheduler_queue_incoming_pods_total, without the pods that a hint or a failed attempt "
               "sent to this queue."),
      {"queue", "event", "type"}};
  Gauges unschedulable{gauges(registry, "scheduler_unschedulable_pods",
                              "Unschedulable pods, by rejecting plugin; a pod counts once for each plugin "
                              "that rejects it."),
                       {"plugin", "profile"}};
  Gauges kept_events{gauges(registry, "scheduler_inflight_events",
                            "Events stored for the pods in flight, by event; PodPopped: the pods in flight."),
                     {"event"}};
  Gauges pending{gauges(registry, "scheduler_pending_pods", "Pending pods, by queue."), {"queue"}};
  Gauges entities{
      gauges(registry, "scheduler_queued_entities",
             "As scheduler_pending_pods: each pod is an entity, because podium does not schedule groups."),
      {"queue", "type"}};
  Gauges cache_size{
      gauges(registry, "scheduler_cache_size", "Nodes, pods and assumed pods in the scheduler's cache."),
      {"type"}};
  Gauges goroutines{
      gauges(registry, "scheduler_goroutines", "Pods between their scheduling decision and their binding."),
      {"operation"}};
};

Metrics::Metrics(Registry& registry) : families_(std::make_unique<Families>(registry)) {}

Metrics::~Metrics() = default;

void Metrics::attempt(const std::string& profile, const std::string& result, double seconds) {
  families_->attempts.with(profile, result).Increment();
  families_->attempt_seconds.with(profile, result).Observe(seconds);
}

void Metrics::algorithm(double seconds) { families_->algorithm_seconds.Observe(seconds); }

void Metrics::extension_point(std::string_view point, std::string_view status, const std::string& profile,
                              double seconds) {
  families_->point_seconds.with(point, status, profile).Observe(seconds);
}

void Metrics::plugin(std::string_view plugin, std::string_view point, std::string_view status,
                     double seconds) {
  families_->plugin_seconds.with(plugin, point, status).Observe(seconds);
}

void Metrics::bound(std::uint32_t attempts, double sli_seconds, bool was_flushed) {
  families_->pod_attempts.Observe(attempts);
  const auto label = attempts >= 15 ? std::string("15+") : std::to_string(attempts);
  families_->sli_seconds.with(label).Observe(sli_seconds);
  if (was_flushed) families_->after_flush.Increment();
}

void Metrics::preemption_attempt() { families_->preemption_attempts.Increment(); }

void Metrics::preemption(std::size_t victims) {
  families_->preemption_victims.Observe(static_cast<double>(victims));
}

void Metrics::evicted(bool succeeded, double seconds) {
  const std::string_view result = succeeded ? "success" : "error";
  families_->evictions.with(result).Increment();
  families_->eviction_seconds.with(result).Observe(seconds);
}

void Metrics::binding_ended(BindEnd end) {
  families_->bindings.with(kBindEnds.at(static_cast<std::size_t>(end))).Increment();
}

void Metrics::permit_wait(const std::string& result, double seconds) {
  families_->permit_wait_seconds.with(result).Observe(seconds);
}

void Metrics::device_wait(const std::string& profile, const std::vector<framework::AwaitedDevice>& devices,
                          framework::Progress::State end, double seconds) {
  const auto status = kWaitEnds.at(static_cast<std::size_t>(end));
  for (const auto& device : devices) {
    families_->device_wait_seconds.with(profile, device.driver, status).Observe(seconds);
    if (device.has_conditions) families_->device_allocations.with(profile, device.driver, status).Increment();
  }
}

// The claims of extended resources ask for no admin access and belong to their pod.
void Metrics::claim_created(bool succeeded) {
  families_->claims_created.with(succeeded ? "success" : "failure", "false", "", "Pod").Increment();
}

void Metrics::event_handled(const framework::ClusterEvent& event, double seconds) {
  framework::each_event_slot(event, [&](std::size_t slot) {
    auto*& histogram = families_->event_seconds_of[slot];
    if (!histogram) histogram = &families_->event_seconds.with(framework::event_label(slot));
    histogram->Observe(seconds);
  });
}

void Metrics::queue(const queue::SchedulingQueue& queue) {
  const auto counts = queue.counts();
  const auto pending = [this](std::string_view name, std::size_t count) {
    families_->pending.with(name).Set(static_cast<double>(count));
    families_->entities.with(name, "pod").Set(static_cast<double>(count));
  };
  pending("active", counts.active);
  pending("backoff", counts.backoff);
  pending("unschedulable", counts.unschedulable);
  pending("gated", counts.gated);
  for (const auto of_groups : {"incomplete", "pending"}) families_->pending.with(of_groups).Set(0);
  const auto copy = [](Counter& counter, std::uint64_t count) {
    counter.Increment(static_cast<double>(count) - counter.Value());
  };
  for (const auto& [key, count] : queue.tallies().incoming)
    copy(families_->incoming.with(key.first, key.second), count);
  for (const auto& [key, count] : queue.tallies().incoming_entities)
    copy(families_->incoming_entities.with(key.first, key.second, "pod"), count);
  for (const auto& [key, count] : queue.tallies().rejected) {
    families_->unschedulable.with(key.first, key.second).Set(static_cast<double>(count));
  }
  queue.each_in_flight_event([&](std::string_view label, std::size_t number) {
    families_->kept_events.with(label).Set(static_cast<double>(number));
  });
}

void Metrics::plugin_calls(const PluginCalls& calls) {
  for (std::size_t phase = 0; phase < calls.times.size(); ++phase) {
    const auto which = static_cast<framework::Phase>(phase);
    for (std::size_t index = 0; index < calls.times[phase].size(); ++index) {
      auto& counter = families_->plugin_calls.with(plugin_name(calls.profile, which, index),
                                                   extension_point_name(which), calls.profile.scheduler_name);
      counter.Increment(static_cast<double>(calls.times[phase][index]) - counter.Value());
    }
  }
}

void Metrics::cache(std::size_t nodes, std::size_t pods, std::size_t assumed) {
  const auto size = [&](std::string_view type, std::size_t count) {
    families_->cache_size.with(type).Set(static_cast<double>(count));
  };
  size("nodes", nodes);
  size("pods", pods);
  size("assumed_pods", assumed);
}

void Metrics::bindings(std::size_t in_flight) {
  families_->goroutines.with(std::string_view("binding")).Set(static_cast<double>(in_flight));
}

}  // namespace podium::cycle
