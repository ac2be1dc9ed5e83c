// Metrics of the scheduling cycle, under kube-scheduler's names, labels and buckets; docs/parity-metrics.md
// lists all.
//
// Source: pkg/scheduler/metrics/metrics.go. Owner and thread rule: the scheduling strand; whoever collects
// the registry may do so from any thread.
#pragma once

#include <prometheus/registry.h>

#include <array>
#include <string>
#include <string_view>

#include "scheduler/cycle/labelled.h"
#include "scheduler/framework/event_labels.h"
#include "scheduler/queue/queue.h"

namespace podium::cycle {

struct PluginCalls;  // stop_watch.h

class Metrics {
 public:
  explicit Metrics(prometheus::Registry& registry);

  // result: "scheduled" (with its binding), "unschedulable" or "error"; seconds of the attempt.
  void attempt(const std::string& profile, const std::string& result, double seconds);
  void algorithm(double seconds);
  // point: "Filter"; status: "Success", "Unschedulable", … as upstream's codes.
  void extension_point(std::string_view point, std::string_view status, const std::string& profile,
                       double seconds);
  // One plugin at one of these points, for one pod: on all nodes where it is asked about nodes.
  void plugin(std::string_view plugin, std::string_view point, std::string_view status, double seconds);
  // A pod was bound: how many attempts it took, how long since it was first queued, and whether the last one
  // was owed to the flush.
  void bound(std::uint32_t attempts, double sli_seconds, bool was_flushed);
  void preemption_attempt();                // somebody to evict was looked for
  void preemption(std::size_t victims);     // and found; victims are to be deleted
  void evicted(bool well, double seconds);  // the requests of a preemption have ended
  // result: "Success", "Unschedulable" (rejected or timed out) or "Error"; of a pod that waited for a permit.
  void permit_wait(const std::string& result, double seconds);
  void event_handled(const framework::ClusterEvent& event, double seconds);
  // What is not counted as it happens; to be called before anybody looks.
  void queue(const queue::SchedulingQueue& queue);
  void plugin_calls(const PluginCalls& calls);
  void cache(std::size_t nodes, std::size_t pods, std::size_t assumed);
  void bindings(std::size_t under_way);

 private:
  Counters attempts_;
  Histograms attempt_seconds_;
  prometheus::Histogram& algorithm_seconds_;
  Histograms point_seconds_, plugin_seconds_;
  Counters plugin_calls_;
  prometheus::Histogram& pod_attempts_;
  Histograms sli_seconds_;
  prometheus::Counter& after_flush_;
  prometheus::Counter& preemption_attempts_;
  prometheus::Histogram& preemption_victims_;
  Counters evictions_;
  Histograms eviction_seconds_;
  Histograms permit_wait_seconds_;
  Histograms event_seconds_;
  std::array<prometheus::Histogram*, framework::kEventSlots> event_seconds_of_{};
  Counters incoming_;
  Gauges turned_down_, kept_events_, pending_, cache_size_, goroutines_;
};

}  // namespace podium::cycle
