// Preemptions: who is evicting whom right now, and since when a preemptor may be tried again.
//
// A preemptor is held from the decision until all of its victims are on their way out, as the watch tells, or
// its requests have ended, whichever comes first: so what the last victim leaves behind finds it free to be
// woken.
// Source: pkg/scheduler/framework/preemption/executor.go IsPodRunningPreemption.
// Owner and thread rule: the Scheduler's; the scheduling strand. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace podium::cycle {

class Preemptions {
 public:
  // Holds the preemptor while victims (by UID) stay, if there are any; the answer is the number of this
  // preemption.
  std::uint64_t begin(std::string preemptor, std::set<std::string, std::less<>> victims);
  // The pod is on its way out, or gone: the preemptors (by UID) that are not held any more because of that.
  std::vector<std::string> victim_leaves(std::string_view uid);
  // The requests of a preemption have ended; true where nothing holds its preemptor any more.
  bool end(std::uint64_t number);

  bool holds(std::string_view preemptor) const;
  std::size_t size() const { return under_way_.size(); }  // whose requests have not ended

 private:
  struct Preemption {
    std::string preemptor;
    std::set<std::string, std::less<>> victims;  // that still stay; none: the preemptor is not held
  };
  std::map<std::uint64_t, Preemption> under_way_;
  std::uint64_t last_ = 0;
};

}  // namespace podium::cycle
