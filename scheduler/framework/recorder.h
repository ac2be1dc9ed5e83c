// Recorder: gets decisions and binding results. Implemented by the report controller, so that scheduling does
// not depend on it.
//
// Threads: called on the scheduling strand. Must not block or fail: a recorder that cannot keep up drops and
// counts, and bindings never wait for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "scheduler/cluster/pod_info.h"

namespace podium::cluster {
class Snapshot;
}

namespace podium::framework {

struct Decision;
struct Reason;
struct Verdict;

// One scheduling attempt of one pod, up to its decision.
struct Attempt {
  cluster::PodInfoPtr pod;
  std::string profile;       // schedulerName
  std::uint32_t number = 1;  // 1 for the first attempt
  Wall decided_at{};
  std::chrono::nanoseconds queued{0};  // from first entering the queue to this attempt
  std::chrono::nanoseconds evaluate{0};
};

struct BindResult {
  bool bound = false;
  std::string node;
  std::string error;  // the reason why it is not bound
  std::chrono::nanoseconds duration{0};
};

// A PreEnqueue plugin keeps the pod out of the queue: SchedulingGates, or another one.
struct Gated {
  const cluster::PodInfo& pod;
  std::uint32_t attempts = 0;  // so far: a pod may be gated again
  const Verdict& gate;
  Wall at{};
};

class Recorder {
 public:
  virtual ~Recorder() = default;
  // If the decision fits, binding_ended() follows, or binding_withdrawn(). Then its binding does not wait for
  // this call: the snapshot may have the pod on its node already, with what the plugins reserved for it.
  virtual void decided(const Attempt& attempt, const Decision& decision,
                       const cluster::Snapshot& snapshot) = 0;
  // The pod has its node, and its binding waits for this. Again when it waits for something else.
  virtual void binding_waits(const cluster::PodInfo& pod, const Reason& wait) { (void)pod, (void)wait; }
  virtual void binding_ended(const cluster::PodInfo& pod, const BindResult& result) = 0;
  // The binding was not sent: this process may not write. It does not count as an attempt.
  virtual void binding_withdrawn(std::string_view pod_uid) { (void)pod_uid; }
  virtual void gated(const Gated& gated, const cluster::Snapshot& snapshot) { (void)gated, (void)snapshot; }
  // The pod was deleted, or bound by another scheduler. For a pod that is deleted while it is being bound, it
  // is called again after binding_ended().
  virtual void forgotten(std::string_view pod_uid) = 0;
};

}  // namespace podium::framework
