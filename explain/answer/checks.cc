#include "explain/answer/checks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/admission/quota.h"
#include "api/values/quantity.h"
#include "explain/report/each_field.h"
#include "explain/report/project.h"
#include "explain/report/reason_words.h"
#include "explain/report/report.h"
#include "scheduler/plugins/shared/unmet.h"
#include "scheduler/plugins/shared/untolerated.h"

namespace podium::explain {
namespace {

constexpr std::size_t kChecks = bound_of(&NodeVerdict::checks).items, kReasonsOfCheck = 4,
                      kTaints = bound_of(&FilterCheck::taints).items,
                      kMostResources = bound_of(&NodeVerdict::resources).items;
constexpr std::size_t kCheckReasonBytes = 256, kPartBytes = 512, kValueBytes = 253;

std::optional<framework::Verdict> verdict_of(const framework::PreparedFilter& prepared,
                                             const std::string& node, cluster::Row row) {
  if (prepared.rejected) return prepared.rejected;
  if (prepared.only && !prepared.only->contains(node))
    return framework::Verdict{"",
                              framework::Code::unschedulable_and_unresolvable,
                              {framework::Reason(framework::ReasonCode::excluded_by_name)}};
  return prepared.filter ? prepared.filter->check(row, {}) : std::nullopt;
}

}  // namespace

Checks::Checks(const cluster::PodInfo& pod, const cluster::Snapshot& fork, const framework::Profile& profile)
    : pod_(pod), fork_(fork) {
  for (const auto& entry : profile.filters) {
    if (!entry.plugin) continue;
    auto prepared = entry.plugin->prepare_filter(pod, fork);
    const bool concerns_pod = prepared.rejected || prepared.only || prepared.filter;
    if (concerns_pod) filters_.push_back({entry.name, std::move(prepared)});
  }
}

std::vector<UnmetOnNode> Checks::unmet_on_node(cluster::Row row) const {
  std::vector<UnmetOnNode> out;
  for (auto& part : plugins::unmet_on(*pod_.pod, row, fork_)) {
    auto& unmet = out.emplace_back(from_text(part.from), cut(std::move(part.text), kPartBytes));
    unmet.key = std::move(part.key);
    unmet.has_label = part.value.has_value();
    unmet.value = cut(std::move(part.value).value_or(""), kValueBytes);
  }
  return out;
}

void Checks::add_to(NodeVerdict& verdict) const {
  const auto row = fork_.find_row(verdict.node);
  if (!row) return;
  for (const auto& [plugin, prepared] : filters_) {
    if (verdict.checks.size() == kChecks) break;
    auto& check = verdict.checks.emplace_back(plugin);
    const auto rejects = verdict_of(prepared, verdict.node, *row);
    if (!rejects) continue;
    for (const auto& reason : rejects->reasons) {
      if (check.reasons.size() == kReasonsOfCheck) break;
      check.reasons.push_back(cut(reason.text, kCheckReasonBytes));
      check.causes.push_back(cause_of(reason));
    }
    if (check.reasons.empty()) check.reasons.emplace_back("rejected");
    check.passes = false;
    if (std::ranges::any_of(rejects->reasons, [](const framework::Reason& reason) {
          return reason.code == framework::ReasonCode::node_selector_mismatch;
        }))
      check.unmet = unmet_on_node(*row);
    if (rejects->reasons.size() == 1 &&
        rejects->reasons.front().code == framework::ReasonCode::untolerated_taint) {
      check.taints = plugins::Untolerated(*pod_.pod).on(fork_, *row);
      check.taints.resize(std::min(check.taints.size(), kTaints));
      check.near_toleration = near_toleration(pod_, fork_, *row);
    }
  }
  const auto add = [&](std::string_view name, std::int64_t requested, std::int64_t allocatable,
                       std::int64_t taken) {
    if (requested <= 0 || verdict.resources.size() == kMostResources) return;
    const auto text = [name](std::int64_t amount) {
      return api::quota_text(
          name, name == "cpu" ? api::Quantity::from_milli(amount) : api::Quantity::from_units(amount));
    };
    verdict.resources.push_back(
        {std::string(name), text(requested),
         text(std::max<std::int64_t>(0, cluster::wrapping_minus(allocatable, taken)))});
  };
  const auto& requests = pod_.requests;
  add("cpu", requests.milli_cpu, fork_.allocatable_milli_cpu[*row], fork_.requested_milli_cpu[*row]);
  add("memory", requests.memory, fork_.allocatable_memory[*row], fork_.requested_memory[*row]);
  add("ephemeral-storage", requests.ephemeral_storage, fork_.allocatable_ephemeral[*row],
      fork_.requested_ephemeral[*row]);
  for (const auto& [name, amount] : requests.scalars) {
    const auto* column = fork_.scalar(name);
    add(name, amount, column ? column->allocatable[*row] : 0, column ? column->requested[*row] : 0);
  }
}

}  // namespace podium::explain
