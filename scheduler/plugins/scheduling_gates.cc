// SchedulingGates: a pod with scheduling gates does not enter the active queue.
// Source: pkg/scheduler/framework/plugins/schedulinggates.
#include "api/values/pod.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {
namespace {

using namespace framework;

class SchedulingGates final : public Plugin, public PreEnqueuePlugin {
 public:
  std::string_view name() const override { return framework::names::kSchedulingGates; }

  std::optional<Verdict> pre_enqueue(const PodInfo& pod, const Snapshot&) const override {
    if (pod->scheduling_gates.empty()) return std::nullopt;
    std::string gates;
    for (const auto& gate : pod->scheduling_gates) gates += (gates.empty() ? "" : " ") + gate;
    return Verdict{framework::names::kSchedulingGates,
                   Code::unschedulable_and_unresolvable,
                   {Reason(ReasonCode::scheduling_gated, "waiting for scheduling gates: [" + gates + "]")}};
  }
};

}  // namespace

PluginPtr make_scheduling_gates(const boost::json::object&) { return std::make_shared<SchedulingGates>(); }

}  // namespace podium::plugins
