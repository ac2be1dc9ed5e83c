// CacheDebugger: compares podium's cache with the API server and logs a summary of it, as kube-scheduler does
// on SIGUSR2.
//
// "cache mismatch" names nodes and pods that only one side has; a change in flight may appear there once.
// Then come the nodes with their pods and resources, and the queue. Long lists are cut and marked as cut.
//
// Owner: the Engine; `gate` is empty before this is destroyed. Threads: run() from any thread; requests are
// made on `io`, the cache is read on the strand. Errors: logged.
// Source: pkg/scheduler/backend/cache/debugger.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <string>
#include <vector>

#include "async/gate.h"
#include "client/api.h"
#include "scheduler/cycle/scheduler.h"

namespace podium::app {

// The entries that only one of two sorted lists has.
struct Mismatch {
  std::vector<std::string> missed, redundant;  // only in `actual`; only in `cached`
  bool operator==(const Mismatch&) const = default;
};
Mismatch compare(std::vector<std::string> actual, std::vector<std::string> cached);

class CacheDebugger {
 public:
  CacheDebugger(client::Api& api, cycle::Scheduler& scheduler, async::Gate& gate,
                boost::asio::any_io_executor io, boost::asio::any_io_executor strand);
  // Does nothing while the previous run has not ended.
  void run();

 private:
  // A copy of the strand's data; `io` formats its text.
  struct Cached {
    cluster::Snapshot snapshot;
    std::vector<cluster::PodInfoPtr> pods, queued;
    queue::QueueCounts counts;
    std::size_t binding = 0;
  };
  static async::Task<void> compare_and_dump(CacheDebugger* self);
  static async::Task<Cached> read(CacheDebugger* self);  // on the strand
  // Names, or UIDs, of all objects; sorted.
  static async::Task<Result<std::vector<std::string>>> list(CacheDebugger* self, client::Resource resource,
                                                            std::string field_selector, std::string field);
  static void dump(const Cached& cached);

  client::Api& api_;
  cycle::Scheduler& scheduler_;
  async::Gate& gate_;
  const boost::asio::any_io_executor io_, strand_;
  std::atomic<bool> running_{false};
};

}  // namespace podium::app
