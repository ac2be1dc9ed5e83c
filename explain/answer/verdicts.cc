#include "explain/answer/verdicts.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "explain/answer/checks.h"
#include "explain/report/each_field.h"
#include "explain/report/reason_words.h"
#include "explain/report/report.h"
#include "explain/workload/device_claims.h"
#include "scheduler/plugins/shared/unmet.h"

namespace podium::explain {
namespace {

constexpr std::size_t kDomains = bound_of(&GroupAnswer::domains).items,
                      kReasons = bound_of(&NodeVerdict::reasons).items,
                      kVerdictReasonBytes = bound_of(&NodeVerdict::reasons).bytes;

void reject(const framework::Verdict& verdict, NodeVerdict& out) {
  out.plugin = verdict.plugin;
  for (const auto& reason : verdict.reasons) {
    if (out.reasons.size() == kReasons) break;
    out.reasons.push_back(cut(reason.text, kVerdictReasonBytes));
    out.causes.push_back(cause_of(reason));
  }
  if (!out.causes.empty()) out.code = out.causes.front().code;
}

// Places the group in one domain.
std::size_t fitting_in(const Replicas& replicas, std::int32_t count, const std::string& key,
                       const std::string& domain, cluster::Snapshot fork) {
  auto pod = replicas.pod;
  pod.node_selector.set(key, domain);
  const Replicas inside{replicas.subject, pod, replicas.profile, replicas.budget, replicas.claim_templates};
  return static_cast<std::size_t>(place_replicas(inside, {count}, fork, {}, {}).fitting());
}

// `full_claim`: why no node can take the pod although the filters let it pass.
NodeVerdict verdict_on(const std::string& node, const framework::Decision& decision,
                       const std::optional<std::string>& full_claim, const cluster::Snapshot& fork) {
  NodeVerdict out{.node = node};
  const auto row = fork.find_row(node);
  if (!row) {
    out.reasons = {no_node(node, plugins::similar_nodes(node, fork))};
    out.code = kUnknownNode;
    return out;
  }
  if (!decision.fits() || !decision.feasible.test(*row)) {
    const auto& rejections = decision.rejections;
    const bool has_verdict = !rejections.verdicts().empty() && rejections.id(*row) != framework::kFits;
    const auto& whole = decision.pre_enqueue ? decision.pre_enqueue : decision.pre_filter;
    if (has_verdict)
      reject(rejections.verdict(rejections.id(*row)), out);
    else if (whole)
      reject(*whole, out);
    else if (!decision.error.empty())
      out.reasons = {decision.error};
    else
      out.reasons = {decision.has_filtered ? "not evaluated: percentageOfNodesToScore ended the search"
                                           : decision.message};
    return out;
  }
  if (full_claim) {
    out.reasons = {cut(*full_claim, kVerdictReasonBytes)};
    return out;
  }
  out.fits = true;
  if (decision.total.empty()) return out;
  out.score = decision.total[*row];
  for (const auto& strategy : decision.strategies) out.strategy_scores.push_back(strategy.at(*row));
  std::size_t better = 0;
  decision.feasible.each([&](cluster::Row other) { better += decision.total[other] > *out.score ? 1 : 0; });
  out.rank = better + 1;
  return out;
}

}  // namespace

std::vector<NodeVerdict> verdicts_on(const std::vector<std::string>& nodes, const ReplicaSeen& seen,
                                     const framework::Profile& profile, const Budget& budget) {
  std::vector<NodeVerdict> out;
  const auto full_claim = words_of_full_claim(*seen.pod->pod, seen.fork);
  const Checks checks(*seen.pod, seen.fork, profile);
  for (const auto& node : nodes) {
    if (!has_time(budget)) break;
    out.push_back(verdict_on(node, seen.decision, full_claim, seen.fork));
    if (out.size() <= kMostChecked) checks.add_to(out.back());
  }
  return out;
}

GroupAnswer group_answer(const Replicas& replicas, std::int32_t min_count, const std::string& topology_key,
                         std::int32_t fitting, const std::string& preferred, const cluster::Snapshot& fork) {
  GroupAnswer out;
  out.min_count = static_cast<std::size_t>(min_count);
  out.topology_key = topology_key;
  if (topology_key.empty()) {
    out.fits = fitting >= min_count;
    return out;
  }
  std::set<std::string> domains;
  for (const auto row : fork.rows_by_name()) {
    if (const auto* value = fork.entry(row).node->meta.labels.find(topology_key)) domains.insert(*value);
  }
  for (const auto& name : domains) {
    if (!has_time(replicas.budget)) break;
    const auto count = fitting_in(replicas, min_count, topology_key, name, fork);
    out.domains.push_back({name, count, out.min_count - count});
    if (count == out.min_count && (out.domain.empty() || name == preferred)) out.domain = name;
  }
  out.fits = !out.domain.empty();
  out.domains_total = domains.size();
  std::ranges::stable_sort(out.domains, std::greater(), &GroupDomain::fitting);
  if (out.domains.size() > kDomains) out.domains.resize(kDomains);
  return out;
}

}  // namespace podium::explain
