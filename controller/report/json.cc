// The JSON of a report's status.
#include <fmt/format.h>

#include <string_view>

#include "base/time.h"
#include "controller/report/crd_check.h"
#include "controller/report/report.h"
#include "controller/report/summary.h"

namespace podium::controller {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestMessage = 8192;

std::int64_t microseconds(std::chrono::nanoseconds d) {
  return std::chrono::duration_cast<std::chrono::microseconds>(d).count();
}

// Builds a report's JSON values in one memory resource: hundreds of small values, freed together.
class Values {
 public:
  explicit Values(json::storage_ptr memory) : memory_(std::move(memory)) {}

  using Fields = std::initializer_list<std::pair<json::string_view, json::value_ref>>;
  json::object object(Fields fields) const { return json::object(fields, memory_); }
  template <typename List, typename One>
  json::array array(const List& list, One&& one) const {
    json::array out(memory_);
    out.reserve(list.size());
    for (const auto& item : list) out.push_back(one(item));
    return out;
  }
  template <typename List>
  json::array list(const List& values) const {
    return json::array(values.begin(), values.end(), memory_);
  }

  json::object summary(const ReportSummary& s) const {
    return object({{"node", s.node}, {"score", s.score}, {"reason", s.reason}});
  }
  json::object choice(const ReportChoice& c) const {
    auto out = object({{"nodeName", c.node}});
    if (c.score) {
      out["score"] = *c.score;
      out["tiedNodes"] = c.tied_nodes;
    }
    if (c.margin) out["margin"] = *c.margin;
    return out;
  }
  json::object counts(const NodeCounts& n) const {
    return object({{"total", n.total}, {"evaluated", n.evaluated}, {"feasible", n.feasible}});
  }
  json::object top_node(const TopNode& n) const {
    auto out = object({{"nodeName", n.node}, {"score", n.score}});
    if (!n.strategy_scores.empty()) out["strategyScores"] = list(n.strategy_scores);
    return out;
  }
  json::object strategy(const ReportStrategy& s) const {
    auto nodes = array(s.top_nodes, [this](const NodeScore& n) {
      return object({{"nodeName", n.node}, {"score", n.score}});
    });
    return object({{"name", s.name}, {"weight", s.weight}, {"topNodes", std::move(nodes)}});
  }
  json::object rejection(const ReportRejection& r) const {
    auto out = object({{"code", r.code},
                       {"reason", r.reason},
                       {"nodeCount", r.nodes},
                       {"preemptionMayHelp", r.preemption_may_help}});
    if (!r.plugin.empty()) out["plugin"] = r.plugin;
    if (r.shortfall) {
      auto shortfall = object({{"resource", r.shortfall->resource}, {"least", r.shortfall->least}});
      if (!r.shortfall->node.empty()) shortfall["nodeName"] = r.shortfall->node;
      out["shortfall"] = std::move(shortfall);
    }
    if (r.taints_total > 0) {
      out["taints"] = list(r.taints);
      out["taintsTotal"] = r.taints_total;
    }
    if (!r.devices.empty()) {
      out["devices"] = array(r.devices, [this](const framework::DeviceTally& d) {
        return object({{"claimName", d.claim},
                       {"request", d.request},
                       {"matched", d.matched},
                       {"inUse", d.in_use},
                       {"tainted", d.tainted},
                       {"tooSmall", d.too_small}});
      });
    }
    if (!r.examples.empty()) out["examples"] = list(r.examples);
    return out;
  }
  void rejections(const std::vector<ReportRejection>& all, std::size_t total, json::object& out) const {
    if (total == 0) return;
    out["rejections"] = array(all, [this](const ReportRejection& r) { return rejection(r); });
    out["rejectionsTotal"] = total;
  }
  void devices(const std::vector<framework::GivenDevice>& all, std::size_t total, json::object& out) const {
    if (total == 0) return;
    out["devices"] = array(all, [this](const framework::GivenDevice& d) {
      auto one = object({{"claimName", d.claim},
                         {"request", d.request},
                         {"driver", d.driver},
                         {"pool", d.pool},
                         {"device", d.device}});
      if (d.admin_access) one["adminAccess"] = true;
      return one;
    });
    out["devicesTotal"] = total;
  }
  json::object preemption(const ReportStatus::Preempted& p) const {
    auto victims = array(p.victims, [this](const auto& victim) {
      return object({{"namespace", victim.first}, {"name", victim.second}});
    });
    return object({{"nodeName", p.node}, {"victims", std::move(victims)}, {"victimsTotal", p.total}});
  }
  json::object attempt(const ReportAttempt& a) const {
    auto out = object({{"at", format_time(a.at)}, {"outcome", a.outcome}});
    if (!a.reason.empty()) out["reason"] = a.reason;
    if (a.nodes > 0) out["nodeCount"] = a.nodes;
    return out;
  }
  json::object timing(const ReportStatus& s) const {
    auto out = object({{"evaluateMicroseconds", microseconds(s.evaluate)}});
    if (s.queued.count() > 0) out["queuedMicroseconds"] = microseconds(s.queued);
    if (s.bind.count() > 0) out["bindMicroseconds"] = microseconds(s.bind);
    return out;
  }
  json::object condition(const ReportCondition& c, std::int64_t observed_generation) const {
    return object({{"type", c.type},
                   {"status", c.is_true ? "True" : "False"},
                   {"reason", c.reason},
                   {"message", cut(c.message, kLongestMessage)},
                   {"observedGeneration", observed_generation},
                   {"lastTransitionTime", format_time(c.since)}});
  }

