#include "explain/answer/placing.h"

#include "explain/workload/device_claims.h"
#include "scheduler/framework/placement.h"
#include "scheduler/framework/score_memo.h"

namespace podium::explain {

Placed place_replicas(const Replicas& replicas, Count count, cluster::Snapshot& fork, const SeeReplica& first,
                      const SeeReplica& failed) {
  const auto& [subject, admitted, profile, budget, claim_templates] = replicas;
  const bool is_daemon_set = subject.kind == Subject::Kind::daemon_set;
  std::vector<std::string> pinned;
  if (is_daemon_set) {
    for (const auto row : daemon_rows(subject.pod, fork)) pinned.emplace_back(fork.node_name(row));
    count = {.asked = static_cast<std::int32_t>(pinned.size()), .most = count.most};
  }
  Placed placed;
  placed.asked = count.asked;
  std::size_t start = 0;
  bool has_failed = false;
  framework::ScoreMemo memo;
  const framework::ScoreMemo::Use use(memo);
  for (std::int32_t i = 0; i < count.asked + count.more; ++i) {
    const bool was_asked = i < count.asked;
    const bool in_time = !budget || budget();
    if (!in_time || placed.fitting() + placed.more >= count.most) {
      if (was_asked) placed.ended = in_time ? Placed::Ended::out_of_memory : Placed::Ended::out_of_time;
      break;
    }
    auto pod = replica_of(subject, admitted, i);
    if (is_daemon_set) pin_to_node(pod, pinned[static_cast<std::size_t>(i)]);
    make_claims(subject.claims, pod, fork);
    make_set_claims(subject, pod, fork);
    make_device_claims(claim_templates, pod, fork);
    const auto info =
        cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(pod)), profile.request_rules);
    const auto decision = framework::evaluate(*info, fork, profile, start);
    start = decision.next_start;
    std::string refused;
    if (i == 0 && first) first({i, info, decision, fork, refused});
    if (decision.fits()) {
      if (const auto failure = framework::place(info, *decision.choice, profile, fork))
        refused = failure->message("Reserve");
      else if (was_asked)
        placed.rows.push_back(*decision.choice);
      else
        ++placed.more;
    }
    if (decision.fits() && refused.empty()) continue;
    if (!has_failed && failed) failed({i, info, decision, fork, refused});
    has_failed = true;
    placed.counted = true;
    if (!is_daemon_set) break;
  }
  return placed;
}

}  // namespace podium::explain
