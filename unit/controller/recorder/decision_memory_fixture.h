// Memory: a DecisionMemory on a clock that is set by hand, and what it answers.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "controller/recorder/decision_memory.h"
#include "controller/recorder/packed_status.h"
#include "unit/client/doubles.h"
#include "unit/metrics/sampled.h"

namespace podium::controller {

struct Memory {
  explicit Memory(DecisionMemory::Options options = {}) : memory(clock, options) { memory.begin(); }

  explain::ReportStatus status(const std::string& node) const {
    explain::ReportStatus out;
    out.outcome = "Scheduled";
    out.choice.emplace().node = node;
    out.decided_at = clock.wall();
    out.expires_at = clock.wall() + std::chrono::minutes(10);
    return out;
  }
  // The status of a pod that waits for these victims to leave n1.
  explain::ReportStatus preempting(std::vector<explain::NamespacedName> victims) const {
    auto out = status("n1");
    out.outcome = explain::kUnschedulable;
    out.choice.reset();
    out.preemption = explain::Preempted{"n1", victims, victims.size()};
    return out;
  }
  void remember(const std::string& ns, const std::string& pod, const std::string& uid,
                const explain::ReportStatus& status) {
    memory.remember(ns, pod, uid, status, pack(status));
  }
  void decide(const std::string& pod, const std::string& node = "n1") {
    remember("shop", pod, "uid-of-" + pod, status(node));
    clock.advance(std::chrono::seconds(1));
  }
  // The node of the decision, or why there is none.
  std::string find(const std::string& pod, const std::string& ns = "shop") const {
    using Absence = DecisionMemory::Absence;
    const auto found = memory.find(ns, pod);
    if (found.decision) return found.decision->status.choice->node;
    switch (found.absence) {
      case Absence::not_begun:
        return "not begun";
      case Absence::never:
        return "never";
      case Absence::expired:
        return "expired";
      case Absence::evicted:
        return "evicted";
      case Absence::lost:
        return "lost";
      default:
        return "nothing";
    }
  }

  // "namespace/pod" for which the pod had to make room; "": none is known.
  std::string evictor(const std::string& ns, const std::string& pod) const {
    const auto found = memory.find(ns, pod);
    return found.eviction ? found.eviction->preemptor.text() : std::string();
  }
  // Decisions on existing pods that made room.
  double dropped() const { return unit::sampled(memory).at("podium_decisions_dropped_before_pod_total"); }

  unit::ManualClock clock;
  DecisionMemory memory;
};

// A budget for this number of decisions.
inline DecisionMemory::Options room_for(std::size_t decisions) {
  Memory one;
  one.decide("web-0");
  return {.bytes = decisions * one.memory.counts().bytes};
}

}  // namespace podium::controller
