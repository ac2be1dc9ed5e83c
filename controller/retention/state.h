// RetentionState: the shared state of Retention and its ReportDeleter: the reports, the API server's time,
// and the counts of deletions.
//
// Owner: Retention. Threads: `mutex` guards all but the counters; the functions expect that it is held.
// Errors: none.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/instant.h"
#include "controller/report/metadata.h"
#include "controller/retention/index.h"
#include "controller/retention/server_time.h"

namespace podium::controller {

struct RetentionState {
  // When a report with this TTL expires, counted from its last write; later while the server's time is only
  // known roughly. nullopt: its label alone decides. With a long TTL, reports whose labels have the same
  // minute expire together.
  Steady due_of(Wall written, std::uint32_t minute, std::optional<Steady::duration> ttl, Steady at) const;
  // A report as a list shows it. If its metadata do not have the expiry, the report must be read.
  RetentionIndex::Report listed(const ReportMetadata& report, Steady at) const;

  bool is_over(std::uint32_t minute, Steady at) const;  // by the server's time

  mutable std::mutex mutex;
  RetentionIndex index;
  ServerTime server;
  std::chrono::seconds default_ttl{};
  bool stopping = false;
  std::atomic<std::uint64_t> deleted{0}, deleted_early{0}, deleted_before_pod{0};
};

inline constexpr std::uint32_t kTypicalBytes = 4'096;  // of a report of unknown size

}  // namespace podium::controller
