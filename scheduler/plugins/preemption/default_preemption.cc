// DefaultPreemption: if no node is feasible, finds the node where evicting the least important pods makes
// the pod fit.
//
// The result is in the Decision. The live cycle evicts the victims and decides when the pod
// is retried (scheduler/cycle/preemptions.h).
// Source: pkg/scheduler/framework/plugins/defaultpreemption, pkg/scheduler/framework/preemption
// Evaluator.Preempt.
#include "scheduler/plugins/preemption/default_preemption.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {
namespace {

using namespace framework;

class DefaultPreemption final : public Plugin, public PostFilterPlugin {
 public:
  std::string_view name() const override { return framework::names::kDefaultPreemption; }

  PostFilterResult post_filter(const PodInfo& pod, const Snapshot& snapshot, const Filters& filters,
                               const Decision& decision) const override {
    return run(pod, snapshot, filters, decision, CandidateChoice::all);
  }
  PostFilterResult post_filter_best(const PodInfo& pod, const Snapshot& snapshot, const Filters& filters,
                                    const Decision& decision) const override {
    return run(pod, snapshot, filters, decision, CandidateChoice::best);
  }

  PostFilterResult run(const PodInfo& pod, const Snapshot& snapshot, const Filters& filters,
                       const Decision& decision, CandidateChoice wanted) const {
    if (auto why = not_eligible_to_preempt(pod, snapshot, decision)) {
      return {.failed = Verdict{std::string(name()), Code::unschedulable, {*std::move(why)}},
              .preempts = true};
    }
    auto run = dry_run_preemption(pod, snapshot, filters, decision, wanted);
    if (run.candidates.empty()) {
      if (!run.errors.empty()) return failed(Code::error, joined(run.errors));
      auto result = failed(Code::unschedulable, no_node_helps(snapshot.node_count(), run));
      result.withdraw_nomination = true;
      return result;
    }
    return {.candidates = std::move(run.candidates), .preempts = true};
  }

  PostFilterResult choose(const Snapshot& snapshot,
                          Result<std::vector<PreemptionCandidate>> candidates) const override {
    if (!candidates) return failed(Code::error, candidates.error().message);
    if (candidates->empty()) return failed(Code::unschedulable, "no candidate node for preemption");
    const auto& best = best_candidate(*candidates);
    PostFilterResult result{.preempts = true};
    result.preemption = Preemption{std::string(snapshot.node_name(best.row)), best.victims, best.violated};
    result.success =
        fmt::format("preemption: found a potential placement for pod on node {}, preempting {} victims",
                    result.preemption->node, best.victims.size());
    return result;
  }

 private:
  PostFilterResult failed(Code code, const std::string& text) const {
    return {.failed = Verdict{std::string(name()), code, {"preemption: " + text}}, .preempts = true};
  }

  // Formats several errors as Go's aggregate error.
  static std::string joined(const std::vector<std::string>& errors) {
    return errors.size() == 1 ? errors.front() : fmt::format("[{}]", fmt::join(errors, ", "));
  }

  static std::string no_node_helps(std::size_t nodes, PreemptionDryRun& run) {
    if (run.failed_nodes < nodes) {
      run.reasons["Preemption is not helpful for scheduling"] += nodes - run.failed_nodes;
    }
    return fit_error(nodes, {run.reasons.begin(), run.reasons.end()});
  }
};

}  // namespace

PluginPtr make_default_preemption(const boost::json::object&) {
  return std::make_shared<DefaultPreemption>();
}

}  // namespace podium::plugins
