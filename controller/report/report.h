// The status of a SchedulingReport (podium.dev/v1alpha1) as a value, and its projection from a Decision.
//
// Every number is copied from the Decision; nothing is decided again. Lists are cut at the bounds of the
// CRD's schema and keep their true totals. bounds.h bounds the size of the whole.
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
#include "controller/report/answer.h"
#include "scheduler/framework/decision.h"
#include "scheduler/framework/recorder.h"

namespace podium::controller {

struct NodeScore {
  std::string node;
  std::int64_t score = 0;
  bool operator==(const NodeScore&) const = default;
};

struct TopNode {
  std::string node;
  std::int64_t score = 0;  // the sum of weight * strategy score
  std::vector<std::int64_t> strategy_scores =
      {};  // before the weight, in the order of ReportStatus::strategies
  bool operator==(const TopNode&) const = default;
};

struct ReportStrategy {
  std::string name;
  std::int64_t weight = 1;
  std::vector<NodeScore> top_nodes;  // at most 5
};

struct ReportChoice {
  std::string node;
  std::optional<std::int64_t> score = {};   // nullopt: the node was not scored
  std::size_t tied_nodes = 0;               // feasible nodes with this score, itself included
  std::optional<std::int64_t> margin = {};  // to the best lower score; nullopt: there is none
};

struct ReportCondition {
  std::string type;  // Complete or Accepted
  bool is_true = true;
  std::string reason, message;
  Wall since{};  // lastTransitionTime
};

// An earlier attempt.
struct ReportAttempt {
  Wall at{};
  std::string outcome, reason;  // reason: the one that held most nodes, or the error
  std::size_t nodes = 0;        // how many nodes it held
};

struct ReportStatus {
  // Scheduled, Unschedulable, Failed or Gated; for a what-if: Fits, PartlyFits, DoesNotFit or Refused.
  std::string outcome;
  std::string profile, message;
  std::optional<ReportChoice> choice;
  std::optional<Wall> decided_at, expires_at;
  std::uint32_t attempts = 0;
  NodeCounts node_counts;
  std::vector<ReportStrategy> strategies;
  std::vector<TopNode> top_nodes;           // at most 10: the choice, then best first, ties by name
  std::vector<ReportRejection> rejections;  // at most 16, most nodes first
  std::size_t rejections_total = 0;
  std::vector<framework::GivenDevice> devices;  // at most 32: what the pod's claims get
  std::size_t devices_total = 0;
  struct Preempted {
    std::string node;
    std::vector<std::pair<std::string, std::string>> victims;  // at most 16: namespace, name
    std::size_t total = 0;  // of all victims; a what-if names none of other namespaces
  };
  std::optional<Preempted> preemption;
  std::vector<std::string> scheduling_gates;  // of a gated pod
  std::vector<ReportAttempt> history;         // at most 5, newest first
  std::chrono::nanoseconds queued{0}, evaluate{0}, bind{0};
  std::uint64_t pods_version = 0;      // Snapshot::pods_version(); 0: unknown
  std::optional<ReportAnswer> answer;  // of a what-if
  std::vector<ReportCondition> conditions;
  std::int64_t observed_generation = 1;
};

inline constexpr const char* kRefused = "Refused";

// The fields that follow from the decision on this pod: all but outcome, profile, attempts, times,
// history, answer and conditions.
ReportStatus project(const cluster::PodInfo& pod, const framework::Decision& decision,
                     const cluster::Snapshot& snapshot);

// The same for a pod that a PreEnqueue plugin keeps out of the queue.
ReportStatus project_gated(const cluster::PodInfo& pod, const framework::Verdict& gate);

// .status without the fields that are absent. All values are allocated in `memory`.
boost::json::object to_json(const ReportStatus& status, boost::json::storage_ptr memory = {});
// A merge patch of .status: the same, and null for each field that an earlier status may have.
boost::json::object to_merge_patch(const ReportStatus& status);

// Hash of what is worth a rewrite: outcome, reasons, choice, victims and gates. Not of counters: attempts,
// times, and numbers and examples of nodes, which also the message of an unschedulable pod consists of.
std::uint64_t content_hash(const ReportStatus& status);

// Cuts a text to that many bytes, between characters: the API server refuses invalid UTF-8.
std::string cut(std::string text, std::size_t bytes);

}  // namespace podium::controller
