// TaintToleration: nodes with a NoSchedule or NoExecute taint that the pod does not tolerate are out; the
// fewer PreferNoSchedule taints it does not tolerate, the better. Source:
// pkg/scheduler/framework/plugins/tainttoleration.
#include <algorithm>

#include "scheduler/plugins/shared/column_scan.h"
#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {
namespace {

using namespace framework;

bool tolerated(const api::Taint& taint, const std::vector<api::Toleration>& tolerations, bool comparison) {
  return std::ranges::any_of(tolerations,
                             [&](const auto& toleration) { return toleration.tolerates(taint, comparison); });
}

bool keeps_out(const std::vector<api::Taint>& taints, const api::Pod& pod, bool comparison) {
  return std::ranges::any_of(taints, [&](const api::Taint& taint) {
    return (taint.effect == api::TaintEffect::no_schedule || taint.effect == api::TaintEffect::no_execute) &&
           !tolerated(taint, pod.tolerations, comparison);
  });
}

// A toleration of another effect never tolerates a PreferNoSchedule taint, so all tolerations may be asked.
std::int64_t count_unwelcome(const std::vector<api::Taint>& taints, const api::Pod& pod, bool comparison) {
  return std::ranges::count_if(taints, [&](const api::Taint& taint) {
    return taint.effect == api::TaintEffect::prefer_no_schedule &&
           !tolerated(taint, pod.tolerations, comparison);
  });
}

class TaintFilter final : public NodeFilter {
 public:
  TaintFilter(const Snapshot& snapshot, IdSet untolerated)
      : NodeFilter(snapshot), untolerated_(std::move(untolerated)) {}

  bool ignores_pods() const override { return true; }
  void filter(NodeMask& nodes, Rejections& out) const override {
    const auto id = out.add(
        {"TaintToleration", Code::unschedulable_and_unresolvable, {"node(s) had untolerated taint(s)"}});
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
  // `unwelcome` is by TaintSetId; empty where no node has such a taint.
  TaintScorer(const Snapshot& snapshot, std::vector<std::int64_t> unwelcome)
      : snapshot_(snapshot), unwelcome_(std::move(unwelcome)) {}

  void score(const NodeMask& feasible, std::span<std::uint8_t> out) const override {
    std::ranges::fill(out, 100);
    if (unwelcome_.empty()) return;
    IdSet unwelcome_sets(unwelcome_.size());
    for (std::size_t id = 0; id < unwelcome_.size(); ++id) {
      if (unwelcome_[id] > 0) unwelcome_sets.insert(static_cast<std::uint32_t>(id));
    }
    NodeMask lower(snapshot_.chunks());
    for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
      if (chunk_is_empty(feasible, chunk)) continue;
      const auto rows = unwelcome_sets.match(snapshot_.taint_set.chunk(chunk));
      for (std::size_t w = 0; w < kChunkWords; ++w) {
        lower.word(chunk * kChunkWords + w) = rows[w] & feasible.word(chunk * kChunkWords + w);
      }
    }
    std::int64_t max = 1;
    lower.each([&](Row row) { max = std::max(max, unwelcome_[snapshot_.taint_set[row]]); });
    std::vector<std::uint8_t> score_of_set;
    for (const auto count : unwelcome_)
      score_of_set.push_back(static_cast<std::uint8_t>(100 - 100 * count / max));
    lower.each([&](Row row) { out[row] = score_of_set[snapshot_.taint_set[row]]; });
  }

 private:
  const Snapshot& snapshot_;
  std::vector<std::int64_t> unwelcome_;
};

class TaintToleration final : public Plugin, public FilterPlugin, public ScorePlugin {
 public:
  explicit TaintToleration(bool comparison) : comparison_(comparison) {}
  std::string_view name() const override { return "TaintToleration"; }
  bool has_pre_filter() const override { return false; }
  bool has_pre_score() const override { return true; }
  std::string error_without_pre_score() const override {
    return "failed to read \"PreScoreTaintToleration\" from cycleState: not found";
  }

  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    const auto sets = snapshot.taint_sets();
    IdSet untolerated(sets.size());
    for (std::size_t id = 0; id < sets.size(); ++id) {
      if (sets[id].nodes > 0 && keeps_out(sets[id].taints, *pod, comparison_)) {
        untolerated.insert(static_cast<std::uint32_t>(id));
      }
    }
    if (untolerated.empty()) return {};
    return {.filter = std::make_unique<TaintFilter>(snapshot, std::move(untolerated))};
  }

  // Never skipped: a node is worth 100 where nobody has such a taint.
  PreparedScore prepare_score(const PodInfo& pod, const Snapshot& snapshot, const NodeMask&) const override {
    std::vector<std::int64_t> unwelcome;
    bool any = false;
    for (const auto& set : snapshot.taint_sets()) {
      unwelcome.push_back(set.nodes > 0 ? count_unwelcome(set.taints, *pod, comparison_) : 0);
      any |= unwelcome.back() > 0;
    }
    if (!any) unwelcome.clear();
    return {std::make_unique<TaintScorer>(snapshot, std::move(unwelcome))};
  }

  std::vector<EventHint> hints() const override {
    std::vector<EventHint> hints;
    hints.push_back({Resource::node, kAdd | kUpdateNodeTaint,
                     [comparison = comparison_](const PodInfo& rejected, const ClusterEvent& event) {
                       const auto* before = object_before<api::Node>(event);
                       const auto* after = object_after<api::Node>(event);
                       return after && !keeps_out(after->taints, *rejected, comparison) &&
                              (!before || keeps_out(before->taints, *rejected, comparison));
                     }});
    add_pod_hints(hints, kUpdatePodTolerations, [](const PodInfo& rejected, const ClusterEvent& event) {
      const auto* after = object_after<api::Pod>(event);
      return after && after->meta.uid == rejected->meta.uid;
    });
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
