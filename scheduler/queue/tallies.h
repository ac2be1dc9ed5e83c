// Tallies: what the queue counts for metrics.
//
// Owner: SchedulingQueue. Threads: the scheduling strand.
// Source: where backend/queue touches queue_incoming_pods_total and unschedulable_pods.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace podium::queue {

// Events beside those of the cluster, by the names that upstream gives them.
inline constexpr std::string_view kAttemptFailed = "ScheduleAttemptFailure";
inline constexpr std::string_view kBackoffComplete = "BackoffComplete", kPopFromBackoff = "PopFromBackoffQ";
inline constexpr std::string_view kForceActivate = "ForceActivate",
                                  kUnschedulableTimeout = "UnschedulableTimeout";

struct Tallies {
  // Pods that came to a queue ("active", "backoff", "unschedulable": also gated ones) because of an event.
  // Views of static texts.
  std::map<std::pair<std::string_view, std::string_view>, std::uint64_t> incoming;
  // Pods that wait and were turned down by a plugin, by plugin and profile; those that wait for none any more
  // stay at 0.
  std::map<std::pair<std::string, std::string>, std::int64_t> rejected;

  void count_incoming(std::string_view queue, std::string_view event) { ++incoming[{queue, event}]; }
  void count_rejected(const std::set<std::string>& plugins, const std::string& profile, std::int64_t by) {
    for (const auto& plugin : plugins) rejected[{plugin, profile}] += by;
  }
};

}  // namespace podium::queue
