#include "explain/answer/fixes.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "explain/answer/fix_kinds.h"

namespace podium::explain {

void Fixes::add(Remedy remedy, const Trials::Landing& landing) {
  if (full()) return;
  auto node = landing.node_name;
  auto score = landing.score;
  // The node that is changed has the name of the field. With several replicas, it may take another replica.
  if (const auto* changed = remedy.fields.if_contains("nodeName"); changed && changed->get_string() != node) {
    node = changed->get_string();
    score.reset();
  }
  list_.push_back({.type = std::move(remedy.type),
                   .fields = std::move(remedy.fields),
                   .message = std::move(remedy.message),
                   .node = std::move(node),
                   .score = score,
                   .rank = landing.rank,
                   .feasible = landing.feasible,
                   .best_node = landing.best_node,
                   .best_score = landing.best_score,
                   .fitting = static_cast<std::size_t>(landing.fitting),
                   .may_be_more = landing.may_be_more,
                   .quota = landing.quota,
                   .quota_allows = landing.quota_allows});
}

std::vector<ReportFix> Fixes::take() {
  std::ranges::stable_sort(list_, std::greater(), &ReportFix::fitting);
  return std::move(list_);
}

std::vector<ReportFix> find_quota_fixes(const FixQuestion& question) {
  Fixes out;
  const Trials trials(question);
  add_quota_fixes(trials, out);
  return out.take();
}

FoundFixes find_fixes(const FixQuestion& question) {
  const Trials trials(question);
  if (trials.rejected().empty()) return {};
  Fixes out;
  add_constraint_fixes(trials, out);
  add_resource_fixes(trials, out);
  add_cluster_fixes(trials, out);
  const bool all_tried = out.empty() && add_pairs(trials, out) && trials.has_time();
  return {out.take(), all_tried};
}

}  // namespace podium::explain
