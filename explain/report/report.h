// The status of a SchedulingReport (podium.dev/v1alpha1) as a value, with the names of its fields in JSON.
//
// The only model of a report: podium fills it; the terminal, the API and the tests read it. project.h creates
// it from a decision, json.h writes and reads it, bounds.h bounds its size. A test compares the fields with
// the CRD.
//
// Threads: values. Errors: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/finding.h"
#include "base/instant.h"
#include "explain/report/what_if_parts.h"

namespace podium::explain {

struct NodeScore {
  std::string node;
  std::int64_t score = 0;
  bool operator==(const NodeScore&) const = default;
};
template <>
struct Fields<NodeScore> {
  static constexpr FieldList all{
      required("nodeName", &NodeScore::node, Meaning::node),
      required("score", &NodeScore::score),
  };
};

struct TopNode {
  std::string node;
  std::int64_t score = 0;  // the sum of weight * strategy score
  std::vector<std::int64_t> strategy_scores =
      {};  // before the weight, in the order of ReportStatus::strategies
  bool operator==(const TopNode&) const = default;
};
template <>
struct Fields<TopNode> {
  static constexpr FieldList all{
      required("nodeName", &TopNode::node, Meaning::node),
      required("score", &TopNode::score),
      field("strategyScores", &TopNode::strategy_scores, {.items = 32}),
  };
};

struct NodeLead {
  std::string node;
  std::int64_t lead = 0;  // over the chosen node
};
template <>
struct Fields<NodeLead> {
  static constexpr FieldList all{
      required("nodeName", &NodeLead::node, Meaning::node),
      required("lead", &NodeLead::lead),
  };
};

struct ReportStrategy {
  std::string name;
  std::int64_t weight = 1;
  std::vector<NodeScore> top_nodes;      // at most 5
  std::optional<NodeLead> without = {};  // the node that would win without this strategy; nullopt: the choice
};
template <>
struct Fields<ReportStrategy> {
  static constexpr FieldList all{
      required("name", &ReportStrategy::name, Meaning::name),
      required("weight", &ReportStrategy::weight),
      required("topNodes", &ReportStrategy::top_nodes, {.items = 5}),
      field("without", &ReportStrategy::without),
  };
};

struct ReportChoice {
  std::string node;
  std::optional<std::int64_t> score = {};   // nullopt: the node was not scored
  std::size_t tied_nodes = 0;               // feasible nodes with this score, itself included
  std::optional<std::int64_t> margin = {};  // to the best lower score; nullopt: there is none
};
template <>
struct Fields<ReportChoice> {
  static constexpr FieldList all{
      required("nodeName", &ReportChoice::node, Meaning::node),
      field("score", &ReportChoice::score),
      field("tiedNodes", &ReportChoice::tied_nodes),
      field("margin", &ReportChoice::margin),
  };
};

// "True" or "False" in JSON.
struct Truth {
  bool is = false;
  Truth(bool value = false) : is(value) {}
  operator bool() const { return is; }
};

struct ReportCondition {
  std::string type;  // Complete or Accepted
  Truth is_true = true;
  std::string reason, message;
  Wall since{};  // lastTransitionTime
  std::int64_t observed_generation = 1;
};
template <>
struct Fields<ReportCondition> {
  static constexpr FieldList all{
      required("type", &ReportCondition::type, {.bytes = 316}),
      required("status", &ReportCondition::is_true),
      required("reason", &ReportCondition::reason, {.bytes = 1024}),
      required("message", &ReportCondition::message, Meaning::text, {.bytes = 8192}),
      required("observedGeneration", &ReportCondition::observed_generation),
      required("lastTransitionTime", &ReportCondition::since),
  };
};

// An earlier attempt.
struct ReportAttempt {
  std::optional<Wall> at;
  std::string outcome, reason;  // reason: of the main rejection, or the error
  std::size_t nodes = 0;        // how many nodes it rejected
  std::string code;             // of the reason; empty: an error
  framework::Topics about = {};
};
template <>
struct Fields<ReportAttempt> {
  static constexpr FieldList all{
      field("at", &ReportAttempt::at),
      required("outcome", &ReportAttempt::outcome, {.bytes = 63}),
      field("reason", &ReportAttempt::reason, Meaning::text),
      field("nodeCount", &ReportAttempt::nodes),
      field("code", &ReportAttempt::code, {.bytes = 63}),
      field("about", &ReportAttempt::about),
  };
};

// A time during which the pod was gated.
struct GatedTime {
  std::optional<Wall> since, until = {};  // until: nullopt: still
  std::vector<std::string> by = {};       // gates, or the plugin and its reason; at most 16
};
template <>
struct Fields<GatedTime> {
  static constexpr FieldList all{
      field("since", &GatedTime::since),
      field("until", &GatedTime::until),
      field("by", &GatedTime::by, Meaning::text, {.items = 16}),
  };
};

struct NamespacedName {
  std::string ns, name;

