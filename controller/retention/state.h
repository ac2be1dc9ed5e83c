// SharedRetention: the state that Retention and its ReportDeleter share: the reports and the API server's
// time behind a mutex, and the counts of deletions.
//
// Owner: Retention. Threads: any. Errors: none.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/behind_mutex.h"
#include "base/instant.h"
#include "controller/report/metadata.h"
#include "controller/retention/index.h"
#include "controller/retention/server_time.h"

namespace podium::async {
class Timer;
}

namespace podium::controller {

struct RetentionState {
  // When a report with this TTL expires, counted from its last write; later while the server's time is only
  // known roughly. nullopt: its label alone decides. With a long TTL, reports whose labels have the same
  // minute expire together.
  Steady due_of(Wall written, std::uint32_t minute, std::optional<Steady::duration> ttl, Steady at) const;
  // A report as a list shows it. If its metadata do not have the expiry, the report must be read.
  RetentionIndex::Report listed(const ReportMetadata& report, Steady at) const;

  bool is_over(std::uint32_t minute, Steady at) const;  // by the server's time

  RetentionIndex index;
  ServerTime server;
  std::chrono::seconds default_ttl{};
  bool stopping = false;
  // For the loop of Retention.
  bool is_full = false;                 // a decision did not fit since the last round
  std::size_t evictions = 0;            // reports evicted for new ones since the last round
  std::shared_ptr<async::Timer> timer;  // the loop waits for it; used on its executor only
};

struct SharedRetention {
  BehindMutex<RetentionState> state;
  std::atomic<std::uint64_t> deleted{0}, deleted_early{0}, deleted_before_pod{0};
};

inline constexpr std::uint32_t kTypicalBytes = 4'096;  // of a report of unknown size

}  // namespace podium::controller
