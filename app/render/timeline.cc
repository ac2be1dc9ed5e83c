#include "app/render/timeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "api/text/json_view.h"
#include "app/render/object_text.h"
#include "app/render/words.h"
#include "base/time.h"

namespace podium::render {
namespace {

namespace json = boost::json;

constexpr std::size_t kNamedVictims = 3;

// The last change of a condition that has this status.
std::optional<Wall> since(const json::value& pod, std::string_view type, std::string_view status) {
  for (const auto& condition : list_at(pod, "/status/conditions")) {
    if (string_at(condition, "/type") == type && string_at(condition, "/status") == status)
      return parse_time(api::text_at(condition, "/lastTransitionTime"));
  }
  return std::nullopt;
}

// `at`: of the nomination, or of the last attempt that may have made it.
TimelineEntry preemption_of(const explain::Preempted& preemption, std::optional<Wall> at, bool is_known) {
  std::vector<std::string> victims;
  for (const auto& victim : preemption.victims) victims.push_back(victim.text());
  return {at, "nominated",
          fmt::format("{}{}; {} evicted there: {}", preemption.node, is_known ? "" : ", then or earlier",
                      preemption.total == 1 ? "one pod is" : fmt::format("{} pods are", preemption.total),
                      listed(victims, kNamedVictims, preemption.total))};
}

// "general-00 with 731 points, ahead by 12".
std::string choice_of(const explain::ReportStatus& status) {
  const auto& choice = *status.choice;
  auto text = choice.node;
  if (choice.score) text += fmt::format(" with {} points", *choice.score);
  return text;
}

std::string held_by(const explain::ReportStatus& status) {
  const auto* main = main_rejection(status.rejections);
  if (!main) return status.message;
  const auto least = shortfall_words(*main);
  return rejection_of(fmt::format("{} of {}", main->nodes, counted(status.node_counts.total, "node")),
                      *main) +
         (least.empty() ? "" : "; " + least);
}

void add_gated(const explain::ReportStatus& status, std::vector<TimelineEntry>& out) {
  for (auto time = status.gated.rbegin(); time != status.gated.rend(); ++time) {
    out.push_back({time->since, "gated", gated_words(*time)});
    if (time->until) out.push_back({time->until, "ungated"});
  }
}

std::string after(const std::optional<Wall>& at, const std::optional<Wall>& first) {
  if (!at || !first || *at < *first) return "";
  return "+" + age(std::chrono::floor<std::chrono::seconds>(*at - *first));
}

}  // namespace

std::vector<TimelineEntry> moments_of_pod(const json::value& pod, bool is_being_bound) {
  std::vector<TimelineEntry> out{{parse_time(api::text_at(pod, "/metadata/creationTimestamp")), "created"}};
  std::vector<std::string> gates;
  for (const auto& gate : list_at(pod, "/spec/schedulingGates")) gates.push_back(string_at(gate, "/name"));
  if (!gates.empty())
    out.push_back({since(pod, "PodScheduled", "False"), "gated", gated_words({.by = std::move(gates)})});
  const auto node = string_at(pod, "/spec/nodeName");
  if (!node.empty()) out.push_back({since(pod, "PodScheduled", "True"), "bound", "to " + node});
  if (const auto nominated = string_at(pod, "/status/nominatedNodeName"); node.empty() && !nominated.empty())
    out.push_back({std::nullopt, "waits", (is_being_bound ? "to be bound to " : "for room on ") + nominated});
  if (const auto started = parse_time(api::text_at(pod, "/status/startTime")))
    out.push_back({started, "accepted", "by the kubelet"});
  if (const auto ready = since(pod, "Ready", "True")) out.push_back({ready, "ready"});
  if (const auto deleted = parse_time(api::text_at(pod, "/metadata/deletionTimestamp")))
    out.push_back({deleted, "deleted", "by then at the latest"});
  return out;
}

std::vector<TimelineEntry> attempts_of_pod(const json::value& pod) {
  if (!string_at(pod, "/spec/nodeName").empty()) return {};
  for (const auto& condition : list_at(pod, "/status/conditions")) {
    if (string_at(condition, "/type") != "PodScheduled" || string_at(condition, "/status") != "False")
      continue;
    const auto reason = string_at(condition, "/reason"), message = string_at(condition, "/message");
    if (reason == "SchedulingGated") continue;  // moments_of_pod() has the gates
    // The condition changes once, and later attempts change its message.
    return {{since(pod, "PodScheduled", "False"), "tried",
             message.empty() ? reason : "then or later: " + message}};
  }
  return {};
}

std::vector<TimelineEntry> moments_of_gone(const Report& report, std::optional<Wall> created) {
  const auto& status = report.status;
  std::vector<TimelineEntry> out;
  if (created) {
    out.push_back({created, "created"});
  } else {
    std::optional<Wall> first;
    for (const auto& [at, what, text] : moments_of(report)) {
      if (at && (!first || *at < *first)) first = at;
    }
    if (first) out.push_back({first, "created", "then or earlier"});
  }
  if (status.outcome == explain::kScheduled && status.choice) {
    auto at = status.decided_at;
    if (at) *at += std::chrono::duration_cast<Wall::duration>(status.bind);
    out.push_back({at, "bound", "to " + status.choice->node});
  }
  return out;
}

TimelineEntry evicted(std::optional<Wall> at, const std::string& pod) {
  return {at, "evicted", "to make room for " + printable(pod)};
}

std::vector<TimelineEntry> moments_of(const Report& report, std::optional<Wall> nominated) {
  const auto& status = report.status;
  if (status.preemption && status.preemption->decided_at) nominated = status.preemption->decided_at;
  // Only the attempts that did not place the pod may have nominated it.
  const bool is_first = status.attempts <= (status.choice ? 2 : 1);
  const auto nomination = [&](std::optional<Wall> at) {
    return preemption_of(*status.preemption, nominated ? nominated : at, nominated || is_first);
  };
  std::vector<TimelineEntry> out;
  add_gated(status, out);
  // The first ones are not kept.
  if (const auto kept = status.history.size() + 1; status.attempts > kept)
    out.push_back({status.history.empty() ? status.decided_at : status.history.back().at, "tried",
                   fmt::format("{} before, which {} not kept", counted(status.attempts - kept, "time"),
                               status.attempts - kept == 1 ? "is" : "are")});
  for (auto attempt = status.history.rbegin(); attempt != status.history.rend(); ++attempt) {
    const bool is_last = attempt + 1 == status.history.rend();
    out.push_back(
        {attempt->at, attempt->outcome == explain::kFailed ? "failed" : "tried", attempt_words(*attempt)});
    if (is_last && status.choice && status.preemption) out.push_back(nomination(attempt->at));
  }
  if (!status.decided_at) return out;
  if (!status.choice) {
    const bool is_gated = status.outcome == explain::kGated;
    if (is_gated && !status.gated.empty()) return out;
    out.push_back({status.decided_at,
                   is_gated                             ? "gated"
                   : status.outcome == explain::kFailed ? "failed"
                                                        : "tried",
                   is_gated ? status.message : held_by(status)});
    if (status.preemption) out.push_back(nomination(status.decided_at));
    return out;
  }
  out.push_back({status.decided_at, "chose", choice_of(status)});
  if (status.outcome == explain::kFailed) out.push_back({status.decided_at, "failed", status.message});
  return out;
}

std::vector<TimelineEntry> in_order(std::vector<TimelineEntry> moments) {
  // Some times have fractions of a second and others do not. Within a second the order given is kept.
  std::ranges::stable_sort(moments, {}, [](const TimelineEntry& each) {
    const auto at = each.at ? std::chrono::floor<std::chrono::seconds>(*each.at) : Wall::max();
    return std::pair(Wall(at), each.what != "created");
  });
  // The pod and its report may both say that it is gated.
  for (auto each = moments.begin(); each != moments.end();) {
    const bool is_known =
        each->what == "gated" && std::any_of(moments.begin(), each, [&](const TimelineEntry& one) {
          return one.what == each->what && one.text == each->text;
        });
    each = is_known ? moments.erase(each) : each + 1;
  }
  return moments;
}

std::string timeline_table(const std::string& subject, const std::vector<TimelineEntry>& moments,
                           const Options& options) {
  const auto known =
      std::ranges::find_if(moments, [](const TimelineEntry& each) { return each.at.has_value(); });
  const auto first = known == moments.end() ? std::nullopt : known->at;
  std::vector<Cells> rows{{"TIME", "AFTER", "WHAT", ""}};
  for (const auto& [at, what, text] : moments)
    rows.push_back({at ? format_time(*at) : "-", after(at, first), what, text});
  constexpr std::size_t kText = 3;
  return options.style.bold(subject) + "\n" +
         table(rows, {Align::left, Align::right, Align::left, Align::left}, 2,
               {options.columns, {{kText, 24}}});
}

json::value timeline_document(const std::vector<TimelineEntry>& moments) {
  json::array out;
  for (const auto& [at, what, text] : moments) {
    json::object one{{"what", what}};
    if (at) one["at"] = format_time(*at);
    if (!text.empty()) one["text"] = text;
    out.push_back(std::move(one));
  }
  return json::object{{"moments", std::move(out)}};
}

}  // namespace podium::render
