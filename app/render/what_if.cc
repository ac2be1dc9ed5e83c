#include "app/render/what_if.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "app/render/words.h"

namespace podium::render {
namespace {

constexpr std::size_t kNodes = 10, kWideNodes = 64, kDomains = 16, kNodesInLine = 4;

std::string verdict(const Report& report, const Options& options) {
  const auto& style = options.style;
  if (report.fitting == 0) return style.bad(fmt::format("none of {} fits", report.asked));
  if (report.fitting < report.asked) {
    return style.warn(fmt::format("{} of {} fit", report.fitting, report.asked));
  }
  return style.good(fmt::format("all {} fit", report.asked));
}

std::string room_words(const Beside& beside) {
  if (!beside.room) return {};
  if (beside.room->more == 0) return "; no room for more after that";
  return fmt::format("; room for {}{} more after that", beside.room->at_least ? "at least " : "",
                     beside.room->more);
}

// "After that 54 nodes: has not enough cpu free; least short: 1850m cpu."
std::string short_of(const Beside& beside) {
  if (!beside.room || !beside.room->failure) return {};
  const auto* rejection = main_rejection(beside.room->failure->rejections);
  if (!rejection) return {};
  const auto least = shortfall_words(*rejection);
  return fmt::format("After that {}: {}{}{}.\n", counted(rejection->nodes, "node"),
                     reason_words(rejection->reason), least.empty() ? "" : "; ", least);
}

// Pods by zone; empty where it is not known of all of them. New nodes are named after the one they are like.
std::map<std::string, std::size_t> by_zone(const Report& report, const Beside& beside) {
  std::map<std::string, std::size_t> out;
  if (report.placements_total > report.placements.size()) return {};
  for (const auto& placement : report.placements) {
    auto zone = beside.zone_of.find(placement.node);
    if (zone == beside.zone_of.end())
      zone = beside.zone_of.find(placement.node.substr(0, placement.node.rfind("-new-")));
    if (zone == beside.zone_of.end()) return {};
    out[zone->second] += placement.pods;
  }
  return out;
}

std::string nodes_in_line(const Report& report) {
  std::vector<std::string> nodes;
  for (const auto& placement : report.placements)
    nodes.push_back(fmt::format("{} {}", placement.node, placement.pods));
  return fmt::format("Nodes: {}.\n", listed(nodes, kNodesInLine));
}

std::string where(const Report& report, const Options& options) {
  if (report.placements.empty()) return {};
  std::vector<Cells> rows{{"NODE", "PODS"}};
  for (const auto& placement : report.placements) {
    if (rows.size() > (options.wide ? kWideNodes : kNodes)) break;
    rows.push_back({placement.node, fmt::to_string(placement.pods)});
  }
  auto out = table(rows, {Align::left, Align::right});
  if (const auto shown = rows.size() - 1; report.placements_total > shown) {
    out += fmt::format("  and {}\n", counted(report.placements_total - shown, "more node"));
  }
  return out;
}

// The pods by zone, beside what there is now; else by node.
std::string where_by_zone(const Report& report, const Options& options, const Beside& beside) {
  const auto then = by_zone(report, beside);
  if (then.empty() || options.wide) return where(report, options);
  std::set<std::string> zones;
  for (const auto& [node, zone] : beside.zone_of) zones.insert(zone);
  if (zones.size() < 2) return where(report, options);
  const auto number = [](const std::map<std::string, std::size_t>& counts, const std::string& zone) {
    const auto found = counts.find(zone);
    return fmt::to_string(found == counts.end() ? 0 : found->second);
  };
  std::vector<Cells> rows{beside.now ? Cells{"ZONE", "NOW", "THEN"} : Cells{"ZONE", "PODS"}};
  for (const auto& zone : zones) {
    rows.push_back(beside.now ? Cells{zone, number(*beside.now, zone), number(then, zone)}
                              : Cells{zone, number(then, zone)});
    if (rows.size() > kWideNodes) break;
  }
  return table(rows, {Align::left, Align::right}) + nodes_in_line(report);
}

// What stopped the first replica that did not fit. Where none did, the tables are of the first replica.
std::string stopped(const Report& report, const Options& options) {
  if (report.fitting == report.asked) return {};
  if (!report.failure) return turned_down(report.rejections, report.rejections_total, options);
  const auto& failure = *report.failure;
  auto out = fmt::format("Replica {} does not fit any more.\n", failure.replica);
  if (failure.rejections.empty()) return out + (failure.reason.empty() ? "" : failure.reason + "\n");
  return out + turned_down(failure.rejections, failure.rejections_total, options);
}

std::string group_words(const Report& report, const Options& options) {
  if (!report.group) return {};
  const auto& group = *report.group;
  auto out = fmt::format("Together ({} of them", group.min_count);
  if (!group.topology_key.empty()) out += ", in one " + group.topology_key;
  out += "): " + (group.fits ? options.style.good("they fit") : options.style.bad("they do not fit"));
  if (!group.domain.empty()) out += ", in " + group.domain;
  out += ".\n";
  std::vector<Cells> rows;
  for (const auto& domain : group.domains) {
    if (rows.size() == kDomains) break;
    rows.push_back({domain.name, fmt::format("{} of {} fit", domain.fitting, group.min_count),
                    domain.missing ? fmt::format("{} short", domain.missing) : ""});
  }
  return out + (rows.empty() ? "" : table(rows, {Align::left}));
}

std::string changed(const Report& report) {
  if (report.changes.empty()) return {};
  std::string out = "With these changes:\n";
  for (const auto& change : report.changes) {
    out += fmt::format("  {}{}{}: {}\n", change.type, change.node.empty() ? "" : " ", change.node,
                       change.message);
  }
  return out;
}

std::string footer(const Report& report, const std::string& next = {}) {
  std::string out;
  if (!report.not_modelled.empty()) {
    out += fmt::format("podium does not model: {}.\n", fmt::join(report.not_modelled, ", "));
  }
  return out + "Nothing was created." + (next.empty() ? "" : " Compare: " + next) + "\n";
}

}  // namespace

std::string what_if(const Report& report, const std::string& subject, const Options& options,
                    const Beside& beside) {
  if (report.refused || report.outcome == "Failed" || report.outcome.empty()) {
    return why(report, subject, options);
  }
  if (report.asked == 1) {
    return why(report, subject, options) + group_words(report, options) + changed(report) +
           footer(report, beside.next);
  }
  return fmt::format("{}: {}{}.\n", options.style.bold(subject), verdict(report, options),
                     room_words(beside)) +
         where_by_zone(report, options, beside) + short_of(beside) + stopped(report, options) +
         group_words(report, options) + changed(report) + tried_fixes(report) + footer(report, beside.next);
}

std::string capacity(const Report& report, const std::string& subject, const Options& options) {
  if (report.refused || report.outcome == "Failed" || report.outcome.empty()) {
    return why(report, subject, options);
  }
  const auto name = options.style.bold(subject);
  const auto room = report.fitting == report.asked ? fmt::format("at least {}", report.fitting)
                                                   : fmt::to_string(report.fitting);
  return fmt::format("{}: room for {}.\n", name,
                     report.fitting ? options.style.good(room) : options.style.bad("none")) +
         where(report, options) + stopped(report, options) + changed(report) + footer(report);
}

int exit_code(const Report& report) {
  if (report.refused) return 2;
  if (report.outcome == "Fits" || report.outcome == "Scheduled") return 0;
  if (report.outcome == "PartlyFits") return 3;
  if (report.outcome == "DoesNotFit" || report.outcome == "Unschedulable") return 4;
  return 1;
}

}  // namespace podium::render
