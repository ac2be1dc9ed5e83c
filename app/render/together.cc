#include "app/render/together.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "app/render/what_if.h"
#include "app/render/words.h"
#include "app/render/workload.h"

namespace podium::render {
namespace {

constexpr std::size_t kPlaces = 4;

bool fits(const Together& workload) { return workload.report.status.outcome == "Fits"; }

// A place and its number of pods. If a quota admits fewer pods than fit, only a single place has a number.
std::string place(const explain::ReportAnswer& answer, const std::string& name, std::size_t count) {
  const auto running = explain::running(answer);
  if (running == answer.fitting) return fmt::format("{} {}", name, count);
  return count == answer.fitting ? fmt::format("{} {}", name, running) : name;
}

// The node of a single pod. With the workloads after it, it may be drawn to another of the equal nodes.
std::string only_place(const Report& report) {
  const auto& node = answer_of(report).placements.front().node;
  const auto& choice = report.status.choice;
  return node + (choice && choice->tied_nodes > 1 ? " or an equal node" : "");
}

// "eu-1a 34, eu-1b 33"; by node if the nodes have no zones. Where a quota admits fewer pods than the nodes
// have room for: "among eu-1a and eu-1b".
std::string where(const Report& report) {
  const auto& answer = answer_of(report);
  if (explain::running(answer) == 0) return "-";
  std::vector<std::string> places;
  auto zones = answer.zones;
  std::ranges::sort(zones, {}, &explain::ZonePlacements::name);
  for (const auto& zone : zones) {
    if (zone.count > 0) places.push_back(place(answer, zone.name, zone.count));
  }
  const bool by_node = places.empty();
  for (const auto& placement : answer.placements) {
    if (!by_node) break;
    places.push_back(answer.asked == 1 ? only_place(report) : place(answer, placement.node, placement.count));
  }
  if (places.empty()) return "-";
  const auto total = by_node ? answer.placements_total : places.size();
  const bool is_choice = total > 1 && explain::running(answer) < answer.fitting;
  return (is_choice ? "among " : "") + listed(places, kPlaces, total);
}

std::string limited_by(const Report& report) {
  if (const auto* refusal = refusal_of(report)) return "refused: " + *refusal;
  const auto& answer = answer_of(report);
  const auto* quota = explain::exceeded_quota(answer);
  if (quota && quota->allowed <= answer.fitting) return "quota " + quota->name;
  if (answer.fitting >= answer.asked) return "";
  const auto& rejections = answer.first_failure ? answer.first_failure->rejections : report.status.rejections;
  const auto* main = main_rejection(rejections);
  if (!main) return answer.first_failure ? answer.first_failure->message : report.status.message;
  const auto least = shortfall_words(*main);
  const auto& preemption = report.status.preemption;
  return rejection_of(counted(main->nodes, "node"), *main) + (least.empty() ? "" : "; " + least) +
         (preemption
              ? fmt::format("; would evict {} on {}{}{}", counted(preemption->total, "pod"), preemption->node,
                            violated_budgets_words(*preemption), static_pods_words(*preemption))
              : "");
}

bool has(const std::vector<std::string>& list, const std::string& what) {
  return std::ranges::find(list, what) != list.end();
}

// What no answer models; workloads without an answer do not count.
std::vector<std::string> common_doubts(const std::vector<Together>& workloads) {
  std::optional<std::vector<std::string>> common;
  for (const auto& [_, report] : workloads) {
    if (refusal_of(report)) continue;
    const auto& own = answer_of(report).not_modelled;
    if (!common) common = own;
    std::erase_if(*common, [&](const auto& what) { return !has(own, what); });
  }
  return common.value_or(std::vector<std::string>());
}

}  // namespace

std::string together(const std::vector<Together>& workloads, const Options& options) {
  std::vector<std::string> others;
  std::vector<Cells> rows{{"WORKLOAD", "ASKED", "FIT", "WHERE", "LIMITED BY"}};
  for (const auto& workload : workloads) {
    const auto& answer = answer_of(workload.report);
    const bool is_refused = refusal_of(workload.report);
    if (!fits(workload)) others.push_back(workload.subject);
    rows.push_back({workload.subject, is_refused ? "-" : fmt::to_string(answer.asked),
                    is_refused ? "-" : fmt::to_string(explain::running(answer)), where(workload.report),
                    limited_by(workload.report)});
  }
  const auto all = counted(workloads.size(), "workload");
  // The pods of one namespace do not know those of another.
  const bool is_one = std::ranges::all_of(
      workloads, [&](const Together& each) { return each.report.ns == workloads.front().report.ns; });
  const auto* fit = is_one ? "fit together" : "fit, each namespace alone";
  std::string out;
  if (workloads.size() == 1) {
    const bool some = workloads.front().report.status.outcome == "PartlyFits";
    out = fmt::format("{} {}.\n", workloads.front().subject,
                      others.empty() ? options.style.good("fits")
                      : some         ? options.style.warn("fits in part")
                                     : options.style.bad("does not fit"));
  } else if (others.empty()) {
    out = fmt::format("All {} {}.\n", all, options.style.good(fit));
  } else {
    out = fmt::format("{} of {} {}; {} {}.\n", workloads.size() - others.size(), all, fit,
                      listed(others, kPlaces), options.style.bad(others.size() == 1 ? "does not" : "do not"));
  }
  const auto common = common_doubts(workloads);
  out += table(rows, {Align::left, Align::right, Align::right, Align::left});
  for (const auto& [subject, report] : workloads) {
    const auto& answer = answer_of(report);
    if (const auto line = stuck_rollout_line(report); !line.empty())
      out += fmt::format("{}: {}", subject, line);
    for (const auto& quota : answer.quotas) {
      if (quota.allowed < answer.asked)
        out += fmt::format("{}: {}\n", subject, quota_line(quota, report.ns, answer.asked));
    }
    out += fixes_in_line(report, options, subject + ": ");
    for (const auto& note : answer.notes) out += fmt::format("{}: note: {}\n", subject, note);
    auto doubts = answer.not_modelled;
    std::erase_if(doubts, [&](const auto& what) { return has(common, what); });
    if (!doubts.empty()) out += fmt::format("{}: {}", subject, not_modelled_line(doubts));
  }
  return out + not_modelled_line(common);
}

}  // namespace podium::render
