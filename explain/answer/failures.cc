#include "explain/answer/failures.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "api/values/quantity.h"
#include "explain/report/reason_words.h"

namespace podium::explain {
namespace {

constexpr std::size_t kRejections = bound_of(&FirstFailure::rejections).items,
                      kNames = bound_of(&ReportRejection::taints).items;

void add_names(const std::vector<std::string>& names, std::vector<std::string>& to) {
  for (const auto& name : names) {
    if (to.size() == kNames) return;
    if (std::ranges::find(to, name) == to.end()) to.push_back(name);
  }
}

bool is_less(const std::string& a, const std::string& b) {
  const auto first = api::Quantity::parse(a), second = api::Quantity::parse(b);
  return first && second && *first < *second;
}

void add_shortfall(const std::optional<MissingAmount>& other, std::optional<MissingAmount>& to) {
  if (!other) return;
  const auto without = other->nodes_without + (to ? to->nodes_without : 0);
  if (!to || is_less(other->least, to->least)) to = other;
  to->nodes_without = without;
}

void add(const ReportRejection& other, ReportRejection& to) {
  to.nodes += other.nodes;
  to.preemption_may_help |= other.preemption_may_help;
  if (to.about != other.about) {
    to.about.clear();
    to.similar.clear();
  }
  add_shortfall(other.shortfall, to.shortfall);
  add_names(other.taints, to.taints);
  if (!to.near_toleration) to.near_toleration = other.near_toleration;
  to.taints_total = std::max(to.taints.size(), std::max(to.taints_total, other.taints_total));
  add_names(other.examples, to.examples);
}

}  // namespace

FirstFailure failure_of(const ReplicaSeen& seen, const ReportStatus& failed) {
  return {.replica = static_cast<std::size_t>(seen.index) + 1,
          .reason = seen.refused.empty() ? main_reason(failed) : cut(seen.refused, kReasonBytes),
          .message = seen.refused.empty() ? failed.message : seen.refused,
          .node_counts = failed.node_counts,
          .rejections = failed.rejections,
          .rejections_total = failed.rejections_total};
}

void keep_own_node(ReportStatus& failed) {
  const auto others = framework::row_of(framework::ReasonCode::excluded_by_name).name;
  failed.rejections_total -=
      std::erase_if(failed.rejections, [&](const ReportRejection& each) { return each.code == others; });
}

void add_node(const ReportStatus& failed, FirstFailure& failure) {
  auto& known = failure.rejections;
  for (const auto& other : failed.rejections) {
    const auto same = std::ranges::find_if(known, [&](const ReportRejection& each) {
      return each.plugin == other.plugin && each.code == other.code && each.reason == other.reason;
    });
    if (same != known.end())
      add(other, *same);
    else if (++failure.rejections_total; known.size() < kRejections)
      known.push_back(other);
  }
  std::ranges::stable_sort(known, std::greater(), &ReportRejection::nodes);
}

}  // namespace podium::explain
