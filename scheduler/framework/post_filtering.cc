#include "scheduler/framework/post_filtering.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::framework {

PostFiltering::PostFiltering(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile,
                             const Filters& filters, Decision& decision, Wanted wanted)
    : pod_(pod),
      snapshot_(snapshot),
      profile_(profile),
      filters_(filters),
      decision_(decision),
      wanted_(wanted) {
  decision_.withdraw_nomination = profile.post_filters.empty();
  ask();
}

void PostFiltering::settle(Result<std::vector<PreemptionCandidate>> candidates) {
  const auto* plugin = std::exchange(asked_, nullptr);
  PODIUM_CHECK(plugin);
  if (take(plugin->choose(snapshot_, std::move(candidates)))) ask();
}

std::string PostFiltering::message() const {
  PODIUM_CHECK(!asked_, candidates_.size());
  return framework::message({"", Code::unschedulable, reasons_});
}

std::string_view PostFiltering::status() const {
  PODIUM_CHECK(!asked_, candidates_.size());
  return status_;
}

void PostFiltering::ask() {
  while (next_ < profile_.post_filters.size()) {
    const auto* plugin = profile_.post_filters[next_++].plugin;
    if (!plugin) continue;
    auto result = wanted_ == Wanted::all ? plugin->post_filter(pod_, snapshot_, filters_, decision_)
                                         : plugin->post_filter_best(pod_, snapshot_, filters_, decision_);
    if (!result.candidates.empty()) {
      asked_ = plugin;
      candidates_ = std::move(result.candidates);
      return;
    }
    if (!take(std::move(result))) return;
  }
}

// False: no further plugin runs.
bool PostFiltering::take(PostFilterResult result) {
  decision_.tried_preemption |= result.preempts;
  if (result.write) {
    decision_.write = std::move(result.write);
    decision_.assumed_claim = std::move(result.assumed_claim);
  }
  if (!result.failed) {
    decision_.preemption = std::move(result.preemption);
    decision_.no_preemption.reset();
    decision_.withdraw_nomination = false;
    reasons_.clear();
    if (!result.success.empty()) reasons_.emplace_back(std::move(result.success));
    status_ = kSuccess;
    return false;
  }
  for (const auto& reason : result.failed->reasons) {
    if (reason.code != ReasonCode::other) decision_.no_preemption = reason.code;
  }
  if (result.failed->code != Code::unschedulable) {
    decision_.withdraw_nomination = result.withdraw_nomination;
    reasons_ = std::move(result.failed->reasons);
    status_ = to_string(result.failed->code);
    return false;
  }
  decision_.withdraw_nomination |= result.withdraw_nomination;
  std::ranges::move(result.failed->reasons, std::back_inserter(reasons_));
  return true;
}

}  // namespace podium::framework
