// ClusterFeed: keeps the scheduler's view of the cluster in step with the API server: one reflector a kind,
// decoded off the strand.
//
// Owner: the Engine, whose gate holds the reflectors. Threads: reflectors and decoding run on `io`; changes
// are posted to the strand in batches, in order per kind. start(), stop() and not_ready() from any thread.
// Errors: an object that cannot be read or decoded is logged and left out, as if it were deleted; it is never
// taken for something else.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "async/gate.h"
#include "client/api.h"
#include "client/watch/reflector.h"
#include "scheduler/cycle/scheduler.h"

namespace podium::cycle {

class ClusterFeed {
 public:
  ClusterFeed(client::Api& api, Scheduler& scheduler, const cluster::RequestRules& rules, async::Gate& gate,
              boost::asio::any_io_executor io, boost::asio::any_io_executor strand);
  ~ClusterFeed();

  // `synced` is called once on the strand, when all kinds have been listed and applied.
  void start(std::function<void()> synced);
  // Sees every change as it arrives, on `io`, before the scheduler does. Before start().
  using Tap = std::function<void(const client::Resource&, const client::Change&)>;
  void tap(Tap tap);
  void stop();
  // What keeps the scheduler from being ready: kinds that have not been listed yet or cannot be watched right
  // now, with the reason; empty: nothing.
  std::vector<std::string> not_ready() const;
  std::uint64_t undecodable() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace podium::cycle
