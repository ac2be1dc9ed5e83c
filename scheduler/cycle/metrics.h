// Metrics of the scheduling cycle, under kube-scheduler's names, labels and buckets.
//
// Source: pkg/scheduler/metrics/metrics.go. Threads: prometheus-cpp's metrics are safe to use from any thread.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstdint>
#include <string>

#include "scheduler/framework/events.h"
#include "scheduler/queue/queue.h"

namespace podium::cycle {

class Metrics {
 public:
  explicit Metrics(prometheus::Registry& registry);

  // result: "scheduled" (with its binding), "unschedulable" or "error"; seconds of the attempt.
  void attempt(const std::string& profile, const std::string& result, double seconds);
  void algorithm(double seconds);
  // A pod was bound: how many attempts it took and how long since it was first queued.
  void bound(std::uint32_t attempts, double sli_seconds);
  void preemption_attempt();            // somebody to evict was looked for
  void preemption(std::size_t victims);  // and found; victims are to be deleted
  // result: "Success", "Unschedulable" (rejected or timed out) or "Error"; of a pod that waited for a permit.
  void permit_wait(const std::string& result, double seconds);
  // A change of the cluster has been taken in; one observation for each action, or none.
  void event(framework::Resource resource, std::uint32_t actions, double seconds);
  void pending(const queue::QueueCounts& counts);
  void cache(std::size_t nodes, std::size_t pods, std::size_t assumed);

 private:
  prometheus::Family<prometheus::Counter>& attempts_;
  prometheus::Family<prometheus::Histogram>& attempt_seconds_;
  prometheus::Histogram& algorithm_seconds_;
  prometheus::Histogram& pod_attempts_;
  prometheus::Family<prometheus::Histogram>& sli_seconds_;
  prometheus::Counter& preemption_attempts_;
  prometheus::Histogram& preemption_victims_;
  prometheus::Family<prometheus::Histogram>&permit_wait_seconds_, &event_seconds_;
  prometheus::Gauge &active_, &backoff_, &unschedulable_, &gated_, &cache_nodes_, &cache_pods_, &cache_assumed_;
};

}  // namespace podium::cycle
