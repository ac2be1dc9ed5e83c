// The parts of a report's status that only a what-if's answer has, and their fields.
//
// Threads: values. Errors: none.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explain/report/cause.h"
#include "explain/report/change_result.h"
#include "explain/report/fields.h"
#include "explain/report/node_answers.h"
#include "explain/report/rejection.h"

namespace podium::explain {

struct NodeCounts {
  std::size_t total = 0, evaluated = 0, feasible = 0;
};
template <>
struct Fields<NodeCounts> {
  static constexpr FieldList all{
      required("total", &NodeCounts::total),
      required("evaluated", &NodeCounts::evaluated),
      required("feasible", &NodeCounts::feasible),
  };
};

struct ReplicaPlacement {
  std::string node;
  std::size_t count = 0;
};
template <>
struct Fields<ReplicaPlacement> {
  static constexpr FieldList all{
      required("nodeName", &ReplicaPlacement::node, Meaning::node),
      required("count", &ReplicaPlacement::count),
  };
};

// The first replica that does not fit. Of a DaemonSet, all nodes without a place.
struct FirstFailure {
  std::size_t replica = 1;  // from 1; 0: of a DaemonSet
  std::string reason, message;
  NodeCounts node_counts = {};
  std::vector<ReportRejection> rejections = {};  // at most 16
  std::size_t rejections_total = 0;
};
template <>
struct Fields<FirstFailure> {
  static constexpr FieldList all{
      required("replica", &FirstFailure::replica),
      required("nodeCounts", &FirstFailure::node_counts),
      field("reason", &FirstFailure::reason, Meaning::text),
      field("message", &FirstFailure::message, Meaning::text, {.bytes = 8192}),
      counted("rejections", &FirstFailure::rejections, "rejectionsTotal", &FirstFailure::rejections_total,
              {.items = 16}),
  };
};

// The number of replicas that fit in addition to those requested.
struct ReplicaRoom {
  std::size_t count = 0;
  bool may_be_more = false;  // not counted further: the bound of replicas, or the deadline
  std::optional<FirstFailure> first_failure = {};
};
template <>
struct Fields<ReplicaRoom> {
  static constexpr FieldList all{
      required("count", &ReplicaRoom::count),
      required("mayBeMore", &ReplicaRoom::may_be_more),
      field("firstFailure", &ReplicaRoom::first_failure),
  };
};

// The replicas that fit if the pods that they would preempt are evicted.
struct WithPreemption {
  std::size_t fitting = 0, evicted = 0;
  bool may_be_more = false;  // not counted further
};
template <>
struct Fields<WithPreemption> {
  static constexpr FieldList all{
      required("fitting", &WithPreemption::fitting),
      required("podsEvicted", &WithPreemption::evicted),
      field("mayBeMore", &WithPreemption::may_be_more),
  };
};

// A rolling update that gets stuck: next to the pods that exist, a new one has no place.
struct StuckRollout {
  std::size_t updated = 0;  // new pods that have a place then
  std::size_t max_surge = 0, max_unavailable = 0;
  FirstFailure first_failure = {};
};
template <>
struct Fields<StuckRollout> {
  static constexpr FieldList all{
      required("updated", &StuckRollout::updated),
      required("maxSurge", &StuckRollout::max_surge),
      required("maxUnavailable", &StuckRollout::max_unavailable),
      required("firstFailure", &StuckRollout::first_failure),
  };
};

// A value of the label topology.kubernetes.io/zone.
struct ZonePlacements {
  std::string name;
  std::size_t count = 0;  // replicas on its nodes
  std::size_t now = 0;    // placed pods of the workload, which the evaluation ignored
};
template <>
struct Fields<ZonePlacements> {
  static constexpr FieldList all{
      required("name", &ZonePlacements::name, {.bytes = 63}),
      required("count", &ZonePlacements::count),
      required("now", &ZonePlacements::now),
  };
};

// A part of the pod's node selector or required node affinity that a node does not meet.
struct UnmetOnNode {
  std::string from, requirement;  // as in UnmetPart
  std::string key = {};           // the label that fails it; of a term, the first one; empty: no single label
  std::string value = {};         // that the node has for it
  bool has_label = false;
};
template <>
struct Fields<UnmetOnNode> {
  static constexpr FieldList all{
      required("from", &UnmetOnNode::from, {.bytes = 63}),
      required("requirement", &UnmetOnNode::requirement, Meaning::text, {.bytes = 512}),
      field("labelKey", &UnmetOnNode::key, {.bytes = 317}),
      field("value", &UnmetOnNode::value, Meaning::domain),
      field("hasLabel", &UnmetOnNode::has_label),
  };
};

// The verdict of one filter on a node.
struct FilterCheck {
  std::string plugin;
  bool passes = true;
  std::vector<std::string> reasons = {};  // at most 4; none: it passes
  std::vector<Cause> causes = {};         // of the reasons, in their order
  std::vector<std::string> taints = {};   // not tolerated; at most 3
  std::vector<UnmetOnNode> unmet = {};    // of NodeAffinity; at most 8
  std::optional<NearToleration> near_toleration = {};
};
template <>
struct Fields<FilterCheck> {
  static constexpr FieldList all{
      required("plugin", &FilterCheck::plugin, Meaning::name),
      required("passes", &FilterCheck::passes),
      field("reasons", &FilterCheck::reasons, Meaning::text, {.items = 16}),
      field("causes", &FilterCheck::causes, {.items = 16}),
      field("taints", &FilterCheck::taints, {.bytes = 392, .items = 3}),
      field("unmet", &FilterCheck::unmet, {.items = 8}),
      field("nearToleration", &FilterCheck::near_toleration),
  };
};

// The request of a pod and the free amount on a node, as quantities.
struct RequestedAmount {
  std::string resource, requested, free;
};
template <>
struct Fields<RequestedAmount> {
  static constexpr FieldList all{
      required("resource", &RequestedAmount::resource, Meaning::name, {.bytes = 317}),
      required("requested", &RequestedAmount::requested, {.bytes = 63}),
      required("free", &RequestedAmount::free, {.bytes = 63}),
  };
};

// The verdict on a node that the question names.
struct NodeVerdict {
  std::string node;
  bool fits = false;
  std::optional<std::int64_t> score = {};
  std::vector<std::int64_t> strategy_scores = {};
  std::optional<std::size_t> rank = {};  // from 1
  std::string plugin = {}, code = {};
  std::vector<std::string> reasons = {};  // at most 16
  std::vector<Cause> causes = {};         // of the reasons, in their order
  std::string would_fit_with = {};
  // The verdict of each filter, also of filters after the first that rejects.
  std::vector<FilterCheck> checks = {};         // at most 16
  std::vector<RequestedAmount> resources = {};  // of the first replica; at most 16
};
template <>
struct Fields<NodeVerdict> {
  static constexpr FieldList all{
      required("nodeName", &NodeVerdict::node, Meaning::node),
      required("fits", &NodeVerdict::fits),
      field("score", &NodeVerdict::score),
      field("rank", &NodeVerdict::rank),
      field("strategyScores", &NodeVerdict::strategy_scores, {.items = 32}),
      field("plugin", &NodeVerdict::plugin, Meaning::name),
      field("code", &NodeVerdict::code, {.bytes = 63}),
      field("reasons", &NodeVerdict::reasons, Meaning::text, {.items = 16}),
      field("causes", &NodeVerdict::causes, {.items = 16}),
      field("wouldFitWith", &NodeVerdict::would_fit_with, Meaning::text),
      field("checks", &NodeVerdict::checks, {.items = 16}),
      field("resources", &NodeVerdict::resources, {.items = 16}),
  };
};

// The replicas of a group in one domain.
struct GroupDomain {
  std::string name;
  std::size_t fitting = 0, missing = 0;
};
template <>
struct Fields<GroupDomain> {
  static constexpr FieldList all{
      required("name", &GroupDomain::name, Meaning::domain),
      required("fitting", &GroupDomain::fitting),
      required("missing", &GroupDomain::missing),
  };
};

// Whether a group fits together.
struct GroupAnswer {
  std::size_t min_count = 1;
  std::string topology_key;
  bool fits = false;
  std::string domain = {};
  std::vector<GroupDomain> domains = {};  // at most 16
  std::size_t domains_total = 0;
};
template <>
struct Fields<GroupAnswer> {
  static constexpr FieldList all{
      required("minCount", &GroupAnswer::min_count),
      required("fits", &GroupAnswer::fits),
      field("topologyKey", &GroupAnswer::topology_key, Meaning::name, {.bytes = 317}),
      counted("domains", &GroupAnswer::domains, "domainsTotal", &GroupAnswer::domains_total, {.items = 16}),
      field("domain", &GroupAnswer::domain, Meaning::domain),
  };
};

// A change, or a pair of changes, with which more replicas fit.
struct ReportFix {
  std::string type;
  boost::json::object fields = {};  // those of its type
  std::string message, node;
  std::optional<std::int64_t> score = {};
  // For a fix for a named node: its rank with the fix, from 1, and the node on which the pod would be placed.
  std::optional<std::size_t> rank = {}, feasible = {};
  std::string best_node = {};
  std::optional<std::int64_t> best_score = {};
  std::size_t fitting = 0;   // of the replicas that were asked for
  bool may_be_more = false;  // than `fitting`: no more were tried
  // The quota that would allow the fewest of the changed pods, if it allows fewer than fit on the nodes.
  std::string quota = {};
  std::size_t quota_allows = 0;
};
template <>
struct Fields<ReportFix> {
  static constexpr FieldList all{
      required("type", &ReportFix::type, {.bytes = 63}),
      rest(&ReportFix::fields),
      field("message", &ReportFix::message, Meaning::text),
      field("nodeName", &ReportFix::node, Meaning::node),
      field("score", &ReportFix::score),
      field("rank", &ReportFix::rank),
      field("feasible", &ReportFix::feasible),
      field("bestNode", &ReportFix::best_node, Meaning::node),
      field("bestScore", &ReportFix::best_score),
      field("fitting", &ReportFix::fitting),
      field("mayBeMore", &ReportFix::may_be_more),
      field("quota", &ReportFix::quota),
      field("quotaAllows", &ReportFix::quota_allows),
  };
};

// The requested pods' usage of a resource that a quota limits, as quantities.
struct QuotaUse {
  std::string resource, used, then, hard;  // then: after the creation of all replicas
  bool is_exceeded = false;                // by that
};
template <>
struct Fields<QuotaUse> {
  static constexpr FieldList all{
      required("resource", &QuotaUse::resource, Meaning::name, {.bytes = 317}),
      required("used", &QuotaUse::used, {.bytes = 63}),
      required("then", &QuotaUse::then, {.bytes = 63}),
      required("hard", &QuotaUse::hard, {.bytes = 63}),
      field("isExceeded", &QuotaUse::is_exceeded),
  };
};

// A ResourceQuota of the namespace that counts the pods.
struct QuotaAnswer {
  std::string name;
  std::size_t allowed = 0;               // replicas in total, regardless of room on nodes
  std::string reason = {};               // why it refuses every pod, regardless of the remaining quota
  std::vector<QuotaUse> resources = {};  // at most 16, the exceeded ones first
};
template <>
struct Fields<QuotaAnswer> {
  static constexpr FieldList all{
      required("name", &QuotaAnswer::name),
      required("allowed", &QuotaAnswer::allowed),
      field("reason", &QuotaAnswer::reason, Meaning::text),
      field("resources", &QuotaAnswer::resources, {.items = 16}),
  };
};

struct ReportAnswer {
  std::size_t asked = 1, fitting = 0;        // replicas
  std::size_t ignored = 0;                   // placed pods of the workload, which the answer ignores
  std::vector<ReplicaPlacement> placements;  // at most 64, by count, then name
  std::size_t placements_total = 0;          // nodes that take replicas
  std::vector<ZonePlacements> zones;         // at most 16, by count, then name; also those without replicas
  std::size_t zones_total = 0;
  std::optional<ReplicaRoom> room;
  std::size_t others_waiting = 0;  // pods that are not part of the question and may take the room before it
  std::optional<FirstFailure> first_failure;
  std::optional<WithPreemption> with_preemption;  // if more fit with it
  std::optional<StuckRollout> stuck_rollout;      // of a Deployment whose replicas all fit
  std::vector<NodeVerdict> verdicts;
  std::optional<GroupAnswer> group;
  std::vector<QuotaAnswer> quotas;  // at most 8, those that allow the fewest first
  std::size_t quotas_total = 0;
  std::vector<ChangeResult> changes;
  std::vector<ReportFix> fixes;
  bool no_fix_helps = false;                // podium tried all changes and pairs that it knows
  std::optional<NodesWanted> nodes_wanted;  // of a search for nodes; so is the next
  std::optional<NodesSpare> nodes_spare;
  std::optional<WeightsCompared> weights_compared;
  std::vector<std::string> notes;  // at most 4: what the author may not know
  std::vector<std::string> not_modelled;
};
template <>
struct Fields<ReportAnswer> {
  static constexpr FieldList all{
      group("replicas", required("asked", &ReportAnswer::asked), required("fitting", &ReportAnswer::fitting)),
      field("podsIgnored", &ReportAnswer::ignored),
      counted("placements", &ReportAnswer::placements, "placementsTotal", &ReportAnswer::placements_total,
              {.items = 64}),
      counted("zones", &ReportAnswer::zones, "zonesTotal", &ReportAnswer::zones_total, {.items = 16}),
      field("room", &ReportAnswer::room),
      field("othersWaiting", &ReportAnswer::others_waiting),
      field("firstFailure", &ReportAnswer::first_failure),
      field("withPreemption", &ReportAnswer::with_preemption),
      field("stuckRollout", &ReportAnswer::stuck_rollout),
      field("verdicts", &ReportAnswer::verdicts, {.items = 16}),
      field("group", &ReportAnswer::group),
      counted("quotas", &ReportAnswer::quotas, "quotasTotal", &ReportAnswer::quotas_total, {.items = 8}),
      field("changes", &ReportAnswer::changes, {.items = 96}),
      field("fixes", &ReportAnswer::fixes, {.items = 16}),
      field("noFixHelps", &ReportAnswer::no_fix_helps),
      field("nodesWanted", &ReportAnswer::nodes_wanted),
      field("nodesSpare", &ReportAnswer::nodes_spare),
      field("weightsCompared", &ReportAnswer::weights_compared),
      field("notes", &ReportAnswer::notes, Meaning::text, {.bytes = 512, .items = 4}),
      field("notModelled", &ReportAnswer::not_modelled, Meaning::text, {.bytes = 253, .items = 16}),
  };
};

// Counts the replicas of each node. `nodes`: the node of each replica.
void set_placements(ReportAnswer& answer, const std::vector<std::string>& nodes);
void set_zones(ReportAnswer& answer, std::vector<ZonePlacements> zones);
// `quotas`: those that allow the fewest first.
void set_quotas(ReportAnswer& answer, std::vector<QuotaAnswer> quotas);
// The quota that refuses some of the replicas and allows the fewest; null: there is none.
const QuotaAnswer* exceeded_quota(const ReportAnswer& answer);
const QuotaAnswer* exceeded_quota(ReportAnswer&&) = delete;  // it would dangle
// The number of replicas that both the nodes and the quotas allow.
std::size_t running(const ReportAnswer& answer);

}  // namespace podium::explain
