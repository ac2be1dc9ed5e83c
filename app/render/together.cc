#include "app/render/together.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/render/what_if.h"
#include "app/render/words.h"

namespace podium::render {
namespace {

constexpr std::size_t kPlaces = 4;

bool fits(const Together& workload) { return workload.report.status.outcome == "Fits"; }

// "eu-1a 34, eu-1b 33"; by node if the nodes have no zones.
std::string where(const Report& report) {
  const auto& answer = answer_of(report);
  std::vector<std::string> places;
  auto zones = answer.zones;
  std::ranges::sort(zones, {}, &explain::ZonePlacements::name);
  for (const auto& zone : zones) {
    if (zone.count > 0) places.push_back(fmt::format("{} {}", zone.name, zone.count));
  }
  const bool by_node = places.empty();
  for (const auto& placement : answer.placements) {
    if (!by_node) break;
    places.push_back(answer.asked == 1 ? placement.node
                                       : fmt::format("{} {}", placement.node, placement.count));
  }
  if (places.empty()) return "-";
  return listed(places, kPlaces, by_node ? answer.placements_total : places.size());
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
              ? fmt::format("; would evict {} on {}", counted(preemption->total, "pod"), preemption->node)
              : "");
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
  std::string out;
  if (workloads.size() == 1)
    out = fmt::format("{} {}.\n", workloads.front().subject,
                      others.empty() ? options.style.good("fits") : options.style.bad("does not fit"));
  else if (others.empty())
    out = fmt::format("All {} {}.\n", all, options.style.good("fit together"));
  else
    out = fmt::format("{} of {} fit together; {} {}.\n", workloads.size() - others.size(), all,
                      listed(others, kPlaces), options.style.bad(others.size() == 1 ? "does not" : "do not"));
  out += table(rows, {Align::left, Align::right, Align::right, Align::left});
  for (const auto& [subject, report] : workloads) {
    const auto& answer = answer_of(report);
    if (const auto line = stuck_rollout_line(report); !line.empty())
      out += fmt::format("{}: {}", subject, line);
    for (const auto& quota : answer.quotas) {
      if (quota.allowed < answer.asked)
        out += fmt::format("{}: {}\n", subject, quota_line(quota, report.ns, answer.asked));
    }
  }
  return out;
}

}  // namespace podium::render
