// Retention: deletes expired reports and keeps the reports within their budgets.
//
// RetentionIndex holds every report with its expiry. The report writers add to it, and so does a
// metadata-only list of all reports: at the start, every half hour, and every minute while a budget is used
// up. Expired reports are deleted in batches and rate-limited: their last known UID and
// resourceVersion are preconditions. A report that was written since (by hand, or by a late request of the
// previous leader) is read, and lives for its TTL from that write. If all reports of a namespace that expire
// in the same minute are due, they are deleted by label, many in one request. A failed deletion is retried
// after a backoff of its own and does not delay others.
//
// If the budget is used up, a new decision replaces an old one: reserve() returns the reports to delete, and
// the writer deletes them right before it creates its report. Reports beyond a budget for other reasons (it
// was reduced, or a list found reports) are deleted here.
//
// Time: a report lives for its TTL from its last write, by the API server's timestamps and the local
// steady clock. The server's current time is estimated from its replies, and from the creation times in its
// lists, which no author of a report can set. Until one has arrived (after a start) a report may live up to
// one TTL longer, never shorter. With a TTL of ten minutes and more, it may live two minutes longer, so that
// reports expire together. A what-if lives for its TTL from its answer. The local wall clock does not matter.
//
// Owner: the Engine; `gate` is empty before this is destroyed. Threads: all functions from any thread;
// requests run on `io`. Call start() on the leader only. Errors: logged and retried.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/fair_queue_options.h"
#include "async/gate.h"
#include "base/instant.h"
#include "base/result.h"
#include "client/api.h"
#include "controller/retention/index.h"

namespace podium::metrics {
class Samples;
}

namespace podium::controller {

struct RetentionOptions {
  std::chrono::seconds default_ttl{24 * 60 * 60};
  ReportLimits limits;
  std::chrono::milliseconds round{5'000};  // the longest sleep between two rounds
  std::chrono::milliseconds relist{30 * 60'000}, relist_when_full{60'000};
  std::size_t deletes_per_second = 2'000;
  Backoff item{std::chrono::seconds(1), std::chrono::minutes(10)};
  Backoff all{std::chrono::seconds(1), std::chrono::minutes(1)};  // while the API server is away
};

// What Retention needs to know about a report besides its name and TTL.
struct StoredReport {
  bool failure = false;      // the pod was not placed
  std::uint32_t bytes = 0;   // stored_bytes(); 0: unknown
  std::uint32_t minute = 0;  // minute_of() its label; 0: none
  std::string version;       // its resourceVersion; empty: unknown, not a precondition of its deletion
};

class Retention {
 public:
  Retention(client::Api& api, RetentionOptions options, async::Gate& gate, boost::asio::any_io_executor io);
  ~Retention();

  // Sets new limits, and the TTL of reports whose own is unknown.
  void set(std::chrono::seconds default_ttl, const ReportLimits& limits);

  // Tracks a report that was just written, with its TTL from now on (kKept: no expiry). `server_time`: the
  // server's time of the write, if the reply has it.
  void track(const std::string& ns, const std::string& name, const std::string& uid, std::chrono::seconds ttl,
             ReportKind kind, std::optional<Wall> server_time = std::nullopt, const StoredReport& facts = {});
  // The report is deleted. An empty UID matches any report of this name.
  void forget(const std::string& ns, const std::string& name, const std::string& uid = "");

  // True if a report of this name exists, as far as podium knows.
  bool contains(const std::string& ns, const std::string& name) const;
  // True if the report exists, as far as podium knows, and is not about to be evicted.
  bool is_kept(const std::string& ns, const std::string& name, const std::string& uid) const;
  // The same, of a report of this name on a decision.
  bool has_decision(const std::string& ns, const std::string& name) const;
  // The pod of this report is deleted: the report is evicted before others if a budget is used up.
  void pod_gone(const std::string& ns, const std::string& name, const std::string& uid);

  // A report that was read instead of another of its name. The reply to the other's write may have come after
  // its own, so that the other was tracked in its place.
  void found(const boost::json::value& report);

  // Reserves space for one more decision report of this size until release(); call that once the report is
  // tracked, or was not created. Delete the returned reports before, and report the results with evicted().
  std::expected<std::vector<RetentionIndex::Report>, NoRoom> reserve(const std::string& ns,
                                                                     std::uint32_t bytes,
                                                                     bool failure = false);
  void release(const std::string& ns, std::uint32_t bytes, bool failure = false);
  void evicted(const RetentionIndex::Report& report, const Result<std::string>& answer);
  // True if this what-if may be kept without an expiry. Refuse it otherwise.
  bool may_keep(const std::string& ns, const std::string& name, std::uint32_t bytes) const;

  std::size_t size() const;
  std::size_t size(ReportKind kind) const;
  std::uint64_t bytes(ReportKind kind) const;  // on the API server, as far as podium knows
  std::uint64_t deleted() const;
  std::uint64_t deleted_early() const;       // before they expired, because of a budget
  std::uint64_t deleted_before_pod() const;  // early, with a pod that was not seen to be deleted
  // The time since the deletion of the longest overdue report was due; 0: none is due.
  std::chrono::nanoseconds overdue() const;
  void sample_metrics(metrics::Samples& out) const;

  // `listed` is called once, on `io`, after the first complete list of all reports. It may be empty.
  void start(std::function<void()> listed = {});
  void stop();  // sends no further deletions

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::controller