 private:
  json::storage_ptr memory_;
};

// The fields of a what-if's answer.
class AnswerValues {
 public:
  explicit AnswerValues(const Values& make) : make_(make) {}

  void add(const ReportAnswer& a, json::object& out) const {
    out["replicas"] = make_.object({{"asked", a.asked}, {"fitting", a.fitting}});
    if (!a.placements.empty()) {
      out["placements"] = make_.array(a.placements, [this](const ReplicaPlacement& p) {
        return make_.object({{"nodeName", p.node}, {"count", p.count}});
      });
      out["placementsTotal"] = a.placements_total;
    }
    if (!a.zones.empty()) {
      out["zones"] = make_.array(a.zones, [this](const ZonePlacements& z) {
        return make_.object({{"name", z.name}, {"count", z.count}, {"now", z.now}});
      });
      out["zonesTotal"] = a.zones_total;
    }
    if (a.first_failure) out["firstFailure"] = failure(*a.first_failure);
    if (a.room) out["room"] = room(*a.room);
    if (a.group) out["group"] = group(*a.group);
    const auto unless_empty = [&](const char* field, const auto& list, auto one) {
      if (!list.empty()) out[field] = make_.array(list, one);
    };
    unless_empty("verdicts", a.verdicts, [this](const NodeVerdict& v) { return verdict(v); });
    unless_empty("changes", a.changes, [this](const ChangeResult& c) { return change(c); });
    unless_empty("fixes", a.fixes, [this](const ReportFix& f) { return fix(f); });
    if (!a.not_modelled.empty()) out["notModelled"] = make_.list(a.not_modelled);
  }

 private:
  static void text(json::object& out, const char* field, const std::string& value) {
    if (!value.empty()) out[field] = value;
  }
  template <typename T>
  static void number(json::object& out, const char* field, const std::optional<T>& value) {
    if (value) out[field] = *value;
  }

  json::object failure(const FirstFailure& f) const {
    auto out = make_.object({{"replica", f.replica}, {"nodeCounts", make_.counts(f.node_counts)}});
    text(out, "reason", f.reason);
    text(out, "message", f.message);
    make_.rejections(f.rejections, f.rejections_total, out);
    return out;
  }
  json::object room(const Room& r) const {
    auto out = make_.object({{"count", r.count}, {"mayBeMore", r.may_be_more}});
    if (r.first_failure) out["firstFailure"] = failure(*r.first_failure);
    return out;
  }
  json::object verdict(const NodeVerdict& v) const {
    auto out = make_.object({{"nodeName", v.node}, {"fits", v.fits}});
    number(out, "score", v.score);
    number(out, "rank", v.rank);
    if (!v.strategy_scores.empty()) out["strategyScores"] = make_.list(v.strategy_scores);
    text(out, "plugin", v.plugin);
    text(out, "code", v.code);
    if (!v.reasons.empty()) out["reasons"] = make_.list(v.reasons);
    text(out, "wouldFitWith", v.would_fit_with);
    if (!v.checks.empty()) {
      out["checks"] = make_.array(v.checks, [this](const NodeVerdict::Check& c) {
        auto check = make_.object({{"plugin", c.plugin}, {"passes", c.reasons.empty()}});
        if (!c.reasons.empty()) check["reasons"] = make_.list(c.reasons);
        if (!c.taints.empty()) check["taints"] = make_.list(c.taints);
        return check;
      });
    }
    if (!v.resources.empty()) {
      out["resources"] = make_.array(v.resources, [this](const NodeVerdict::Amount& a) {
        return make_.object({{"resource", a.resource}, {"requested", a.requested}, {"free", a.free}});
      });
    }
    return out;
  }
  json::object group(const GroupAnswer& g) const {
    auto domains = make_.array(g.domains, [this](const GroupAnswer::Domain& d) {
      return make_.object({{"name", d.name}, {"fitting", d.fitting}, {"missing", d.missing}});
    });
    auto out = make_.object({{"minCount", g.min_count}, {"fits", g.fits}});
    text(out, "topologyKey", g.topology_key);
    text(out, "domain", g.domain);
    if (!domains.empty()) {
      out["domains"] = std::move(domains);
      out["domainsTotal"] = g.domains_total;
    }
    return out;
  }
  json::object change(const ChangeResult& c) const {
    auto out = make_.object({{"type", c.type}});
    text(out, "nodeName", c.node);
    text(out, "message", c.message);
    number(out, "podsMoved", c.pods_moved);
    number(out, "podsPending", c.pods_pending);
    number(out, "budgetsBroken", c.budgets_broken);
    number(out, "podsEvicted", c.pods_evicted);
    number(out, "podsTotal", c.pods_total);
    if (!c.pods.empty())
      out["pods"] = make_.array(c.pods, [this](const DrainedPod& p) { return drained(p); });
    if (!c.fullest.empty()) {
      out["fullest"] = make_.array(c.fullest, [this](const FullNode& f) {
        return make_.object({{"nodeName", f.node}, {"resource", f.resource}, {"percent", f.percent}});
      });
    }
    return out;
  }
  json::object drained(const DrainedPod& p) const {
    auto out = make_.object({{"name", p.name}});
    text(out, "nodeName", p.node);
    number(out, "score", p.score);
    number(out, "feasible", p.feasible);
    text(out, "code", p.code);
    text(out, "reason", p.reason);
    return out;
  }
  json::object fix(const ReportFix& f) const {
    auto out = make_.object({{"type", f.type}});
    for (const auto& [field, value] : f.fields) out[field] = value;
    text(out, "message", f.message);
    text(out, "nodeName", f.node);
    number(out, "score", f.score);
    return out;
  }

