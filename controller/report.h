// The status of a SchedulingReport (podium.dev/v1alpha1) as a value, and its projection from a Decision.
//
// Every number is copied from the Decision; nothing is recomputed. Strings and lists are cut at the
// bounds of the CRD's schema.
//
// Threads: values and pure functions. Errors: none.
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
  std::string type;  // Complete or Accepted
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
    std::size_t other_victims = 0;  // what-ifs only: number of victims in other namespaces, not named
  };
  std::optional<Preempted> preemption;
  std::chrono::nanoseconds queued{0}, evaluate{0}, bind{0};
  std::vector<std::string> placements;  // what-if with replicas: node of each replica that fits, in order
  std::vector<ReportCondition> conditions;
  std::int64_t observed_generation = 1;
};

// The fields that follow from the decision: all but outcome, profile, attempts, times,
// durations and conditions.
ReportStatus project(const framework::Decision& decision, const cluster::Snapshot& snapshot);

// A merge patch of .status: absent fields are null. All values are allocated in `memory`.
boost::json::object to_json(const ReportStatus& status, boost::json::storage_ptr memory = {});

// Hash of everything but attempts, times, durations and placements: equal reports need no rewrite.
std::uint64_t content_hash(const ReportStatus& status);

std::string format_duration(std::chrono::nanoseconds d);  // three digits and a unit: "41us", "1.2s"

}  // namespace podium::controller
