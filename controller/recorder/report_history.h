// ReportHistory: the history of a waiting pod: when it was gated, its last attempts and its preemption.
//
// An attempt takes 56 bytes, and shares an equal reason of the one before. A gated pod also takes what its
// gates' names take.
// Pods are bounded by the cluster's pending pods: forget() follows every placed and deleted one.
//
// Owner: ReportRecorder. Threads: the scheduling strand.
#pragma once

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/text_hash.h"
#include "explain/report/each_field.h"
#include "explain/report/main_rejection.h"
#include "explain/report/report.h"
#include "scheduler/framework/reason.h"

namespace podium::controller {

class ReportHistory {
 public:
  // Adds the earlier attempts to the status, the times in which the pod was gated, and the preemption if the
  // status has none.
  void add_to(const std::string& pod_uid, explain::ReportStatus& status) const {
    if (const auto gated = gated_.find(pod_uid); gated != gated_.end()) status.gated = gated->second;
    const auto it = pods_.find(pod_uid);
    if (it == pods_.end()) return;
    const auto& past = *it->second;
    for (std::size_t i = 0; i < past.size; ++i) {
      const auto& attempt = past.attempts[i];
      status.history.push_back({attempt.at, attempt.outcome, attempt.why->reason, attempt.nodes,
                                std::string(attempt.code), attempt.why->about});
    }
    if (!status.preemption) status.preemption = past.preemption;
  }

  // The attempt has failed; `outcome` is a literal. `status` may already have earlier attempts, and an
  // earlier preemption in place of its own.
  void failed(const std::string& pod_uid, const explain::ReportStatus& status, const char* outcome,
              const std::optional<explain::Preempted>& preemption) {
    const bool is_error = status.rejections.empty() || outcome == explain::kFailed;
    const auto* main = is_error ? nullptr : explain::main_rejection(status.rejections);
    Why why{explain::main_reason(status), main ? main->about : framework::Topics()};
    auto& slot = pods_[pod_uid];
    if (!slot) slot = std::make_unique<Past>();
    auto& [attempts, size, preempted] = *slot;
    auto shared =
        size > 0 && *attempts[0].why == why ? attempts[0].why : std::make_shared<const Why>(std::move(why));
    std::shift_right(attempts.begin(), attempts.end(), 1);
    attempts[0] = {*status.decided_at, outcome, std::move(shared)};
    if (main) {
      attempts[0].nodes = main->nodes;
      if (const auto* row = framework::find_reason(main->code)) attempts[0].code = row->name;
    }
    size = std::min(size + 1, attempts.size());
    if (preemption) preempted = preemption;
  }

  // The preemption of an earlier process, unless this one has tried the pod.
  void recall(const std::string& pod_uid, const explain::Preempted& preempted) {
    auto& slot = pods_[pod_uid];
    if (slot) return;
    slot = std::make_unique<Past>();
    slot->preemption = preempted;
  }

  // Adds what gates the pod now. `since`: when it became gated, unless it was gated before.
  void gated(const std::string& pod_uid, Wall since, std::vector<std::string> by) {
    auto& times = gated_[pod_uid];
    if (times.empty() || times.front().until) {
      times.insert(times.begin(), explain::GatedTime{since, {}, std::move(by)});
      times.resize(std::min(times.size(), kGatedTimes));
      return;
    }
    auto& known = times.front().by;
    for (auto& each : by) {
      if (known.size() < kGates && std::ranges::find(known, each) == known.end())
        known.push_back(std::move(each));
    }
  }
  // An attempt began, so the pod is no longer gated.
  void ungated(const std::string& pod_uid, Wall until) {
    const auto it = gated_.find(pod_uid);
    if (it == gated_.end()) return;
    auto& last = it->second.front();
    if (!last.until) last.until = std::max(until, *last.since);
  }

  void forget(std::string_view pod_uid) {
    pods_.erase(std::string(pod_uid));
    gated_.erase(std::string(pod_uid));
  }
  std::size_t size() const { return pods_.size(); }

 private:
  static constexpr std::size_t kGatedTimes = explain::bound_of(&explain::ReportStatus::gated).items,
                               kGates = explain::bound_of(&explain::GatedTime::by).items;

  struct Why {
    std::string reason;
    framework::Topics about;
    bool operator==(const Why&) const = default;
  };
  struct Attempt {
    Wall at{};
    const char* outcome = "";
    std::shared_ptr<const Why> why;
    std::size_t nodes = 0;
    std::string_view code{};  // of the table of reasons
  };
  static_assert(sizeof(Attempt) == 56);
  struct Past {
    std::array<Attempt, 5> attempts;  // newest first
    std::size_t size = 0;
    std::optional<explain::Preempted> preemption;
  };

  boost::unordered_flat_map<std::string, std::unique_ptr<Past>, TextHash> pods_;  // by UID
  boost::unordered_flat_map<std::string, std::vector<explain::GatedTime>, TextHash>
      gated_;  // by UID; newest first
};

}  // namespace podium::controller