  std::string text() const { return ns + "/" + name; }
  bool operator==(const NamespacedName&) const = default;
};
template <>
struct Fields<NamespacedName> {
  static constexpr FieldList all{
      required("namespace", &NamespacedName::ns, {.bytes = 63}),
      required("name", &NamespacedName::name),
  };
};

// As many pods as a node can have in practice, so that each victim finds its reason.
inline constexpr std::size_t kVictims = 256, kViolatedBudgets = 8;

// The pods that preemption evicts for the pod.
struct Preempted {
  std::string node;
  std::vector<NamespacedName> victims;  // at most kVictims; a what-if omits other namespaces
  std::size_t total = 0;                // of all victims
  std::size_t static_pods = 0;          // of all victims: their kubelet runs them again
  // Only decisions have it. Later attempts of the pod repeat this preemption until the pod is placed.
  std::optional<Wall> decided_at = {};
  // The PodDisruptionBudgets that the victims violate, those of the pod's namespace first; at most
  // kViolatedBudgets. A what-if omits other namespaces.
  std::vector<NamespacedName> violated_budgets = {};
  std::size_t violated_budgets_total = 0;
};
template <>
struct Fields<Preempted> {
  static constexpr FieldList all{
      required("nodeName", &Preempted::node, Meaning::node),
      required("victims", &Preempted::victims, {.items = kVictims}),
      required("victimsTotal", &Preempted::total),
      field("staticPods", &Preempted::static_pods),
      field("decidedAt", &Preempted::decided_at),
      counted("violatedBudgets", &Preempted::violated_budgets, "violatedBudgetsTotal",
              &Preempted::violated_budgets_total, {.items = kViolatedBudgets}),
  };
};

// Another pod of the pod's DaemonSet, on the node that the pod is for. The DaemonSet deletes it once the pod
// is ready (maxSurge), or it terminates already.
struct PodBefore {
  std::string name, node;
  bool terminates = false;
};
template <>
struct Fields<PodBefore> {
  static constexpr FieldList all{
      required("name", &PodBefore::name),
      required("nodeName", &PodBefore::node, Meaning::node),
      field("terminates", &PodBefore::terminates),
  };
};

// What is wrong with a question.
template <>
struct Fields<Finding> {
  static constexpr FieldList all{
      field("path", &Finding::path, Meaning::text, {.bytes = 256}),
      required("reason", &Finding::reason, Meaning::text, {.bytes = 512}),
  };
};

struct ReportStatus {
  // A decision is Scheduled, Binding, Unschedulable, Failed or Gated. An answer is Fits, PartlyFits,
  // DoesNotFit or Refused.
  std::string outcome;
  std::string profile, message;
  std::vector<Finding> findings;  // of a question that is refused; at most 16
  std::optional<ReportChoice> choice;
  std::optional<Wall> decided_at, expires_at;
  std::uint32_t attempts = 0;
  NodeCounts node_counts;
  std::vector<ReportStrategy> strategies;
  std::vector<TopNode> top_nodes;           // at most 10: the choice, then best first, ties by name
  std::vector<ReportRejection> rejections;  // at most 16, most nodes first
  std::size_t rejections_total = 0;
  std::vector<framework::GivenDevice> devices;  // at most 32: the devices of the pod's claims
  std::size_t devices_total = 0;
  std::optional<Preempted> preemption;
  std::string no_preemption;                  // why the pod may not evict others: the code of a reason
  std::optional<PodBefore> replaces;          // of a DaemonSet's pod that does not fit
  std::vector<std::string> scheduling_gates;  // of a gated pod
  std::vector<GatedTime> gated;               // at most 3, newest first
  std::vector<ReportAttempt> history;         // at most 5, newest first
  std::chrono::nanoseconds queued{0}, evaluate{0}, bind{0};
  std::uint64_t pods_version = 0;      // Snapshot::pods_version(); 0: unknown
  std::optional<ReportAnswer> answer;  // of a what-if
  std::vector<ReportCondition> conditions;
  std::int64_t observed_generation = 1;
};

// The result in one line, for people and for the columns of kubectl get; "-" if there is no result.
struct ReportSummary {
  std::string node, score, reason;
};
template <>
struct Fields<ReportSummary> {
  static constexpr FieldList all{
      required("node", &ReportSummary::node, Meaning::node),
      required("score", &ReportSummary::score, {.bytes = 32}),
      required("reason", &ReportSummary::reason, Meaning::text, {.bytes = 256}),
  };
};
ReportSummary summary_of(const ReportStatus& status);
// The reason that rejected the most nodes, else the message; at most 100 bytes.
std::string main_reason(const ReportStatus& status);

template <>
struct Fields<framework::GivenDevice> {
  using Given = framework::GivenDevice;
  static constexpr FieldList all{
      required("claimName", &Given::claim),
      required("request", &Given::request, {.bytes = 127}),
      required("driver", &Given::driver),
      required("pool", &Given::pool, Meaning::node),  // drivers name pools after nodes
      required("device", &Given::device),
      field("adminAccess", &Given::admin_access),
  };
};

template <>
struct Fields<ReportStatus> {
  using S = ReportStatus;
  static constexpr FieldList all{
      field("outcome", &S::outcome, {.bytes = 63}),
      derived("summary", summary_of),
      field("profile", &S::profile, Meaning::name),
      field("message", &S::message, Meaning::text, {.bytes = 8192}),
      field("findings", &S::findings, {.items = 16}),
      field("choice", &S::choice),
      field("decidedAt", &S::decided_at),
      field("expiresAt", &S::expires_at),
      required("attempts", &S::attempts),
      required("nodeCounts", &S::node_counts),
      field("strategies", &S::strategies, {.items = 32}),
      field("topNodes", &S::top_nodes, {.items = 10}),
      counted("rejections", &S::rejections, "rejectionsTotal", &S::rejections_total, {.items = 16}),
      counted("devices", &S::devices, "devicesTotal", &S::devices_total, {.items = 32}),
      field("preemption", &S::preemption),
      field("noPreemption", &S::no_preemption, {.bytes = 63}),
      field("replaces", &S::replaces),
      field("schedulingGates", &S::scheduling_gates, {.bytes = 317, .items = 16}),
      field("gated", &S::gated, {.items = 3}),
      field("history", &S::history, {.items = 5}),
      group("timing", required("evaluateMicroseconds", &S::evaluate), field("queuedMicroseconds", &S::queued),
            field("bindMicroseconds", &S::bind)),
      group("snapshot", field("at", &S::decided_at), numeral("resourceVersion", &S::pods_version)),
      inlined(&S::answer),
      field("conditions", &S::conditions, {.items = 8}),
      required("observedGeneration", &S::observed_generation),
  };
};

// The outcomes of a decision, and of a what-if without an answer.
inline constexpr const char* kScheduled = "Scheduled";
inline constexpr const char* kUnschedulable = "Unschedulable";
inline constexpr const char* kBinding = "Binding";
inline constexpr const char* kGated = "Gated";
inline constexpr const char* kFailed = "Failed";
inline constexpr const char* kRefused = "Refused";

// A report that was read from an object or an item of a list.
struct Report {
  std::string ns, name;  // of the object
  std::string pod;       // spec.podRef
  std::string pod_uid;
  bool is_question = false;
  std::int64_t generation = 0;
  ReportStatus status;
};

// Whether the status answers this generation of the spec.
bool is_complete(const Report& report);
// Why the question was refused; null: it was answered, or is pending.
const std::string* refusal_of(const Report& report);
const std::string* refusal_of(Report&&) = delete;  // the text would dangle

// Hash of the fields whose change is written again: outcome, reasons and which of them is the main one,
// choice, victims, the budgets that they violate, noPreemption, gates.
// Excludes counters: attempts, times, and numbers and examples of nodes. The message of an unschedulable pod
// consists of such numbers and is also excluded.
std::uint64_t content_hash(const ReportStatus& status);

// Cuts a text to this many bytes, between characters: the API server refuses invalid UTF-8.
std::string cut(std::string text, std::size_t bytes);

}  // namespace podium::explain
