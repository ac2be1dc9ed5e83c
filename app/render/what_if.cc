#include "app/render/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "app/render/exit_codes.h"
#include "app/render/fixes.h"
#include "app/render/why.h"
#include "app/render/words.h"
#include "explain/report/reason_words.h"

namespace podium::render {
namespace {

constexpr std::size_t kNodes = 10, kWideNodes = 64, kDomains = 16, kNodesInLine = 4;

// Otherwise the answer has the first replica that does not fit.
bool ran_out_of_time(const Report& report) {
  const auto& answer = answer_of(report);
  return report.status.outcome == "PartlyFits" && answer.fitting < answer.asked && !answer.first_failure;
}

std::string room_words(const Report& report) {
  const auto& answer = answer_of(report);
  const auto& room = answer.room;
  if (!room) return {};
  // The quota has been named, and allows no more.
  const std::string of = explain::exceeded_quota(answer) ? "the nodes have " : "";
  if (room->count == 0 && !room->may_be_more) return of + "no room for more after that";
  const auto more = fmt::format("{}{} more after that", room->may_be_more ? "at least " : "", room->count);
  if (!answer.quotas.empty() && !explain::exceeded_quota(answer)) {
    const auto& quota = answer.quotas.front();
    const auto left = quota.allowed - answer.asked;
    if (left < room->count) return room_and_quota(more, quota.name, left);
  }
  return of + "room for " + more;
}

// "After that 54 nodes do not have enough free cpu; closest: 1.85 cpu short."
std::string short_of(const Report& report) {
  const auto& room = answer_of(report).room;
  if (!room || !room->first_failure) return {};
  const auto* rejection = main_rejection(room->first_failure->rejections);
  if (!rejection) return {};
  const auto least = shortfall_words(*rejection);
  return fmt::format("After that {}{}{}.\n", rejection_of(counted(rejection->nodes, "node"), *rejection),
                     least.empty() ? "" : "; ", least);
}

std::string nodes_in_line(const Report& report) {
  const auto& answer = answer_of(report);
  std::vector<std::string> nodes;
  for (const auto& placement : answer.placements)
    nodes.push_back(fmt::format("{} {}", placement.node, placement.count));
  return fmt::format("Nodes: {}.\n", listed(nodes, kNodesInLine, answer.placements_total));
}

std::string where(const Report& report, const Options& options) {
  const auto& answer = answer_of(report);
  if (answer.placements.empty()) return {};
  std::vector<Cells> rows{{"NODE", "PODS"}};
  for (const auto& placement : answer.placements) {
    if (rows.size() > (options.wide ? kWideNodes : kNodes)) break;
    rows.push_back({placement.node, fmt::to_string(placement.count)});
  }
  auto out = table(rows, {Align::left, Align::right});
  if (const auto shown = rows.size() - 1; answer.placements_total > shown) {
    out += fmt::format("  and {}\n", counted(answer.placements_total - shown, "more node"));
  }
  return out;
}

// The pods by zone, next to the current numbers. By node if the pods have no zone or all have the same.
std::string where_by_zone(const Report& report, const Options& options) {
  const auto& answer = answer_of(report);
  auto zones = answer.zones;
  const auto sum = [&zones](auto count) {
    return std::transform_reduce(zones.begin(), zones.end(), std::size_t{0}, std::plus(), count);
  };
  const auto in_zones = sum([](const explain::ZonePlacements& zone) { return zone.count; });
  const auto cut = answer.zones_total - zones.size();
  const bool is_whole = in_zones == answer.fitting || cut > 0;
  if (options.wide || answer.fitting == 0 || answer.zones_total < 2 || !is_whole)
    return where(report, options);
  const bool has_now = sum([](const explain::ZonePlacements& zone) { return zone.now; }) > 0;
  std::ranges::sort(zones, {}, &explain::ZonePlacements::name);
  std::vector<Cells> rows{has_now ? Cells{"ZONE", "NOW", "THEN"} : Cells{"ZONE", "PODS"}};
  for (const auto& zone : zones) {
    rows.push_back(has_now ? Cells{zone.name, fmt::to_string(zone.now), fmt::to_string(zone.count)}
                           : Cells{zone.name, fmt::to_string(zone.count)});
  }
  auto out = table(rows, {Align::left, Align::right});
  if (cut > 0) {
    out += fmt::format("  and {} with {}\n", counted(cut, "more zone"),
                       counted(answer.fitting - std::min(answer.fitting, in_zones), "pod"));
  }
  return out + nodes_in_line(report);
}

// The reasons against the first replica that did not fit. If all fit, the tables are of the first replica.
std::string stopped(const Report& report, const Options& options) {
  const auto& answer = answer_of(report);
  if (answer.fitting == answer.asked) return {};
  if (ran_out_of_time(report)) return "podium stopped at its deadline; more may fit.\n";
  if (!answer.first_failure)
    return rejected_nodes(report.status.rejections, report.status.rejections_total, options);
  const auto& failure = *answer.first_failure;
  const auto& why = failure.message.empty() ? failure.reason : failure.message;
  auto out = answer.fitting == 0 || failure.replica == 0
                 ? ""
                 : fmt::format("Replica {} does not fit.\n", failure.replica);
  if (failure.rejections.empty()) return out + (why.empty() ? "" : why + "\n");
  if (const auto& first = failure.rejections.front();
      failure.rejections.size() == 1 && explain::is_of_pod(first.code))
    return out + capitalized(own_sentence(first)) + "\n";
  out += rejected_nodes(failure.rejections, failure.rejections_total, options);
  return out + required_labels(failure.rejections, options) + would_evict(report);
}

std::string group_words(const Report& report, const Options& options) {
  const auto& answer = answer_of(report);
  if (!answer.group) return {};
  const auto& group = *answer.group;
  auto out = fmt::format("Together ({} of them", group.min_count);
  if (!group.topology_key.empty()) out += ", in one " + group.topology_key;
  out += "): " + (group.fits ? options.style.good("they fit") : options.style.bad("they do not fit"));
  if (!group.domain.empty()) out += ", in " + group.domain;
  out += ".\n";
  std::vector<Cells> rows;
  for (const auto& domain : group.domains) {
    if (rows.size() == kDomains) break;
    rows.push_back({domain.name,
                    fmt::format("{} of {} {}", domain.fitting, group.min_count, fit(domain.fitting)),
                    domain.missing ? fmt::format("{} short", domain.missing) : ""});
  }
  return out + (rows.empty() ? "" : table(rows, {Align::left}));
}

std::string changed(const Report& report) {
  const auto& answer = answer_of(report);
  if (answer.changes.empty()) return {};
  std::string out = "With these changes:\n";
  for (const auto& change : answer.changes) {
    out += fmt::format("  {}{}{}: {}\n", change.type, change.node.empty() ? "" : " ", change.node,
                       change.message);
  }
  return out;
}

std::string footer(const Report& report, const std::string& next = {}) {
  return note_lines(answer_of(report)) + not_modelled_line(answer_of(report).not_modelled) +
         "Nothing was created." + (next.empty() ? "" : " Compare: " + next) + "\n";
}

// "; all 4 do with preemption, which evicts 5 pods". Empty: no more fit with it.
std::string with_preemption(const explain::ReportAnswer& answer) {
  const auto& with = answer.with_preemption;
  if (!with) return {};
  const auto count =
      with->fitting == answer.asked ? fmt::format("all {}", answer.asked) : fmt::to_string(with->fitting);
  return fmt::format("; {}{} {} with preemption, which evicts {}", with->may_be_more ? "at least " : "",
                     count, with->fitting == 1 ? "does" : "do", counted(with->evicted, "pod"));
}

// "; for 4 with preemption, which evicts 5 pods": the same, of room.
std::string room_with_preemption(const explain::ReportAnswer& answer) {
  const auto& with = answer.with_preemption;
  if (!with) return {};
  auto out = fmt::format("; for {}{} with preemption, which evicts {}", with->may_be_more ? "at least " : "",
                         with->fitting, counted(with->evicted, "pod"));
  if (!answer.quotas.empty() && answer.quotas.front().allowed < with->fitting)
    out += fmt::format(", but quota {} allows {}", answer.quotas.front().name, answer.quotas.front().allowed);
  return out;
}

std::string more_quotas(const explain::ReportAnswer& answer) {
  const auto left = answer.quotas_total - answer.quotas.size();
  return left == 0 ? std::string() : fmt::format("and {}, which allow more.\n", counted(left, "more quota"));
}

// The quotas' use before the question: `capacity` tries more pods than anyone wants.
std::string quota_lines_now(const Report& report) {
  std::string out;
  const auto& answer = answer_of(report);
  for (const auto& quota : answer.quotas)
    out += fmt::format("Quota {} (namespace {}): {}.\n", quota.name, report.ns,
                       explain::quota_words_now(quota, answer.asked));
  return out + more_quotas(answer);
}

}  // namespace

std::string room_and_quota(const std::string& room, const std::string& quota, std::size_t allowed) {
  return fmt::format("the nodes have room for {}, quota {} allows {}", room, quota,
                     allowed == 0 ? "none" : fmt::to_string(allowed));
}

std::string room_line(const Report& report) {
  const auto words = room_words(report);
  if (words.empty()) return {};
  return capitalized(words) + ".\n" + short_of(report) + competing_line(answer_of(report).others_waiting);
}

std::string competing_line(std::size_t others_waiting) {
  if (others_waiting == 0) return {};
  return counted(others_waiting, "other pod waits", "other pods wait") +
         " for a node and may take some of this room first.\n";
}

std::string quota_verdict(const explain::ReportAnswer& answer) {
  const auto* quota = explain::exceeded_quota(answer);
  if (!quota) return {};
  const auto count = answer.fitting == answer.asked ? fmt::format("all {}", answer.asked)
                     : answer.fitting == 0          ? fmt::format("none of {}", answer.asked)
                                                    : fmt::format("{} of {}", answer.fitting, answer.asked);
  return room_and_quota(count, quota->name, quota->allowed);
}

std::string verdict(const explain::ReportAnswer& answer, const Style& style) {
  if (const auto text = quota_verdict(answer); !text.empty())
    return explain::running(answer) == 0 ? style.bad(text) : style.warn(text);
  const auto with = with_preemption(answer);
  if (answer.asked == 0) return style.bad("it selects no node, so it would have no pods");  // a DaemonSet
  if (answer.fitting == 0) return style.bad(fmt::format("none of {} fits", answer.asked)) + with;
  if (answer.fitting < answer.asked)
    return style.warn(fmt::format("{} of {} {}", answer.fitting, answer.asked, fit(answer.fitting))) + with;
  return style.good(fmt::format("all {} fit", answer.asked));
}

std::string note_lines(const explain::ReportAnswer& answer) {
  std::string out;
  for (const auto& note : answer.notes) out += fmt::format("Note: {}\n", note);
  return out;
}

std::string stuck_rollout_line(const Report& report) {
  const auto& answer = answer_of(report);
  if (!answer.stuck_rollout) return {};
  const auto& stuck = *answer.stuck_rollout;
  const auto& failure = stuck.first_failure;
  // The quota refuses that pod without the replaced ones too, which the first line says.
  const auto* quota = explain::exceeded_quota(answer);
  if (quota && failure.replica > 0 && stuck.updated >= quota->allowed) return {};
  const auto* rejection = main_rejection(failure.rejections);
  const auto least = rejection ? shortfall_words(*rejection) : std::string();
  const bool is_one_node = failure.replica == 0 && rejection && rejection->nodes == 1;  // of a DaemonSet
  const auto nodes = is_one_node && !rejection->examples.empty() ? rejection->examples.front()
                     : rejection                                 ? counted(rejection->nodes, "node")
                                                                 : std::string();
  auto why = rejection
                 ? fmt::format("{}{}{}", rejection_of(nodes, *rejection), least.empty() ? "" : "; ", least)
                 : failure.message;
  if (why.ends_with('.')) why.pop_back();
  const auto where = failure.replica == 0 ? fmt::format("after {} of {}", stuck.updated, answer.asked)
                                          : fmt::format("at replica {} of {}", failure.replica, answer.asked);
  return fmt::format("A rolling update (maxSurge {}, maxUnavailable {}) would get stuck {}: {}{}.\n",
                     stuck.max_surge, stuck.max_unavailable, where,
                     stuck.max_surge > 0 ? "next to the pods that it replaces, " : "", why);
}

std::string quota_lines(const Report& report) {
  std::string out;
  for (const auto& quota : answer_of(report).quotas)
    out += quota_line(quota, report.ns, answer_of(report).asked) + "\n";
  return out + more_quotas(answer_of(report));
}

std::string exceeded_quota_lines(const Report& report) {
  std::string out;
  const auto& answer = answer_of(report);
  for (const auto& quota : answer.quotas)
    if (quota.allowed < answer.asked) out += quota_line(quota, report.ns, answer.asked) + "\n";
  return out;
}

// A quota that refuses it comes first, then the node that it would get without
// the quota.
std::string one_pod(const Report& report, const std::string& subject, const Options& options) {
  const auto quotas = quota_lines(report);
  if (!explain::exceeded_quota(answer_of(report)))
    return why(report, subject, options) + stuck_rollout_line(report) + room_line(report) + quotas;
  auto by_nodes = report;
  by_nodes.status.outcome = answer_of(report).fitting > 0 ? "Fits" : "DoesNotFit";
  return fmt::format("{}: {}\n{}If it did not: ", options.style.bold(subject),
                     options.style.bad("a quota refuses it."), quotas) +
         why(by_nodes, subject, options) + room_line(report) +
         (by_nodes.status.outcome == "Fits" ? tried_fixes(report) : "");
}

std::string what_if(const Report& report, const std::string& subject, const Options& options,
                    const std::string& next) {
  if (refusal_of(report) || report.status.outcome == "Failed" || report.status.outcome.empty()) {
    return why(report, subject, options);
  }
  const auto room = room_words(report);
  if (answer_of(report).asked == 1) {
    return one_pod(report, subject, options) + node_verdicts(report, subject, options) +
           group_words(report, options) + changed(report) + footer(report, next);
  }
  const bool has_room = !room.empty() || answer_of(report).with_preemption;
  return fmt::format("{}: {}{}{}.\n", options.style.bold(subject), verdict(answer_of(report), options.style),
                     room.empty() ? "" : "; ", room) +
         stuck_rollout_line(report) + where_by_zone(report, options) + short_of(report) +
         (has_room ? competing_line(answer_of(report).others_waiting) : "") + stopped(report, options) +
         quota_lines(report) + node_verdicts(report, subject, options) + group_words(report, options) +
         changed(report) + tried_fixes(report) + footer(report, next);
}

std::string capacity(const Report& report, const std::string& subject, const Options& options) {
  const auto& answer = answer_of(report);
  if (refusal_of(report) || report.status.outcome == "Failed" || report.status.outcome.empty()) {
    return why(report, subject, options);
  }
  const auto name = options.style.bold(subject);
  const bool may_be_more = answer.fitting == answer.asked || ran_out_of_time(report);
  const auto room = may_be_more ? fmt::format("at least {}", answer.fitting) : fmt::to_string(answer.fitting);
  const auto* quota = explain::exceeded_quota(answer);
  const bool by_quota = quota && quota->allowed < answer.fitting;
  const auto text = by_quota ? room_and_quota(room, quota->name, quota->allowed)
                             : "room for " + (answer.fitting ? room : "none");
  return fmt::format("{}: {}{}.\n", name,
                     explain::running(answer) ? options.style.good(text) : options.style.bad(text),
                     by_quota ? "" : room_with_preemption(answer)) +
         where(report, options) + stopped(report, options) +
         (explain::running(answer) || answer.with_preemption ? competing_line(answer.others_waiting) : "") +
         quota_lines_now(report) + changed(report) + footer(report);
}

int exit_code(const Report& report) {
  if (refusal_of(report)) return kWrongInput;
  if (report.status.outcome == "Fits" || report.status.outcome == "Scheduled") return kAllFit;
  if (report.status.outcome == "PartlyFits") return kSomeFit;
  if (report.status.outcome == "DoesNotFit" || report.status.outcome == "Unschedulable") return kNoneFit;
  return kNoAnswer;
}

}  // namespace podium::render
