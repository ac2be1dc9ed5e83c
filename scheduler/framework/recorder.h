// Recorder: who wants to know what was decided. The report controller is one; the seam keeps scheduling free
// of it.
//
// Threads: called on the scheduling strand. Must return at once and must not fail: what it cannot keep up with it drops and
// counts, and a binding never waits for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "scheduler/framework/decision.h"

namespace podium::framework {

// One attempt to schedule one pod, as far as it is known when the decision has been made.
struct Attempt {
  cluster::PodInfoPtr pod;
  std::string profile;       // schedulerName
  std::uint32_t number = 1;  // 1 for the first attempt
  Wall decided_at{};
  std::chrono::nanoseconds queued{0};  // from the first time in the queue to this attempt
  std::chrono::nanoseconds evaluate{0};
};

struct BindResult {
  bool bound = false;
  std::string node;
  std::string error;  // why not
  std::chrono::nanoseconds duration{0};
};

class Recorder {
 public:
  virtual ~Recorder() = default;
  // A decision was made; for one that fits, binding_ended() follows.
  virtual void decided(const Attempt& attempt, const Decision& decision,
                       const cluster::Snapshot& snapshot) = 0;
  virtual void binding_ended(const cluster::PodInfo& pod, const BindResult& result) = 0;
  // The pod is gone from the API server, or was placed by somebody else.
  virtual void forgotten(std::string_view pod_uid) = 0;
};

}  // namespace podium::framework
