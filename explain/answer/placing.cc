#include "explain/answer/placing.h"

#include <algorithm>

#include "explain/answer/preempting.h"
#include "explain/workload/device_claims.h"
#include "scheduler/framework/evaluation_memo.h"

namespace podium::explain {
namespace {

// Evicts the pods that the decision would preempt. Returns their node; nullopt: that makes no room.
std::optional<cluster::Row> evict(const framework::Decision& decision, Placed& placed,
                                  cluster::Snapshot& fork) {
  const auto row = node_of_evictions(decision, fork);
  if (!row) return std::nullopt;
  for (const auto& victim : decision.preemption->victims) {
    remove_with_devices(*victim->pod, fork);
    if (victim->pod->terminating()) continue;  // it leaves anyhow
    ++placed.evicted;
    placed.evicted_from.insert(decision.preemption->node);
  }
  return row;
}

}  // namespace

bool leaves_claims(const Subject& subject) {
  return !subject.claims.empty() || !subject.claim_templates.empty() ||
         std::ranges::any_of(subject.pod.resource_claims, [](const api::PodResourceClaim& claim) {
           return claim.template_name.has_value();
         });
}

cluster::PodInfoPtr make_replica(const Replicas& replicas, std::int32_t index, cluster::Snapshot& fork,
                                 std::string_view node) {
  const auto& subject = replicas.subject;
  auto pod = replica_of(subject, replicas.pod, index);
  if (!node.empty()) pin_to_node(pod, node);
  make_claims(subject.claims, pod, fork);
  make_set_claims(subject, pod, fork);
  make_device_claims(replicas.claim_templates, pod, fork);
  return cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(pod)),
                                replicas.profile.request_rules);
}

Placed place_replicas(const Replicas& replicas, Count count, cluster::Snapshot& fork, const SeeReplica& see,
                      const SeeReplica& failed, const SeeReplica& each) {
  const auto& [subject, admitted, profile, budget, _] = replicas;
  const bool is_daemon_set = subject.kind == Subject::Kind::daemon_set;
  std::vector<std::string> pinned;
  if (is_daemon_set) {
    for (const auto row : daemon_rows(subject.pod, fork)) pinned.emplace_back(fork.node_name(row));
    count.asked = static_cast<std::int32_t>(pinned.size());
    count.more = 0;
  }
  Placed placed;
  placed.asked = count.asked;
  placed.next_start = count.start;
  std::size_t start = count.start;
  bool has_failed = false;
  const bool leaves = leaves_claims(subject);
  framework::EvaluationMemo memo;
  const framework::EvaluationMemo::Use use(memo);
  for (std::int32_t i = 0; i < count.asked + count.more; ++i) {
    const bool was_asked = i < count.asked;
    if (!was_asked && has_failed && !count.continues) break;
    if (i == count.asked) placed.before_more = fork;
    const bool in_time = has_time(budget);
    const auto number = placed.fitting() + placed.more;
    if (!in_time || number >= count.most || (leaves ? i : number) >= count.room) {
      if (was_asked) placed.ended = in_time ? Placed::Ended::out_of_memory : Placed::Ended::out_of_time;
      break;
    }
    const auto info =
        make_replica(replicas, i, fork, is_daemon_set ? pinned[static_cast<std::size_t>(i)] : "");
    const auto decision = count.is_one_attempt ? framework::evaluate(*info, fork, profile, start)
                                               : decide_in_attempts(*info, profile, budget, start, fork);
    placed.next_start = start = decision.next_start;
    std::string refused;
    if (i == count.seen && see) see({i, info, decision, fork, refused});
    auto row = decision.choice;
    if (!row && count.evicts) row = evict(decision, placed, fork);
    if (row) {
      if (auto failure = place_with_devices(info, *row, profile, fork))
        refused = std::move(*failure);
      else if (was_asked)
        placed.rows.push_back(*row);
      else
        ++placed.more;
    }
    if (each) each({i, info, decision, fork, refused});
    if (row && refused.empty()) continue;
    if (!has_failed && failed) failed({i, info, decision, fork, refused});
    has_failed = true;
    placed.counted = true;
    // The pods of a parallel set have claims of their own: another one may fit.
    if (!is_daemon_set && !subject.is_parallel && !count.continues) break;
  }
  return placed;
}

}  // namespace podium::explain
