#include "scheduler/extender/preemption.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/text_hash.h"
#include "log/log.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::extender {
namespace {

// Sorted by node name. A pod without a cached text was deleted and is left out.
std::vector<Victims> victims_of(const std::vector<PreemptionCandidate>& candidates,
                                const framework::Snapshot& snapshot, const ObjectTexts& texts,
                                bool with_texts) {
  std::vector<Victims> out;
  for (const auto& candidate : candidates) {
    auto& victims = out.emplace_back();
    victims.node = snapshot.node_name(candidate.row);
    victims.budget_violations = candidate.budget_violations;
    for (const auto& pod : candidate.victims) {
      victims.uids.push_back(pod->pod->meta.uid);
      if (!with_texts) continue;
      if (auto text = texts.pod(victims.uids.back())) victims.pods.push_back(std::move(text));
    }
  }
  std::ranges::sort(out, {}, &Victims::node);
  return out;
}

Result<PreemptionCandidate> to_candidate(const Victims& victims, const HttpExtender& extender,
                                         const framework::Snapshot& snapshot) {
  const auto row = snapshot.find_row(victims.node);
  if (!row)
    return fail(Error::Kind::internal,
                fmt::format("nodeinfo not found for node name \"{}\"", readable(victims.node)));
  PreemptionCandidate out{.row = *row, .budget_violations = victims.budget_violations};
  std::unordered_map<std::string_view, framework::PodInfoPtr, TextHash> pods;
  for (const auto& pod : snapshot.entry(*row).pods) pods.emplace(pod->pod->meta.uid, pod);
  std::unordered_set<std::string_view, TextHash> named;
  for (const auto& uid : victims.uids) {
    if (!named.insert(uid).second) continue;  // is evicted once
    const auto pod = pods.find(uid);
    if (pod == pods.end()) {
      return fail(
          Error::Kind::internal,
          fmt::format(
              "extender: {} claims to preempt pod (UID: &{{{}}}) on node: {}, but the pod is not found on "
              "that node",
              extender.name(), readable(uid), victims.node));
    }
    out.victims.push_back(pod->second);
  }
  return out;
}

// The budgets that the remaining victims violate stay known.
void keep_violated(const std::vector<PreemptionCandidate>& before, std::vector<PreemptionCandidate>& left) {
  std::unordered_map<framework::Row, const PreemptionCandidate*> by_row;
  for (const auto& candidate : before)
    if (!candidate.violated.empty()) by_row.emplace(candidate.row, &candidate);
  for (auto& candidate : left) {
    const auto known = by_row.find(candidate.row);
    if (known == by_row.end()) continue;
    const std::unordered_set<framework::PodInfoPtr> victims(candidate.victims.begin(),
                                                            candidate.victims.end());
    for (const auto& each : known->second->violated)
      if (victims.contains(each.victim)) candidate.violated.push_back(each);
  }
}

}  // namespace

Result<std::vector<PreemptionCandidate>> to_candidates(const std::vector<Victims>& reply,
                                                       const HttpExtender& extender,
                                                       const framework::Snapshot& snapshot) {
  std::vector<PreemptionCandidate> out;
  for (const auto& victims : reply) {
    auto candidate = to_candidate(victims, extender, snapshot);
    if (!candidate) return std::unexpected(candidate.error());
    out.push_back(std::move(*candidate));
  }
  if (extender.ignorable()) {
    std::erase_if(out, [](const auto& candidate) { return candidate.victims.empty(); });
    return out;
  }
  const auto without_victims =
      std::ranges::find_if(out, [](const auto& candidate) { return candidate.victims.empty(); });
  if (without_victims == out.end()) return out;
  return fail(Error::Kind::internal, framework::no_victims_error(snapshot.node_name(without_victims->row)));
}

client::Task<Result<std::vector<PreemptionCandidate>>> call_preempt_verbs(
    const Extenders* extenders, framework::PodInfoPtr pod, Text pod_text, const framework::Snapshot* snapshot,
    std::vector<PreemptionCandidate> candidates) {
  for (const auto& extender : extenders->all()) {
    if (candidates.empty()) break;
    if (!extender->preempts() || !extender->interested(**pod)) continue;
    if (!pod_text) co_return fail(Error::Kind::internal, "the pod no longer exists");
    auto asked = victims_of(candidates, *snapshot, extenders->texts(), extender->wants_nodes());
    const auto reply = co_await extender->preempt(pod_text, std::move(asked));
    auto left = reply ? to_candidates(*reply, *extender, *snapshot)
                      : Result<std::vector<PreemptionCandidate>>(std::unexpected(reply.error()));
    if (left) {
      keep_violated(candidates, *left);
      candidates = std::move(*left);
    } else if (extender->ignorable()) {
      log::info("skipping ignorable extender in preemption extender={} pod={} error={:?}", extender->name(),
                (*pod)->full_name(), left.error().message);
    } else {
      co_return std::unexpected(left.error());
    }
  }
  co_return Result<std::vector<PreemptionCandidate>>(std::move(candidates));
}

}  // namespace podium::extender
