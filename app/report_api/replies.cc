#include "app/report_api/replies.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "app/render/pending.h"
#include "app/render/words_json.h"
#include "base/time.h"
#include "controller/report/metadata.h"
#include "explain/answer/answer.h"
#include "explain/report/json.h"
#include "explain/report/main_rejection.h"
#include "explain/report/node_names.h"
#include "explain/report/report.h"
#include "explain/report/report_labels.h"
#include "server/status.h"

namespace podium::app::report_api {
namespace {

namespace json = boost::json;
using controller::DecisionMemory;
using explain::ReportStatus;
using server::Reply;

// A list of nodes with their totals, or with the scores of a strategy.
template <typename Scores>
json::array hosts(const Scores& scores) {
  json::array out;
  for (const auto& one : scores) out.push_back(json::object{{"Host", one.node}, {"Score", one.score}});
  return out;
}

json::array strategies(const ReportStatus& status) {
  json::array out;
  for (const auto& one : status.strategies) {
    out.push_back(
        json::object{{"Strategy", one.name}, {"Weight", one.weight}, {"HostPriority", hosts(one.top_nodes)}});
  }
  return out;
}

Reply json_reply(const json::value& body) {
  return Reply(200, json::serialize(body) + "\n", "application/json");
}

const explain::ReportCondition* refusal_of(const ReportStatus& status) {
  const auto found = std::ranges::find_if(
      status.conditions, [](const auto& one) { return one.type == "Accepted" && !one.is_true; });
  return found == status.conditions.end() ? nullptr : &*found;
}

// What the question calls its pod, and what it does with nodes.
render::Asked asked_by(const explain::Question& question) {
  const auto& meta = question.meta;
  const bool is_of_cluster = question.about != explain::Question::About::pod_template;
  render::Asked out{
      .subject = meta.namespace_ + "/" + (is_of_cluster ? explain::referred(question).name : meta.name),
      .fixes = question.fixes};
  for (const auto& change : question.changes) {
    auto nodes = change.node_names;
    if (nodes.empty() && !change.node_name.empty()) nodes = {change.node_name};
    out.changes.push_back({.nodes = std::move(nodes),
                           .is_drain = explain::is_drain(change.type),
                           .is_failure = change.type == explain::Change::Type::fail_nodes,
                           .then_uncordon = change.then_uncordon,
                           .added = change.type == explain::Change::Type::add_nodes
                                        ? static_cast<std::size_t>(std::max(1, change.count.value_or(1)))
                                        : 0,
                           .like = change.like});
  }
  return out;
}

constexpr std::size_t kLineBytes = 256;  // of a line in a list

// Returns the main rejection without its examples.
json::object main_rejection_of(const ReportStatus& status) {
  auto main = *explain::main_rejection(status.rejections);
  main.reason = explain::cut(main.reason, kLineBytes);
  main.examples.clear();
  return explain::to_json(main);
}

json::object texts(const std::vector<std::pair<std::string, std::string>>& pairs) {
  json::object out;
  for (const auto& [key, value] : pairs) out[key] = value;
  return out;
}

// As the rows of `kubectl podium pending -o json` have them.
void add_asks(const explain::PodAsks& asks, json::object& out) {
  if (asks.created) out["created"] = format_time(*asks.created);
  if (!asks.workload.kind.empty())
    out["workload"] = json::object{{"kind", asks.workload.kind}, {"name", asks.workload.name}};
  if (!asks.requests.empty()) out["requests"] = texts(asks.requests);
  if (!asks.claims.empty()) out["resourceClaims"] = json::array(asks.claims.begin(), asks.claims.end());
  if (!asks.selector.empty()) out["nodeSelector"] = texts(asks.selector);
}

json::object line_of(const controller::RememberedDecision& decision, bool is_gone) {
  const auto& [ns, pod, uid, status, asks, created] = decision;
  json::object out{{"namespace", ns},
                   {"name", pod},
                   {"uid", uid},
                   {"outcome", status.outcome},
                   {"summary", explain::summary_of(status).reason},
                   {"attempts", status.attempts}};
  if (status.choice) {
    out["node"] = status.choice->node;
    if (status.choice->score) out["score"] = *status.choice->score;
  }
  if (!status.choice && !status.rejections.empty()) out["rejection"] = main_rejection_of(status);
  if (!status.scheduling_gates.empty())
    out["schedulingGates"] = json::array(status.scheduling_gates.begin(), status.scheduling_gates.end());
  const auto& since = status.history.empty() ? status.decided_at : status.history.back().at;
  if (since) out["since"] = format_time(*since);
  if (status.decided_at) out["decidedAt"] = format_time(*status.decided_at);
  if (asks) add_asks(*asks, out);
  if (is_gone) out["gone"] = true;
  return out;
}

// A line of a list, with what it shows next to it.
json::object line_of(const DecisionMemory::Listed::Item& item, const ReplyContext& shown) {
  if (!shown.withholds_node_names && !shown.words) return line_of(*item.decision, item.is_gone);
  auto decision = *item.decision;
  if (shown.withholds_node_names) explain::withhold_node_names(decision.status);
  auto out = line_of(decision, item.is_gone);
  if (!shown.words) return out;
  auto words = render::line_words_json(decision.status);
  if (decision.asks) words["asks"] = render::asks_words(*decision.asks);
  out["words"] = std::move(words);
  return out;
}

// Causes for programs, with a name or a time as message.
constexpr auto kEvictedFor = "EvictedFor", kEvictedAt = "EvictedAt", kEvictedFrom = "EvictedFrom";

struct Cause {
  const char* reason;
  std::string message;
};

Cause cause_of(const DecisionMemory::Found& found) {
  const auto since = found.began ? format_time(*found.began) : std::string("now");
  const auto at = found.decided_at ? format_time(*found.decided_at) : std::string("an unknown time");
  switch (found.absence) {
    case DecisionMemory::Absence::expired:
      return {"Expired", fmt::format("decided at {}, longer ago than decisions are kept (reports.ttl)", at)};
    case DecisionMemory::Absence::evicted:
      return {"Evicted",
              fmt::format("decided at {}, and dropped to make room for newer ones (httpAPI.memoryMiB)", at)};
    case DecisionMemory::Absence::lost:
      return {"Unknown",
              fmt::format("not decided since this process began to schedule at {}, or too long ago to be "
                          "remembered",
                          since)};
    default:
      return {"NeverDecided",
              fmt::format(
                  "not decided since this process began to schedule at {}: it does not exist, waits for its "
                  "turn, is for another scheduler, or was decided before",
                  since)};
  }
}

}  // namespace

json::value answer_in(Form form, const ReportStatus& status, json::object metadata, json::object spec) {
  if (form == Form::scores) return hosts(status.top_nodes);
  if (form == Form::strategies) return strategies(status);
  return json::object{{"apiVersion", explain::kReportVersion},
                      {"kind", explain::kReportKind},
                      {"metadata", std::move(metadata)},
                      {"spec", std::move(spec)},
                      {"status", explain::to_json(status)}};
}

Reply decision_reply(Form form, const controller::RememberedDecision& decision, const ReplyContext& shown) {
  const json::object pod{{"name", decision.pod}, {"uid", decision.uid}};
  auto status = decision.status;
  if (shown.withholds_node_names) explain::withhold_node_names(status);
  for (auto& condition : status.conditions) condition.since = status.decided_at.value_or(Wall{});
  auto answer = answer_in(form, status, {{"namespace", decision.ns}, {"name", decision.pod}},
                          {{"podRef", pod}, {"dryRun", false}});
  if (auto* report = answer.if_object(); report && shown.words)
    (*report)["words"] = render::words_json(status, decision.ns, shown.life);
  return json_reply(answer);
}

json::object decision_line(const controller::RememberedDecision& decision) {
  auto out = line_of(decision, false);
  const auto& status = decision.status;
  if (!status.profile.empty()) out["profile"] = status.profile;
  json::array decided_by;
  for (const auto& strategy : status.strategies) {
    if (strategy.without) decided_by.emplace_back(strategy.name);
  }
  if (!decided_by.empty()) out["decidedBy"] = std::move(decided_by);
  if (status.preemption) {
    out["nominated"] = status.preemption->node;
    out["evicts"] = status.preemption->total;
    // Later attempts repeat the preemption until the pod is placed.
    const auto& decided_at = status.preemption->decided_at;
    if (!status.choice && (!decided_at || decided_at == status.decided_at)) {
      json::array victims;
      for (const auto& victim : status.preemption->victims) victims.emplace_back(victim.text());
      out["victims"] = std::move(victims);
    }
  }
  const auto microseconds = [](std::chrono::nanoseconds time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  };
  out["queuedMicroseconds"] = microseconds(status.queued);
  out["evaluateMicroseconds"] = microseconds(status.evaluate);
  if (status.bind.count() > 0) out["bindMicroseconds"] = microseconds(status.bind);
  return out;
}

Reply no_decision_reply(const std::string& ns, const std::string& pod, const DecisionMemory::Found& found,
                        bool withholds_node_names) {
  const auto cause = cause_of(found);
  json::array causes{json::object{{"reason", cause.reason}, {"message", cause.message}}};
  auto message = fmt::format("pod {}/{}: {}", ns, pod, cause.message);
  if (found.eviction) {
    const auto& eviction = *found.eviction;
    const auto add = [&](const char* reason, const std::string& text) {
      if (!text.empty()) causes.push_back(json::object{{"reason", reason}, {"message", text}});
    };
    const auto by = eviction.preemptor.text();
    const auto at = eviction.at ? format_time(*eviction.at) : std::string();
    const auto node = withholds_node_names ? std::string() : eviction.node;
    add(kEvictedFor, by);
    add(kEvictedAt, at);
    add(kEvictedFrom, node);
    message += fmt::format("; a pod of this name was to be evicted{}{}{}{} to make room for {}",
                           node.empty() ? "" : " from ", node, at.empty() ? "" : " at ", at, by);
  }
  return server::status_reply(404, "NotFound", message,
                              {{"name", pod}, {"kind", "pods"}, {"causes", std::move(causes)}});
}

Reply decisions_reply(const DecisionMemory::Listed& listed, const ReplyContext& shown) {
  json::object metadata;
  if (!listed.next.empty()) metadata["continue"] = listed.next;
  json::array items;
  for (const auto& item : listed.items) items.push_back(line_of(item, shown));
  return json_reply(json::object{{"metadata", std::move(metadata)}, {"items", std::move(items)}});
}

Reply question_reply(Form form, const explain::Question& question, const ReportStatus& answered,
                     bool with_words) {
  if (const auto* refusal = refusal_of(answered)) {
    if (refusal->reason != explain::kDeadlineExceeded) return server::status_reply(422, refusal->message);
    auto late = server::status_reply(504, refusal->message);
    late.headers.emplace_back("Retry-After", "1");
    return late;
  }
  auto status = answered;
  for (auto& condition : status.conditions) condition.since = status.decided_at.value_or(Wall{});
  const auto& meta = question.meta;
  json::object spec{{"dryRun", true}};
  if (question.replicas) spec["replicas"] = *question.replicas;
  auto answer =
      answer_in(form, status, {{"namespace", meta.namespace_}, {"name", meta.name}}, std::move(spec));
  if (auto* report = answer.if_object(); report && with_words)
    (*report)["words"] = render::words_json(status, meta.namespace_, asked_by(question));
  return json_reply(answer);
}

}  // namespace podium::app::report_api
