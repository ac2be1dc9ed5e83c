// PostFiltering: runs the PostFilter plugins of a profile until one succeeds. Pauses if a plugin has
// preemption candidates, so that extenders can process them.
//
// Owner: one Evaluation; keeps references to all arguments and writes its results to the decision.
// Threads: not thread-safe. Source: pkg/scheduler/framework/runtime RunPostFilterPlugins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/framework/decision.h"
#include "scheduler/framework/filters.h"

namespace podium::framework {

class PostFiltering {
 public:
  enum class Wanted : bool { all, best };  // candidates
  PostFiltering(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile, const Filters& filters,
                Decision& decision, Wanted wanted);

  // The candidates to settle() next; null: finished.
  std::vector<PreemptionCandidate>* candidates() { return asked_ ? &candidates_ : nullptr; }
  // Only if candidates() returned some.
  void settle(Result<std::vector<PreemptionCandidate>> candidates);

  // The plugins' messages if none succeeded, for Decision::message. Only when finished.
  std::string message() const;
  std::string_view status() const;  // the text of an upstream code; only when finished

 private:
  void ask();
  bool take(PostFilterResult result);

  const PodInfo& pod_;
  const Snapshot& snapshot_;
  const Profile& profile_;
  const Filters& filters_;
  Decision& decision_;
  const Wanted wanted_;
  std::size_t next_ = 0;                     // index into Profile::post_filters
  const PostFilterPlugin* asked_ = nullptr;  // the plugin of candidates_
  std::vector<PreemptionCandidate> candidates_;
  std::vector<Reason> reasons_;
  std::string_view status_ = to_string(Code::unschedulable);
};

}  // namespace podium::framework
