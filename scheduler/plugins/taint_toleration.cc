// TaintToleration: rejects nodes with a NoSchedule or NoExecute taint that the pod does not tolerate. Prefers
// nodes with few PreferNoSchedule taints that it does not tolerate.
// Source: pkg/scheduler/framework/plugins/tainttoleration.
#include <algorithm>

#include "api/values/tolerations.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/column_scan.h"
#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {
namespace {

using namespace framework;

bool has_untolerated_taint(const std::vector<api::Taint>& taints, const api::Tolerations& tolerations) {
  return std::ranges::any_of(taints, [&](const auto& taint) { return tolerations.are_kept_away_by(taint); });
}

// Upstream first selects the tolerations for PreferNoSchedule. Checking all tolerations is equivalent, since
// a toleration's effect is compared.
std::int64_t count_intolerable(const std::vector<api::Taint>& taints, const api::Tolerations& tolerations) {
  return std::ranges::count_if(taints, [&](const auto& taint) {
    return taint.effect == api::TaintEffect::prefer_no_schedule && !tolerations.tolerate(taint);
  });
}

class TaintFilter final : public NodeFilter {
 public:
  TaintFilter(const Snapshot& snapshot, IdSet untolerated)
      : NodeFilter(snapshot), untolerated_(std::move(untolerated)) {}

  bool ignores_pods() const override { return true; }
  bool declare(RowInputs& inputs) const override {
    declare_taints(snapshot_.taint_set, untolerated_, inputs);
    return true;
  }
  void filter(NodeMask& nodes, Rejections& out) const override {
    const auto id = out.add({framework::names::kTaintToleration,
                             Code::unschedulable_and_unresolvable,
                             {Reason(ReasonCode::untolerated_taint)}});
    for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
      if (!chunk_is_empty(nodes, chunk)) {
        reject_chunk(nodes, chunk, untolerated_.match(snapshot_.taint_set.chunk(chunk)), id, out);
      }
    }
  }

 private:
  IdSet untolerated_;
};

class TaintScorer final : public NodeScorer {
 public:
  // `intolerable` is the count of intolerable taints by TaintSetId.
  TaintScorer(const Snapshot& snapshot, std::vector<std::int64_t> intolerable)
      : snapshot_(snapshot), intolerable_(std::move(intolerable)) {}

  void score(const NodeMask& feasible, std::span<std::uint8_t> out) const override {
    std::ranges::fill(out, 100);
    IdSet intolerable_sets(intolerable_.size());
    for (std::size_t id = 0; id < intolerable_.size(); ++id) {
      if (intolerable_[id] > 0) intolerable_sets.insert(static_cast<std::uint32_t>(id));
    }
    NodeMask lower(snapshot_.chunks());
    for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
      if (chunk_is_empty(feasible, chunk)) continue;
      const auto rows = intolerable_sets.match(snapshot_.taint_set.chunk(chunk));
      for (std::size_t w = 0; w < kChunkWords; ++w) {
        lower.word(chunk * kChunkWords + w) = rows[w] & feasible.word(chunk * kChunkWords + w);
      }
    }
    std::int64_t max = 1;
    lower.each([&](Row row) { max = std::max(max, intolerable_[snapshot_.taint_set[row]]); });
    std::vector<std::uint8_t> score_of_set;
    for (const auto count : intolerable_)
      score_of_set.push_back(static_cast<std::uint8_t>(100 - 100 * count / max));
    lower.each([&](Row row) { out[row] = score_of_set[snapshot_.taint_set[row]]; });
  }

 private:
  const Snapshot& snapshot_;
  std::vector<std::int64_t> intolerable_;
};

class TaintToleration final : public Plugin, public FilterPlugin, public ScorePlugin {
 public:
  explicit TaintToleration(bool comparison) : comparison_(comparison) {}
  std::string_view name() const override { return framework::names::kTaintToleration; }
  bool has_pre_filter() const override { return true; }
  bool has_pre_score() const override { return true; }
  std::string error_without_pre_score() const override {
    return "failed to read \"PreScoreTaintToleration\" from cycleState: not found";
  }

  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    const auto sets = snapshot.taint_sets();
    const api::Tolerations tolerations(pod->tolerations, comparison_);
    IdSet untolerated(sets.size());
    for (std::size_t id = 0; id < sets.size(); ++id) {
      if (sets[id].nodes > 0 && has_untolerated_taint(sets[id].taints, tolerations)) {
        untolerated.insert(static_cast<std::uint32_t>(id));
      }
    }
    if (untolerated.empty()) return {.never_skips = true};
    return {.filter = std::make_unique<TaintFilter>(snapshot, std::move(untolerated))};
  }

  // Never skipped: every node scores 100 if no node has an intolerable taint.
  PreparedScore prepare_score(const PodInfo& pod, const Snapshot& snapshot, const NodeMask&) const override {
    const api::Tolerations tolerations(pod->tolerations, comparison_);
    std::vector<std::int64_t> intolerable;
    bool any = false;
    for (const auto& set : snapshot.taint_sets()) {
      intolerable.push_back(set.nodes > 0 ? count_intolerable(set.taints, tolerations) : 0);
      any |= intolerable.back() > 0;
    }
    if (!any) return {std::make_unique<SameScore>(100)};
    return {std::make_unique<TaintScorer>(snapshot, std::move(intolerable))};
  }

  std::vector<EventHint> hints() const override {
    std::vector<EventHint> hints;
    hints.push_back({EventResource::node, kAdd | kUpdateNodeTaint,
                     [comparison = comparison_](const PodInfo& rejected, const ClusterEvent& event) {
                       const auto* before = object_before<api::Node>(event);
                       const auto* after = object_after<api::Node>(event);
                       const api::Tolerations tolerations(rejected->tolerations, comparison);
                       return after && !has_untolerated_taint(after->taints, tolerations) &&
                              (!before || has_untolerated_taint(before->taints, tolerations));
                     }});
    hints.push_back({EventResource::target_pod, kUpdatePodTolerations, nullptr});
    return hints;
  }

 private:
  const bool comparison_;
};

}  // namespace

PluginPtr make_taint_toleration(const boost::json::object&, const Features& features) {
  return std::make_shared<TaintToleration>(features.taint_toleration_comparison_operators);
}

}  // namespace podium::plugins
