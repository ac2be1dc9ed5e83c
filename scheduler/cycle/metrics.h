// Metrics of the scheduling cycle, with kube-scheduler's names, labels and buckets.
// docs/parity-metrics.md lists all of them. podium_bindings_total is podium's own (docs/metrics.md).
//
// Owner: the Engine. Threads: the scheduling strand; the registry may be collected from any thread. All
// durations are in seconds. Source: pkg/scheduler/metrics/metrics.go.
#pragma once

#include <prometheus/registry.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/cycle/seams.h"
#include "scheduler/queue/queue.h"

namespace podium::cycle {

struct PluginCalls;  // stop_watch.h

class Metrics {
 public:
  explicit Metrics(prometheus::Registry& registry);
  ~Metrics();
  Metrics(const Metrics&) = delete;

  // result: "scheduled" (the time includes binding), "unschedulable" or "error".
  void attempt(const std::string& profile, const std::string& result, double seconds);
  void algorithm(double seconds);
  // point: such as "Filter"; status: an upstream code such as "Success" or "Unschedulable".
  void extension_point(std::string_view point, std::string_view status, const std::string& profile,
                       double seconds);
  // One plugin at one extension point for one pod; for Filter and Score, on all nodes.
  void plugin(std::string_view plugin, std::string_view point, std::string_view status, double seconds);
  // A pod was bound. sli_seconds: since it was first queued; was_flushed: the last attempt was due to the
  // periodic flush of unschedulable pods.
  void bound(std::uint32_t attempts, double sli_seconds, bool was_flushed);
  void preemption_attempt();                     // a search for victims
  void preemption(std::size_t victims);          // a search that found victims
  void evicted(bool succeeded, double seconds);  // a preemption's requests have completed
  void binding_ended(BindEnd end);
  // End of a Permit wait. result: "Success", "Unschedulable" (rejected or timed out) or "Error".
  void permit_wait(const std::string& result, double seconds);
  // A PreBind wait for devices has ended.
  void device_wait(const std::string& profile, const std::vector<framework::AwaitedDevice>& devices,
                   framework::Progress::State end, double seconds);
  void claim_created(bool succeeded);  // the request to create a ResourceClaim has completed
  void event_handled(const framework::ClusterEvent& event, double seconds);
  // Gauges and counters that are only copied here; call before each collection.
  void queue(const queue::SchedulingQueue& queue);
  void plugin_calls(const PluginCalls& calls);
  void cache(std::size_t nodes, std::size_t pods, std::size_t assumed);
  void bindings(std::size_t in_flight);

 private:
  struct Families;
  const std::unique_ptr<Families> families_;
};

}  // namespace podium::cycle
