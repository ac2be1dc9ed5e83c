// SchedulingReport (podium.dev/v1alpha1) as a value, and the projection of a Decision onto it.
//
// Every number comes from the Decision; nothing is computed a second time. Strings from the cluster are
// escaped where JSON needs it and cut at the schema's bounds.
// Threads: values and pure functions.
#pragma once

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "scheduler/framework/decision.h"
#include "scheduler/framework/recorder.h"

namespace podium::controller {

struct HostScore {
  std::string host;
  std::int64_t score = 0;
  bool operator==(const HostScore&) const = default;
};

struct ReportStrategy {
  std::string strategy;
  std::int64_t weight = 1;
  std::vector<HostScore> top_nodes;  // at most 5
};

struct ReportRejection {
  std::string plugin, reason;
  std::size_t nodes = 0;
  std::vector<std::string> examples;  // at most 3
};

struct ReportCondition {
  std::string type;  // Complete, Accepted
  bool is_true = true;
  std::string reason, message;
  Wall since{};  // lastTransitionTime
};

struct ReportStatus {
  std::string outcome;  // Scheduled, Unschedulable, Failed; for a what-if: Fits, PartlyFits, DoesNotFit
  std::string profile, node, message;
  std::optional<Wall> decided_at, expires_at;
  std::uint32_t attempts = 0;
  std::size_t nodes_total = 0, nodes_evaluated = 0, nodes_feasible = 0;
  std::vector<HostScore> top_nodes;  // at most 10, best first, ties by name
  std::vector<ReportStrategy> strategies;
  std::vector<ReportRejection> rejections;  // most nodes first
  struct Preempted {
    std::string node;
    std::vector<std::pair<std::string, std::string>> victims;  // namespace, name
    std::size_t other_victims = 0;  // of a what-if: those of other namespaces, which it does not name
  };
  std::optional<Preempted> preemption;
  std::chrono::nanoseconds queued{0}, evaluate{0}, bind{0};
  std::vector<std::string> placements;  // what-if with replicas: the node of each replica that fits, in order
  std::vector<ReportCondition> conditions;
  std::int64_t observed_generation = 1;
};

// What of the status the decision tells: all but outcome, times and durations of the binding.
ReportStatus project(const framework::Decision& decision, const cluster::Snapshot& snapshot);

// As a merge patch of .status: fields that this decision does not have are null. All of it is in `memory`.
boost::json::object to_json(const ReportStatus& status, boost::json::storage_ptr memory = {});

// Of what a reader would call the same report: all but attempts, times and durations.
std::uint64_t content_hash(const ReportStatus& status);

std::string format_duration(std::chrono::nanoseconds d);  // three digits and a unit: "41us", "1.2s"

}  // namespace podium::controller
