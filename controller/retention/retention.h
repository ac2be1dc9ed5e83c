// Retention: deletes expired reports and keeps the reports within their budgets.
//
// RetentionIndex holds every report with its expiry. The report writers add to it, and so does a
// metadata-only list of all reports: at the start, every half hour, and every minute while a budget is used
// up. Expired reports are deleted as podium knows them, in batches and rate-limited: their UID and their
// resourceVersion are preconditions. One that was written since (by hand, or by a request of the leader
// before that was carried out late) is read, and lives for its TTL from that write. Where all that expire in
// one minute of a namespace are due, they go by their label, many in one request. A failed deletion is
// retried after a backoff of its own and does not delay others.
//
// A new decision takes an old one's place where the budget is used up: reserve() names those to delete, and
// the writer deletes them right before it creates its report. What exceeds a budget otherwise (it was made
// smaller, or reports were found by a list) is deleted here.
//
// Time: a report lives for its TTL from its last write, by the API server's timestamps and the local
// steady clock. The server's current time is estimated from its replies and lists; until one has
// arrived (after a start) a report may live up to one TTL longer, never shorter. With a TTL of ten minutes
// and more, it may live two minutes longer, so that reports expire together. A what-if lives for its TTL from
// its answer on; no step of the local wall clock matters.
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

#include "async/gate.h"
#include "base/clock.h"
#include "base/fair_queue_options.h"
#include "base/result.h"
#include "client/api.h"
#include "controller/retention/index.h"

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

// What Retention has to know of a report besides its name and TTL.
struct ReportFacts {
  bool failure = false;      // the pod was not placed
  std::uint32_t bytes = 0;   // stored_bytes(); 0: not known
  std::uint32_t minute = 0;  // minute_of() its label; 0: it has none
  std::string version;       // its resourceVersion; empty: not known, and no precondition of its deletion
};

class Retention {
 public:
  Retention(client::Api& api, RetentionOptions options, async::Gate& gate, boost::asio::any_io_executor io);
  ~Retention();

  // Other limits, and the TTL of reports that do not tell theirs.
  void set(std::chrono::seconds default_ttl, const ReportLimits& limits);

  // A report that was written just now, and how long it lives from now on (kKept: as long as it is there).
  // `server_time`: the server's time of the write, where the reply has it.
  void track(const std::string& ns, const std::string& name, const std::string& uid, std::chrono::seconds ttl,
             ReportKind kind, std::optional<Wall> server_time = std::nullopt, const ReportFacts& facts = {});
  // The report is gone. An empty UID matches any report of this name.
  void forget(const std::string& ns, const std::string& name, const std::string& uid = "");

  // Whether there is a report of this name, as far as podium knows.
  bool contains(const std::string& ns, const std::string& name) const;
  // Whether the report exists, as far as podium knows, and is not about to make room for another.
  bool stands(const std::string& ns, const std::string& name, const std::string& uid) const;
  // The pod of this report is gone: the report leaves before others where a budget is used up.
  void pod_gone(const std::string& ns, const std::string& name, const std::string& uid);

  // A report that was read where another was thought to be. The answer to the other's write may have come
  // after that of its own, so that the other has its place.
  void found(const boost::json::value& report);

  // Reserves room for one more decision report of this size until release(); call that once the report is
  // tracked, or was not created. Delete the returned reports before, and tell by evicted() what came of it.
  std::expected<std::vector<RetentionIndex::Report>, NoRoom> reserve(const std::string& ns,
                                                                     std::uint32_t bytes,
                                                                     bool failure = false);
  void release(const std::string& ns, std::uint32_t bytes, bool failure = false);
  void evicted(const RetentionIndex::Report& report, const Result<std::string>& answer);
  // Whether this what-if may be kept for as long as it is there. Refuse it otherwise.
  bool may_keep(const std::string& ns, const std::string& name, std::uint32_t bytes) const;

  std::size_t size() const;
  std::size_t size(ReportKind kind) const;
  std::uint64_t bytes(ReportKind kind) const;  // on the API server, as far as podium knows
  std::uint64_t deleted() const;
  std::uint64_t deleted_early() const;  // of them, before their time because of a budget
  // How long ago the report that is due longest should have been deleted; 0: none is due.
  std::chrono::nanoseconds overdue() const;

  // `listed` is called on `io`, once: all reports that there were have been listed. It may be empty.
  void start(std::function<void()> listed = {});
  void stop();  // sends no further deletions

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::controller
