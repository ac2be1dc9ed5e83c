// Recorders: passes the scheduler's pods and decisions to the reports. Also passes the end of a pod to the
// decision memory, and logs each decision at trace level.
//
// The memory gets each decision from the reports as a finished report, so that it is projected once.
// Owner: the Engine. Threads: the scheduling strand. Errors: none.
#pragma once

#include "controller/recorder/decision_memory.h"
#include "scheduler/framework/recorder.h"

namespace podium::app {

class Recorders final : public framework::Recorder {
 public:
  Recorders(framework::Recorder& reports, controller::DecisionMemory& memory)
      : reports_(reports), memory_(memory) {}

  void decided(const framework::Attempt& attempt, const framework::Decision& decision,
               const cluster::Snapshot& snapshot) override;
  void binding_waits(const cluster::PodInfo& pod, const framework::Reason& wait) override {
    reports_.binding_waits(pod, wait);
  }
  void binding_ended(const cluster::PodInfo& pod, const framework::BindResult& result) override {
    reports_.binding_ended(pod, result);
  }
  void binding_withdrawn(std::string_view pod_uid) override { reports_.binding_withdrawn(pod_uid); }
  void gated(const framework::Gated& gated, const cluster::Snapshot& snapshot) override {
    reports_.gated(gated, snapshot);
  }
  void forgotten(std::string_view pod_uid) override {
    reports_.forgotten(pod_uid);
    memory_.gone(pod_uid);
  }

 private:
  framework::Recorder& reports_;
  controller::DecisionMemory& memory_;
};

}  // namespace podium::app
