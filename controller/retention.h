// Retention: deletes reports when their time is up, and keeps the number of decisions within its bound.
//
// An index of (report, when) is filled by who writes reports and by listing what is there (metadata only), at
// the start, every half hour, and every minute while the bound is reached. What is due is deleted with its
// UID as precondition, several at once and within a pace. One that cannot be deleted is tried again after a
// back-off of its own, and never in the way of others. Near the bound, the decisions that would go next go
// early, so that the newest have room; what-ifs do not count for it.
//
// Time: a report lives for its TTL from when it was last written, by the API server's times. They are taken
// from what it replies; the local wall clock decides nothing. Where the server's time is known less well (at
// a start, before anything was written), a report lives longer, by its TTL at most, and never shorter.
//
// Owner: the process. Threads: track(), forget(), reserve(), release(), stop() and the counts from any
// thread; the rest on `io`. start() on the leader only. Errors: logged and retried.
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
  std::chrono::milliseconds round{5'000};  // looks at least so often
  std::chrono::milliseconds relist{30 * 60'000}, relist_when_full{60'000};
  std::size_t deletes_per_second = 2'000;
  Backoff item{std::chrono::seconds(1), std::chrono::minutes(10)};
  Backoff all{std::chrono::seconds(1), std::chrono::minutes(1)};  // while the API server is away
};

class Retention {
 public:
  Retention(client::Api& api, RetentionOptions options, async::Gate& gate, boost::asio::any_io_executor io);
  ~Retention();

  // A report that was written just now. `server_time`: when, where the reply says it.
  void track(const std::string& ns, const std::string& name, const std::string& uid, std::chrono::seconds ttl,
             ReportKind kind, std::optional<Wall> server_time = std::nullopt);
  // A what-if that was answered just now, with the expiry that its status states.
  void track(const std::string& ns, const std::string& name, const std::string& uid, Wall expires);
  // It is gone. An empty UID means any of this name.
  void forget(const std::string& ns, const std::string& name, const std::string& uid = "");

  // Room for one more decision, until release(): call that once the report is tracked, or not made. False:
  // the bound is reached; some go early, so that there is room soon.
  bool reserve();
  void release();

  std::size_t size() const;
  std::size_t size(ReportKind kind) const;
  std::uint64_t deleted() const;
  std::uint64_t deleted_early() const;  // decisions, for room; counted in deleted() too

  void start();
  void stop();  // deletes nothing more

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::controller
