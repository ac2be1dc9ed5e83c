// Retention: deletes expired reports and bounds the number of decision reports.
//
// RetentionIndex holds every report with its expiry. The report writers add to it, and so does a
// metadata-only list of all reports: at the start, every half hour, and every minute while the bound
// is reached. Expired reports are deleted with their UID as precondition, in batches and rate-limited.
// A failed deletion is retried after a backoff of its own and does not delay others. Near the bound
// the decision reports that expire next are deleted early. What-ifs do not count towards the bound.
//
// Time: a report lives for its TTL from its last write, by the API server's timestamps and the local
// steady clock. The server's current time is estimated from its replies and lists; until one has
// arrived (after a start) a report may live up to one TTL longer, never shorter. Only a what-if's
// expiry is computed from the local wall clock, which also wrote it.
//
// Owner: the Engine; `gate` is empty before this is destroyed. Threads: all functions from any thread;
// requests run on `io`. Call start() on the leader only. Errors: logged and retried.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "async/gate.h"
#include "base/clock.h"
#include "base/fair_queue_options.h"
#include "client/api.h"
#include "controller/retention_index.h"

namespace podium::controller {

struct RetentionOptions {
  std::chrono::seconds default_ttl{600};
  std::size_t max_decisions = 20'000;
  std::chrono::milliseconds round{5'000};  // the longest sleep between two rounds
  std::chrono::milliseconds relist{30 * 60'000}, relist_when_full{60'000};
  std::size_t deletes_per_second = 2'000;
  Backoff item{std::chrono::seconds(1), std::chrono::minutes(10)};
  Backoff all{std::chrono::seconds(1), std::chrono::minutes(1)};  // while the API server is away
};

class Retention {
 public:
  Retention(client::Api& api, RetentionOptions options, async::Gate& gate, boost::asio::any_io_executor io);
  ~Retention();

  // A report that was written just now. `server_time`: the server's time of the write, where the
  // reply has it.
  void track(const std::string& ns, const std::string& name, const std::string& uid, std::chrono::seconds ttl,
             ReportKind kind, std::optional<Wall> server_time = std::nullopt);
  // A what-if that was answered just now, with the expiry that its status states.
  void track(const std::string& ns, const std::string& name, const std::string& uid, Wall expires);
  // The report is gone. An empty UID matches any report of this name.
  void forget(const std::string& ns, const std::string& name, const std::string& uid = "");

  // Reserves capacity for one more decision report until release(); call that once the report is
  // tracked, or was not created. False: the bound is reached; early deletions will free capacity soon.
  bool reserve();
  void release();

  std::size_t size() const;
  std::size_t size(ReportKind kind) const;
  std::uint64_t deleted() const;
  std::uint64_t deleted_early() const;  // decision reports queued for early deletion because of the bound

  void start();
  void stop();  // sends no further deletions

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::controller
