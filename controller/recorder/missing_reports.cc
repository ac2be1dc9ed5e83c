#include "controller/recorder/missing_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "controller/recorder/scope.h"
#include "log/log.h"

namespace podium::controller {
namespace {

constexpr std::size_t kNamed = 5;

bool is_recent(const api::Pod& pod, Wall now, std::chrono::seconds within) {
  const auto last = std::max(pod.meta.created.value_or(Wall{}), pod.start_time.value_or(Wall{}));
  return last > now - within;
}

}  // namespace

std::vector<ReportOwner> recently_placed(const cluster::Snapshot& snapshot, const config::Config& config,
                                         const config::Podium& settings, Wall now) {
  const auto& reports = settings.reports;
  const auto within = std::min<std::chrono::seconds>(kRecently, reports.ttl);
  std::vector<ReportOwner> out;
  snapshot.each_pod([&](const cluster::PodInfoPtr& info) {
    const auto& pod = *info->pod;
    if (!config.profile(pod.scheduler_name) || !is_recent(pod, now, within)) return;
    if (!is_wanted(reports, *info, true) || !is_in_scope(reports, pod.meta.namespace_, snapshot)) return;
    out.push_back({pod.meta.namespace_, pod.meta.name, pod.meta.uid});
  });
  return out;
}

std::vector<ReportOwner> without_report(const Retention& retention, std::vector<ReportOwner> pods) {
  std::erase_if(pods, [&](const ReportOwner& pod) {
    return retention.contains(pod.ns, pod.pod) || retention.contains(pod.ns, suffixed(pod.pod, pod.uid));
  });
  return pods;
}

void log_missing(const std::vector<ReportOwner>& pods) {
  if (pods.empty()) return;
  std::vector<std::string> names;
  for (const auto& pod : pods) names.push_back(pod.ns + "/" + pod.pod);
  const auto named = std::min(names.size(), kNamed);
  std::ranges::partial_sort(names, names.begin() + static_cast<std::ptrdiff_t>(named));
  names.resize(named);
  log::warn(
      "placed pods have no report, the previous leader may have ended before it wrote them pods={} "
      "first={:?}",
      pods.size(), fmt::format("{}", fmt::join(names, ", ")));
}

}  // namespace podium::controller
