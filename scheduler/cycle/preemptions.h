// Preemptions: tracks the preemptions in flight and when their preemptors may be retried.
//
// A preemptor is held from the decision until the watch shows all of its victims terminating or
// gone, or until its requests have ended, whichever comes first. So the delete event of the last
// victim can wake it.
//
// A victim that was rejected in its binding cycle and still has a write in flight leaves its node later, and
// no delete event says so. Its preemptor is not held, but activated when the last such victim has left.
//
// Owner: Scheduler. Threads: the scheduling strand. Errors: none.
// Source: pkg/scheduler/framework/preemption/executor.go IsPodRunningPreemption,
// prepareCandidateAsync.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/shares.h"

namespace podium::cycle {

class Preemptions {
 public:
  using Uids = std::set<std::string, std::less<>>;

  // Holds the preemptor (UID) while any of the victims (UIDs) stays; returns this preemption's number. The
  // slot is kept until the preemption ends.
  std::uint64_t begin(std::string preemptor, Uids victims, Shares::Slot slot = {});
  // The pod is terminating or gone. Returns the preemptors (UIDs) that this releases.
  std::vector<std::string> victim_leaves(std::string_view uid);
  // The preemption's requests have ended. If its preemptor is no longer held: the victims that have not left.
  std::optional<Uids> end(std::uint64_t number);

  // The victim (UID) of the preemptor was rejected in its binding cycle and is on its node still.
  void rejected(std::string preemptor, std::string victim);
  // A pod was taken from its node. Returns the preemptors whose last rejected victim it was.
  std::vector<std::string> rejected_leaves(std::string_view victim);

  bool holds(std::string_view preemptor) const;
  std::size_t size() const { return in_flight_.size(); }  // preemptions whose requests have not ended

 private:
  struct Preemption {
    std::string preemptor;
    Uids victims;  // that have not left; empty: does not hold the preemptor
    Shares::Slot slot;
  };
  using Numbers = std::set<std::uint64_t>;
  void release_preemptor(const std::string& preemptor);

  std::map<std::uint64_t, Preemption> in_flight_;
  std::map<std::string, Numbers, std::less<>> of_victim_;         // by UID: the preemptions that await it
  std::map<std::string, std::size_t, std::less<>> of_preemptor_;  // by UID: its preemptions that hold it
  std::map<std::string, Uids, std::less<>> rejected_;             // by the preemptor's UID: its victims
  std::uint64_t last_ = 0;
};

}  // namespace podium::cycle
