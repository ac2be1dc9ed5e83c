// Retention: deletes reports when their time is up.
//
// Level-based: an index of (report, expiry) is filled by who writes reports and by listing what is there, at
// the start and every half hour; what is due is deleted with its UID as precondition, one after the other and
// paced, so that a backlog (a million reports after a pause) never floods the API server. A report without a
// status counts from its creation.
// Threads: track(), forget() and size() from any thread; run() on one executor, on the leader only.
// Errors: logged and retried on the next round.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "client/api.h"

namespace podium::controller {

struct RetentionOptions {
  std::chrono::seconds default_ttl{600};
  std::chrono::milliseconds round{5'000};
  std::chrono::milliseconds relist{30 * 60'000};
  std::size_t deletes_per_second = 200;
};

class Retention {
 public:
  Retention(client::Api& api, RetentionOptions options);
  ~Retention();
  void track(const std::string& ns, const std::string& name, const std::string& uid, Wall expires);
  void forget(const std::string& ns, const std::string& name);
  std::size_t size() const;
  std::uint64_t deleted() const;

  client::Task<void> run();  // until stop()
  void stop();               // thread-safe

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace podium::controller
