// Tallies: the queue's counts for metrics.
//
// Owner: SchedulingQueue. Threads: the scheduling strand.
// Source: queue_incoming_pods_total, queue_incoming_entities_total and unschedulable_pods in backend/queue.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace podium::queue {

// Upstream's names of events that are not cluster events.
inline constexpr std::string_view kAttemptFailed = "ScheduleAttemptFailure";
inline constexpr std::string_view kBackoffComplete = "BackoffComplete", kPopFromBackoff = "PopFromBackoffQ";
inline constexpr std::string_view kForceActivate = "ForceActivate",
                                  kUnschedulableTimeout = "UnschedulableTimeout";

struct Tallies {
  // Pods that entered a queue, by queue ("active", "backoff"; "unschedulable" includes gated) and event.
  // The keys view static strings.
  std::map<std::pair<std::string_view, std::string_view>, std::uint64_t> incoming;
  // The same, without the pods that entered the queue which their requeueing had chosen.
  std::map<std::pair<std::string_view, std::string_view>, std::uint64_t> incoming_entities;
  // Waiting pods by rejecting plugin and profile. Entries stay when they drop to 0.
  std::map<std::pair<std::string, std::string>, std::int64_t> rejected;

  // `chosen`: the queue that a requeueing chose, before PreEnqueue and the backoff decided; empty: none.
  // Source: recordIncomingEntitiesMetrics.
  void count_incoming(std::string_view queue, std::string_view event, std::string_view chosen) {
    ++incoming[{queue, event}];
    if (queue != chosen) ++incoming_entities[{queue, event}];
  }
  void count_rejected(const std::set<std::string>& plugins, const std::string& profile, std::int64_t by) {
    for (const auto& plugin : plugins) rejected[{plugin, profile}] += by;
  }
};

}  // namespace podium::queue
