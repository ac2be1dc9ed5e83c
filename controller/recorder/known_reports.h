// KnownReports: the last report written for each pod that is still being scheduled.
//
// An entry is useful while its report exists. Entries that were not rewritten within the TTL are
// swept, even if forget() was never called.
//
// Owner: ReportWriter. Threads: all functions from any thread.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/text_hash.h"
#include "controller/report/report_requests.h"

namespace podium::controller {

// A pod's report on the API server.
struct WrittenReport {
  std::string ns, name, uid;
  std::string version;  // its resourceVersion; empty: unknown
  StatusBefore before;  // its status
  std::string outcome;
  bool is_complete = false;   // the status of its condition
  Wall since{};               // the last transition of that condition
  Wall labelled{};            // the expiry on its labels
  std::uint64_t content = 0;  // content_hash() of its status
  Steady written{};           // last write

  // True if it was written within `most_age`, and the status differs in counters only.
  bool has_said(const explain::ReportStatus& status, Steady::duration most_age, Steady now) const {
    return now - written < most_age && content == explain::content_hash(status);
  }
};

class KnownReports {
 public:
  explicit KnownReports(std::chrono::seconds ttl) : ttl_(ttl) {}

  std::optional<WrittenReport> find(const std::string& pod_uid) const {
    const std::lock_guard lock(mutex_);
    const auto it = reports_.find(pod_uid);
    return it == reports_.end() ? std::nullopt : std::optional(it->second);
  }
  void remember(const std::string& pod_uid, WrittenReport report) {
    const std::lock_guard lock(mutex_);
    if (reports_.size() >= sweep_at_) sweep(report.written);
    reports_.insert_or_assign(pod_uid, std::move(report));
  }
  void forget(const std::string& pod_uid) {
    const std::lock_guard lock(mutex_);
    reports_.erase(pod_uid);
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return reports_.size();
  }

 private:
  static constexpr std::size_t kSweepAt = 1'024;

  void sweep(Steady now) {
    erase_if(reports_, [&](const auto& entry) { return now - entry.second.written >= ttl_; });
    sweep_at_ = std::max(kSweepAt, 2 * reports_.size());
  }

  const std::chrono::seconds ttl_;
  mutable std::mutex mutex_;
  boost::unordered_flat_map<std::string, WrittenReport, TextHash> reports_;  // by pod UID
  std::size_t sweep_at_ = kSweepAt;
};

}  // namespace podium::controller
