#include "explain/answer/preempting.h"

#include <algorithm>

#include "api/values/static_pod.h"
#include "explain/answer/fixes.h"

namespace podium::explain {

std::optional<WithPreemption> count_with_preemption(const Replicas& replicas, Count count,
                                                    const Placed& placed, cluster::Snapshot fork) {
  if (placed.fitting() >= kMostPreempting) return std::nullopt;
  count.more = 0;
  count.evicts = true;
  count.most = std::min(count.most, kMostPreempting);
  const auto with = place_replicas(replicas, count, fork, {}, {});
  // Without evictions, only pods that terminate make room: they need no preemption.
  if (with.fitting() <= placed.fitting() || with.evicted == 0) return std::nullopt;
  return WithPreemption{.fitting = static_cast<std::size_t>(with.fitting()),
                        .evicted = with.evicted,
                        .may_be_more = with.ended != Placed::Ended::done};
}

std::optional<cluster::Row> node_of_evictions(const framework::Decision& decision,
                                              const cluster::Snapshot& fork) {
  if (!decision.preemption) return std::nullopt;
  const auto is_static = [](const cluster::PodInfoPtr& pod) { return api::is_static(*pod->pod); };
  if (std::ranges::any_of(decision.preemption->victims, is_static)) return std::nullopt;
  return fork.find_row(decision.preemption->node);
}

void name_own_victims(const std::string& ns, ReportStatus& status) {
  if (!status.preemption) return;
  const auto is_of_other = [&ns](const NamespacedName& each) { return each.ns != ns; };
  std::erase_if(status.preemption->victims, is_of_other);
  std::erase_if(status.preemption->violated_budgets, is_of_other);
}

std::size_t count_other_victims(const framework::Decision& decision, const std::string& ns) {
  if (!decision.preemption) return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(decision.preemption->victims,
                            [&ns](const auto& victim) { return victim->pod->meta.namespace_ != ns; }));
}

}  // namespace podium::explain
