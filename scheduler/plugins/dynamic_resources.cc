// DynamicResources: podium does not allocate devices, so this plugin rejects pods with resource claims. For
// all other pods it behaves as upstream's: it filters nothing and scores every node 0.
// Source: pkg/scheduler/framework/plugins/dynamicresources.
#include <algorithm>

#include "scheduler/framework/filters.h"
#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {
namespace {

using namespace framework;

class ZeroScorer final : public NodeScorer {
 public:
  void score(const NodeMask&, std::span<std::uint8_t>) const override {}
};

class DynamicResources final : public Plugin,
                               public FilterPlugin,
                               public ScorePlugin,
                               public PostFilterPlugin {
 public:
  std::string_view name() const override { return "DynamicResources"; }
  bool has_pre_filter() const override { return true; }
  std::string error_without_pre_filter() const override { return "not found"; }
  bool has_pre_score() const override { return false; }

  // Rejects in PreFilter and not in PreEnqueue, so that the pod gets a condition and an event.
  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot&) const override {
    if (pod->resource_claims.empty()) return {};
    return {.rejected = Verdict{"DynamicResources",
                                Code::unschedulable_and_unresolvable,
                                {"pods with resource claims are not supported by this scheduler yet"}}};
  }

  std::vector<EventHint> hints() const override { return {}; }

  // Never skipped.
  PreparedScore prepare_score(const PodInfo&, const Snapshot&, const NodeMask&) const override {
    return {std::make_unique<ZeroScorer>()};
  }

  // Upstream's PostFilter fails for every pod if an earlier PreFilter plugin rejected the pod.
  PostFilterResult post_filter(const PodInfo& pod, const Snapshot&, const Filters& filters,
                               const Decision&) const override {
    const auto says = [&](Code code, std::string text) {
      return PostFilterResult{.failed = Verdict{std::string(name()), code, {std::move(text)}}};
    };
    if (!filters.ran_pre_filter(name())) return says(Code::error, "not found");
    return says(Code::unschedulable,
                !pod->resource_claims.empty() ? "still not schedulable" : "no new claims to deallocate");
  }
};

}  // namespace

PluginPtr make_dynamic_resources(const boost::json::object&) { return std::make_shared<DynamicResources>(); }

}  // namespace podium::plugins