  const Values& make_;
};

// Sets what the object lacks of a path below it to null. Lists are replaced as a whole.
void null_where_absent(json::object& object, std::string_view path) {
  for (auto* at = &object;;) {
    const auto dot = path.find('.');
    const auto key = path.substr(0, dot);
    auto* value = at->if_contains(key);
    if (!value) (*at)[key] = nullptr;
    if (!value || dot == std::string_view::npos || !value->is_object()) return;
    at = &value->get_object();
    path.remove_prefix(dot + 1);
  }
}

}  // namespace

json::object to_json(const ReportStatus& s, json::storage_ptr memory) {
  const Values make(memory);
  auto out = make.object({{"attempts", s.attempts},
                          {"summary", make.summary(summary_of(s))},
                          {"nodeCounts", make.counts(s.node_counts)},
                          {"timing", make.timing(s)},
                          {"observedGeneration", s.observed_generation}});
  const auto text = [&out](const char* field, const std::string& value) {
    if (!value.empty()) out[field] = value;
  };
  text("outcome", s.outcome);
  text("profile", s.profile);
  text("message", cut(s.message, kLongestMessage));
  if (s.choice) out["choice"] = make.choice(*s.choice);
  if (s.decided_at) {
    const auto decided_at = format_time(*s.decided_at);
    out["decidedAt"] = decided_at;
    auto snapshot = make.object({{"at", decided_at}});
    if (s.pods_version > 0) snapshot["resourceVersion"] = fmt::format("{}", s.pods_version);
    out["snapshot"] = std::move(snapshot);
  }
  if (s.expires_at) out["expiresAt"] = format_time(*s.expires_at);
  const auto list = [&](const char* field, const auto& values, auto one) {
    if (!values.empty()) out[field] = make.array(values, one);
  };
  list("topNodes", s.top_nodes, [&make](const TopNode& each) { return make.top_node(each); });
  list("strategies", s.strategies, [&make](const ReportStrategy& each) { return make.strategy(each); });
  make.rejections(s.rejections, s.rejections_total, out);
  make.devices(s.devices, s.devices_total, out);
  if (s.preemption) out["preemption"] = make.preemption(*s.preemption);
  if (!s.scheduling_gates.empty()) out["schedulingGates"] = make.list(s.scheduling_gates);
  list("history", s.history, [&make](const ReportAttempt& each) { return make.attempt(each); });
  list("conditions", s.conditions,
       [&](const ReportCondition& each) { return make.condition(each, s.observed_generation); });
  if (s.answer) AnswerValues(make).add(*s.answer, out);
  return out;
}

json::object to_merge_patch(const ReportStatus& status) {
  auto out = to_json(status);
  constexpr std::string_view kBelow = "status.";
  for (const auto path : report_fields()) {
    if (path.starts_with(kBelow)) null_where_absent(out, path.substr(kBelow.size()));
  }
  return out;
}

}  // namespace podium::controller
