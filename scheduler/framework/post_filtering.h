// PostFiltering: the PostFilter plugins of a profile, asked one after the other until one finds a way. It
// stops where a plugin has found nodes on which preemption would help, for extenders to look at them.
//
// Owner: one Evaluation; keeps references to all that it is made of, and notes in the decision what is found.
// Threads: none. Source: pkg/scheduler/framework/runtime RunPostFilterPlugins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/framework/decision.h"
#include "scheduler/framework/filters.h"

namespace podium::framework {

class PostFiltering {
 public:
  PostFiltering(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile, const Filters& filters,
                Decision& decision);

  // What is to be settled next; null: all is said.
  std::vector<PreemptionCandidate>* candidates() { return asked_ ? &candidates_ : nullptr; }
  void settle(Result<std::vector<PreemptionCandidate>> candidates);

  // What the plugins say where none found a way, for the message of the decision. Once all is said.
  std::string message() const;
  std::string_view status() const { return status_; }  // as upstream's codes have it; once all is said

 private:
  void ask();
  bool take(PostFilterResult result);

  const PodInfo& pod_;
  const Snapshot& snapshot_;
  const Profile& profile_;
  const Filters& filters_;
  Decision& decision_;
  std::size_t next_ = 0;                     // of the profile's plugins
  const PostFilterPlugin* asked_ = nullptr;  // whose candidates are to be settled
  std::vector<PreemptionCandidate> candidates_;
  std::vector<std::string> reasons_;
  std::string_view status_ = to_string(Code::unschedulable);
};

}  // namespace podium::framework
