#include "app/render/pending.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <map>
#include <set>
#include <tuple>

#include "api/decode/decode.h"
#include "api/text/json_view.h"
#include "api/values/pod.h"
#include "api/values/quantity.h"
#include "app/render/amounts.h"
#include "app/render/object_text.h"
#include "app/render/words.h"
#include "base/ascii.h"
#include "base/time.h"
#include "explain/report/json.h"
#include "explain/report/report_labels.h"

namespace podium::render {
namespace {

namespace json = boost::json;

// "big-2" becomes "big" and 2. A name without a number, such as that of a ReplicaSet's pod, loses its
// last part.
struct Stem {
  std::string stem;
  std::optional<std::size_t> number;
};

Stem stem_of(const std::string& name) {
  const auto dash = name.rfind('-');
  if (dash == std::string::npos || dash + 1 == name.size()) return {name, std::nullopt};
  const auto last = name.substr(dash + 1);
  const bool is_number = last.size() < 10 && std::ranges::all_of(last, is_digit);
  if (!is_number) return {name.substr(0, dash), std::nullopt};
  return {name.substr(0, dash), std::stoul(last)};
}

std::string names_of(const std::vector<WaitingPod>& pods) {
  const auto& first = pods.front();
  if (pods.size() == 1) return first.ns + "/" + first.name;
  std::set<std::size_t> numbers;
  for (const auto& pod : pods) {
    if (const auto number = stem_of(pod.name).number) numbers.insert(*number);
  }
  const auto stem = stem_of(first.name).stem;
  const bool in_a_row =
      numbers.size() == pods.size() && *numbers.rbegin() - *numbers.begin() + 1 == pods.size();
  const bool same_stem =
      std::ranges::all_of(pods, [&](const WaitingPod& pod) { return stem_of(pod.name).stem == stem; });
  if (in_a_row && same_stem)
    return fmt::format("{}/{}-{}…{}", first.ns, stem, *numbers.begin(), *numbers.rbegin());
  return fmt::format("{}/{}-* ({})", first.ns, first.owner.kind.empty() ? stem : first.owner.name,
                     pods.size());
}

// The scheduler of a pod that podium's profile was asked about; empty: its own scheduler decided.
std::string other_scheduler(const WaitingPod& pod) {
  if (pod.scheduler.empty() || !pod.report) return {};
  const auto& profile = pod.report->status.profile;
  return profile.empty() || profile == pod.scheduler ? std::string() : pod.scheduler;
}

// In a dump, a pod that waits may fit.
bool would_fit(const WaitingPod& pod) {
  return pod.gates.empty() && pod.report && pod.report->status.outcome == "Fits" && pod.report->status.choice;
}

// The text without its numbers: reports of different ages count different numbers of nodes.
std::string without_numbers(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    if (!std::ranges::all_of(word, [](char c) { return is_digit(c) || c == '/'; }))
      out += std::string(word) + ' ';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// What holds the pods of a group; those that fit are one, whatever their nodes.
std::string cause_of(const WaitingPod& pod) {
  if (would_fit(pod)) return other_scheduler(pod);
  return pod.gates.empty() ? without_numbers(blocked_by(pod)) : blocked_by(pod);
}

// The pod with the last report. Its numbers are those of the cluster now.
const WaitingPod& newest(const std::vector<WaitingPod>& pods) {
  return *std::ranges::max_element(pods, [](const WaitingPod& a, const WaitingPod& b) {
    const auto decided = [](const WaitingPod& pod) {
      return pod.report ? pod.report->status.decided_at : std::nullopt;
    };
    return decided(a) < decided(b);
  });
}

// Where the pods of a group that fit would go. Each was asked about as if the others did not wait.
std::string would_go(const std::vector<WaitingPod>& pods) {
  constexpr std::size_t kNamed = 2;
  std::set<std::string> nodes;
  for (const auto& pod : pods) nodes.insert(pod.report->status.choice->node);
  const auto scheduler = other_scheduler(pods.front());
  return fmt::format("{} would go to {}{}", pods.size() == 1 ? "it" : "each alone",
                     listed({nodes.begin(), nodes.end()}, kNamed),
                     !scheduler.empty() ? fmt::format(", but scheduler {} places it", scheduler) : "");
}

std::string blocked_by_of(const std::vector<WaitingPod>& pods) {
  return would_fit(pods.front()) ? "nothing: " + would_go(pods) : blocked_by(newest(pods));
}

std::string miss_cell(const WaitingPod& pod) {
  if (would_fit(pod) || !node_of_binding(pod).empty()) return "-";
  const auto words = pod.report ? nearest_miss(pod.report->status) : std::string();
  return words.empty() ? "-" : words;
}

WaitingGroup to_group(std::vector<WaitingPod> pods) {
  std::ranges::sort(pods, {}, [](const WaitingPod& pod) {
    const auto [stem, number] = stem_of(pod.name);
    return std::tuple(stem, number.value_or(0), pod.name);
  });
  WaitingGroup group{.pods = names_of(pods),
                     .count = pods.size(),
                     .names = {},
                     .owner = pods.front().owner,
                     .first = pods.front().name,
                     .ns = pods.front().ns,
                     .asks = pods.front().asks.empty() ? "-" : pods.front().asks,
                     .blocked_by = blocked_by_of(pods),
                     .nearest_miss = miss_cell(newest(pods)),
                     .would_go = would_fit(pods.front()) ? would_go(pods) : std::string(),
                     .gated = !pods.front().gates.empty(),
                     .requests = pods.front().requests,
                     .selector = pods.front().selector,
                     .claims = pods.front().claims,
                     .gates = pods.front().gates,
                     .scheduler = pods.front().scheduler,
                     .message = pods.front().message,
                     .report = newest(pods).report};
  // The last report is about an attempt before the node was chosen.
  const auto& front = pods.front();
  const bool says_node = front.report && is_being_bound(front.report->status);
  if (!says_node && !node_of_binding(front).empty()) group.report.reset();
  for (const auto& pod : pods) {
    group.names.push_back(pod.name);
    if (pod.created && (!group.since || *pod.created < *group.since)) group.since = pod.created;
    group.waits_for_evictions |= pod.report && pod.report->status.preemption;
  }
  return group;
}

// The most useful rejection, with its details from the report.
json::value main_rejection_of(const Report& report) {
  const auto* main = main_rejection(report.status.rejections);
  if (!main) return nullptr;
  explain::ReportStatus alone;
  alone.rejections = {*main};
  alone.rejections_total = 1;
  return explain::to_json(alone).at("rejections").as_array().front();
}

json::object to_row(const WaitingGroup& group) {
  json::object row{{"namespace", group.ns}, {"pods", json::array(group.names.begin(), group.names.end())},
                   {"count", group.count},  {"requests", group.requests},
                   {"gated", group.gated},  {"waitsForEvictions", group.waits_for_evictions}};
  if (!group.owner.kind.empty())
    row["workload"] = json::object{{"kind", group.owner.kind}, {"name", group.owner.name}};
  if (group.since) row["since"] = format_time(*group.since);
  if (!group.selector.empty()) row["nodeSelector"] = group.selector;
  if (!group.claims.empty()) row["resourceClaims"] = json::array(group.claims.begin(), group.claims.end());
  if (!group.gates.empty()) row["schedulingGates"] = json::array(group.gates.begin(), group.gates.end());
  if (!group.scheduler.empty()) row["schedulerName"] = group.scheduler;
  if (!group.report) {
    if (!group.message.empty()) row["message"] = group.message;
    return row;
  }
  const auto& status = group.report->status;
  const auto all = explain::to_json(status);
  for (const char* name :
       {"outcome", "profile", "message", "decidedAt", "attempts", "nodeCounts", "preemption", "choice"}) {
    if (const auto* found = all.if_contains(name)) row[name] = *found;
  }
  if (auto main = main_rejection_of(*group.report); !main.is_null()) row["mainRejection"] = std::move(main);
  return row;
}

// Compares numbers by value and other values as text, which also orders times.
// `what_for`: empty if podium's report does not say it.
std::string binding_waits(const std::string& node, const std::string& what_for) {
  return fmt::format("its binding to {} waits{}{}", node, what_for.empty() ? "" : ": ", what_for);
}

bool is_before(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number()) return a.to_number<double>() < b.to_number<double>();
  const auto text = [](const json::value& value) {
    return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
  };
  return text(a) < text(b);
}

}  // namespace

bool is_being_bound(const explain::ReportStatus& status) {
  return status.outcome == explain::kBinding && status.choice.has_value();
}

std::string node_of_binding(const WaitingPod& pod) {
  if (!pod.report) return pod.message.empty() ? pod.nominated : std::string();
  const auto& report = *pod.report;
  if (report.is_question) return {};  // in a dump: it is about the pod as it is now
  if (is_being_bound(report.status)) return report.status.choice->node;
  const bool waits_for_room = report.status.preemption || evicts_no_more(report.status);
  return waits_for_room ? std::string() : pod.nominated;
}

std::string blocked_by(const WaitingPod& pod) {
  if (!pod.gates.empty()) return fmt::format("gate {}", fmt::join(pod.gates, ", "));
  if (const auto node = node_of_binding(pod); !node.empty())
    return binding_waits(node,
                         pod.report && is_being_bound(pod.report->status) ? pod.report->status.message : "");
  if (!pod.report) {
    if (!pod.message.empty())
      return (pod.names_scheduler ? fmt::format("scheduler {}: {}", pod.scheduler, pod.message)
                                  : pod.message) +
             (pod.nominated.empty() ? "" : "; nominated to " + pod.nominated);
    return pod.scheduler.empty() ? "no podium report"
                                 : fmt::format("scheduler {} has not tried it", pod.scheduler);
  }
  const auto scheduler = other_scheduler(pod);
  return blocked_by(pod.report->status) +
         (scheduler.empty() ? "" : fmt::format("; scheduler {} places it", scheduler));
}

std::string blocked_by(const explain::ReportStatus& status) {
  if (!status.scheduling_gates.empty())
    return fmt::format("gate {}", fmt::join(status.scheduling_gates, ", "));
  if (is_being_bound(status)) return binding_waits(status.choice->node, status.message);
  if (status.outcome == "Failed") return "the attempt failed: " + status.message;
  if (const auto& preemption = status.preemption)
    // The answer to a question evicts nothing.
    return fmt::format(
        "{} for {} on {}{}", status.outcome == explain::kUnschedulable ? "waits" : "would wait",
        counted(preemption->total, "eviction"), preemption->node, static_pods_words(*preemption));
  if (status.outcome == "Fits" && status.choice)
    return fmt::format("it fits now: it would go to {}", status.choice->node);
  if (evicts_no_more(status))
    return std::string(framework::row_of(framework::ReasonCode::victims_terminate).words);
  const auto* rejection = main_rejection(status.rejections);
  if (!rejection) return status.message.empty() ? "no podium report" : status.message;
  const auto before = pod_before_words(status);
  return rejection_of(fmt::format("{} of {}", rejection->nodes, counted(status.node_counts.total, "node")),
                      *rejection) +
         (before.empty() ? "" : "; " + before);
}

std::string asks_words(const explain::PodAsks& asks) {
  std::vector<std::string> scarce, common;
  for (const auto& [resource, text] : asks.requests) {
    const auto quantity = api::Quantity::parse(text);
    if (!quantity) continue;
    if (resource == "cpu")
      common.push_back(exact(resource, *quantity) + " cpu");
    else if (resource == "memory")
      common.push_back(exact(resource, *quantity));
    else
      scarce.push_back(fmt::format("{} {}", exact(resource, *quantity), printable(resource)));
  }
  for (const auto& claim : asks.claims) scarce.push_back("claim " + printable(claim));
  scarce.insert(scarce.end(), common.begin(), common.end());
  for (const auto& [key, value] : asks.selector) scarce.push_back(printable(key) + "=" + printable(value));
  return fmt::format("{}", fmt::join(scarce, ", "));
}

std::string nearest_miss(const explain::ReportStatus& status) {
  const auto* main = main_rejection(status.rejections);
  if (main && has_none(*main)) return {};
  for (const auto& rejection : status.rejections) {
    if (has_none(rejection)) continue;
    if (!rejection.devices.empty()) return shortfall_words(rejection);
    const auto missing = missing_words(rejection);
    if (missing.empty()) continue;
    const auto& node = rejection.shortfall->node;
    return fmt::format("{}{}{} short", node, node.empty() ? "" : ": ", missing);
  }
  return {};
}

std::span<const std::string_view> row_fields() {
  static constexpr std::string_view kFields[] = {
      "namespace",    "pods",         "count",          "workload",        "since",
      "requests",     "nodeSelector", "resourceClaims", "schedulingGates", "schedulerName",
      "gated",        "outcome",      "profile",        "message",         "waitsForEvictions",
      "decidedAt",    "attempts",     "nodeCounts",     "choice",          "preemption",
      "mainRejection"};
  return kFields;
}

void sort_groups(std::vector<WaitingGroup>& groups, const JsonPath& path) {
  std::vector<std::pair<std::optional<json::value>, WaitingGroup>> keyed;
  for (auto& group : groups) {
    const json::value row = to_row(group);
    const auto found = path.find(row);
    keyed.emplace_back(found.empty() ? std::nullopt : std::optional(*found.front()), std::move(group));
  }
  std::ranges::stable_sort(keyed, [](const auto& a, const auto& b) {
    return a.first && (!b.first || is_before(*a.first, *b.first));
  });
  for (std::size_t i = 0; i < keyed.size(); ++i) groups[i] = std::move(keyed[i].second);
}

std::optional<WaitingPod> read_waiting_pod(const json::value& pod) {
  const auto phase = string_at(pod, "/status/phase");
  const bool ended = phase == "Succeeded" || phase == "Failed";
  if (ended || !string_at(pod, "/spec/nodeName").empty() || !api::find_at(pod, "/spec")) return std::nullopt;
  WaitingPod waiting{.ns = string_at(pod, "/metadata/namespace"),
                     .name = string_at(pod, "/metadata/name"),
                     .uid = string_at(pod, "/metadata/uid"),
                     .scheduler = string_at(pod, "/spec/schedulerName"),
                     .created = parse_time(string_at(pod, "/metadata/creationTimestamp")),
                     .is_deleted = api::find_at(pod, "/metadata/deletionTimestamp") != nullptr};
  if (const auto decoded = api::decode_pod(pod)) {
    auto asks = explain::asks_of(*decoded);
    waiting.asks = asks_words(asks);
    for (const auto& [resource, amount] : asks.requests) waiting.requests[printable(resource)] = amount;
    for (const auto& [key, value] : asks.selector) waiting.selector[printable(key)] = printable(value);
    waiting.claims = std::move(asks.claims);
  }
  for (const auto& gate : list_at(pod, "/spec/schedulingGates"))
    waiting.gates.push_back(string_at(gate, "/name"));
  for (const auto& condition : list_at(pod, "/status/conditions")) {
    if (string_at(condition, "/type") == "PodScheduled") waiting.message = string_at(condition, "/message");
  }
  waiting.nominated = string_at(pod, "/status/nominatedNodeName");
  return waiting;
}

std::vector<WaitingGroup> group_waiting(std::vector<WaitingPod> pods) {
  // Pods without an owner are grouped by name.
  std::map<std::tuple<std::string, Owner, std::string, std::string>, std::vector<WaitingPod>> by_reason;
  for (auto& pod : pods) {
    const auto owner = pod.owner.kind.empty() ? Owner{"", stem_of(pod.name).stem} : pod.owner;
    auto key = std::tuple(pod.ns, owner, pod.asks, cause_of(pod));
    by_reason[std::move(key)].push_back(std::move(pod));
  }
  std::vector<WaitingGroup> groups;
  for (auto& [key, group] : by_reason) groups.push_back(to_group(std::move(group)));
  std::ranges::stable_sort(groups, [](const WaitingGroup& a, const WaitingGroup& b) {
    return std::tuple(a.gated, b.count) < std::tuple(b.gated, a.count);
  });
  return groups;
}

std::string pending_rows(const std::vector<WaitingGroup>& groups, const Options& options) {
  std::vector<Cells> rows{{"PODS", "WAIT", "ASKS", "BLOCKED BY", "NEAREST MISS"}};
  if (options.wide) rows.front().insert(rows.front().end(), {"WORKLOAD", "TRIES", "DECIDED", "CODE"});
  const auto ago = [&](const std::optional<Wall>& time) {
    if (!time || options.now < *time) return std::string("-");
    return age(std::chrono::duration_cast<std::chrono::seconds>(options.now - *time));
  };
  for (const auto& group : groups) {
    auto& row = rows.emplace_back(
        Cells{group.pods, ago(group.since), group.asks, group.blocked_by, group.nearest_miss});
    if (!options.wide) continue;
    const auto* main = group.report ? main_rejection(group.report->status.rejections) : nullptr;
    row.push_back(group.owner.kind.empty() ? "-" : fmt::format("{}/{}", group.owner.kind, group.owner.name));
    row.push_back(group.report ? fmt::to_string(group.report->status.attempts) : "-");
    row.push_back(group.report ? ago(group.report->status.decided_at) : "-");
    row.push_back(main ? main->code : "-");
  }
  constexpr std::size_t kPods = 0, kAsks = 2, kBlocked = 3, kNearest = 4;
  return table(rows, {Align::left, Align::right, Align::left}, 0,
               {options.columns, {{kBlocked, 24}, {kAsks, 10}, {kNearest, 14}, {kPods, 16}}});
}

std::string pending_table(const std::vector<WaitingGroup>& groups, const Options& options) {
  std::size_t waiting = 0, gated = 0;
  for (const auto& group : groups) {
    (group.gated ? gated : waiting) += group.count;
  }
  if (waiting + gated == 0) return fmt::format("No pods are pending{}.\n", options.where);
  auto out = options.style.bold(waiting > 0 ? counted(waiting, "pod waits", "pods wait")
                                            : counted(gated, "pod is gated", "pods are gated"));
  if (waiting == 0)
    out += "; no other pod waits";
  else if (gated > 0)
    out += fmt::format("; {} more {} gated", gated, gated == 1 ? "is" : "are");
  out += ".\n";
  out += pending_rows(groups, options);
  if (waiting == 0) return out;
  if (!options.program.empty()) {
    out += fmt::format("Next: {} why {} -n {}{}\n", options.program, groups.front().first, groups.front().ns,
                       options.flags);
  }
  return out;
}

json::value pending_document(const std::vector<WaitingGroup>& groups) {
  json::array rows;
  for (const auto& group : groups) rows.push_back(to_row(group));
  return json::object{
      {"apiVersion", explain::kReportVersion}, {"kind", "PendingPods"}, {"items", std::move(rows)}};
}

}  // namespace podium::render
