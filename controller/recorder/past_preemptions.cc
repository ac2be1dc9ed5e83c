#include "controller/recorder/past_preemptions.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "controller/report/preempting_reports.h"
#include "explain/report/json.h"
#include "log/log.h"

namespace podium::controller {
namespace {

constexpr std::int64_t kReportsOfAPage = 100;
constexpr std::chrono::seconds kPageWithin{10};

}  // namespace

client::Task<std::vector<PastPreemption>> read_past_preemptions(client::Api& api,
                                                                std::function<bool()> may_continue) {
  std::vector<PastPreemption> out;
  const std::function<bool(std::vector<boost::json::value>)> take =
      [&](std::vector<boost::json::value> page) {
        for (const auto& object : page) {
          auto report = explain::read_report(object);
          if (report.is_question || !report.status.preemption || out.size() == kMostPast) continue;
          out.push_back({{report.ns, report.pod, report.pod_uid},
                         report.status.outcome == explain::kScheduled,
                         std::move(*report.status.preemption)});
        }
        return out.size() < kMostPast && may_continue();
      };
  client::CallOptions options;
  options.deadline = kPageWithin;
  const auto listed = co_await list_preempting(api, "", kReportsOfAPage, take, options);
  if (!listed && may_continue())
    log::info("cannot read the reports of earlier preemptions error={:?}", listed.error().text());
  std::ranges::stable_sort(out, std::ranges::greater(), [](const PastPreemption& each) {
    return each.preempted.decided_at.value_or(Wall{});
  });
  co_return out;
}

void remove_living_victims(const std::vector<cluster::PodInfoPtr>& pods, std::vector<PastPreemption>& past) {
  using Name = std::pair<std::string_view, std::string_view>;
  std::set<Name> victims, living;
  for (const auto& each : past) {
    for (const auto& victim : each.preempted.victims) victims.emplace(victim.ns, victim.name);
  }
  for (const auto& info : pods) {
    const auto& meta = info->pod->meta;
    if (!meta.deleted && victims.contains(Name(meta.namespace_, meta.name)))
      living.emplace(meta.namespace_, meta.name);
  }
  for (auto& each : past) {
    std::erase_if(each.preempted.victims, [&](const explain::NamespacedName& victim) {
      return living.contains(Name(victim.ns, victim.name));
    });
  }
}

}  // namespace podium::controller
