#include "app/render/what_if.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/render/words.h"

namespace podium::render {
namespace {

constexpr std::size_t kNodes = 10, kWideNodes = 64, kDomains = 16;

std::string verdict(const Report& report, const Options& options) {
  const auto& style = options.style;
  if (report.fitting == 0) return style.bad(fmt::format("none of {} fits", report.asked));
  if (report.fitting < report.asked) {
    return style.warn(fmt::format("{} of {} fit", report.fitting, report.asked));
  }
  return style.good(fmt::format("all {} fit", report.asked));
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

std::string footer(const Report& report) {
  std::string out;
  if (!report.not_modelled.empty()) {
    out += fmt::format("podium does not model: {}.\n", fmt::join(report.not_modelled, ", "));
  }
  return out + "Nothing was created.\n";
}

}  // namespace

std::string what_if(const Report& report, const std::string& subject, const Options& options) {
  if (report.refused || report.outcome == "Failed" || report.outcome.empty()) {
    return why(report, subject, options);
  }
  if (report.asked == 1) {
    return why(report, subject, options) + group_words(report, options) + changed(report) + footer(report);
  }
  return fmt::format("{}: {}.\n", options.style.bold(subject), verdict(report, options)) +
         where(report, options) + stopped(report, options) + group_words(report, options) + changed(report) +
         tried_fixes(report) + footer(report);
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
