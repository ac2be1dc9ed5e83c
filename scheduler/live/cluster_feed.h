// ClusterFeed: feeds the scheduler with the cluster's state. Runs one reflector per kind and decodes
// objects off the strand.
//
// Owner: the Engine, whose gate holds the reflectors. Threads: reflectors and decoding run on `io`;
// changes are posted to the strand in batches, in order per kind. start(), stop(), not_ready() and
// undecodable() from any thread.
// A kind of dynamic resource allocation that the API server does not serve, as its discovery confirms,
// counts as listed and ready; it is listed once it is served. If a kind stops being served, its last known
// objects stay until then.
// Errors: an object that cannot be decoded is logged, counted and handled as if it were deleted, so that no
// decision uses a stale version. A pod on a node still counts with those of its resources that can be read.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "async/gate.h"
#include "client/api.h"
#include "client/watch/reflector.h"
#include "scheduler/cycle/scheduler.h"

namespace podium::metrics {
class Samples;
}

namespace podium::live {

class ClusterFeed {
 public:
  // `relist`: see ReflectorOptions.
  ClusterFeed(client::Api& api, cycle::Scheduler& scheduler, const cluster::RequestRules& rules,
              async::Gate& gate, boost::asio::any_io_executor io, boost::asio::any_io_executor strand,
              std::chrono::milliseconds relist = client::ReflectorOptions{}.relist);
  ~ClusterFeed();

  // Call once. Calls `synced` once, on the strand, when all kinds have been listed and applied.
  void start(std::function<void()> synced);
  // Called on `io` with every change, before the scheduler gets it. Set before start().
  using Tap = std::function<void(const client::Resource&, const client::Change&)>;
  void tap(Tap tap);
  void stop();
  // "kind: reason" for each kind that was not listed yet or cannot be watched now; empty: ready.
  std::vector<std::string> not_ready() const;
  // Each kind, and whether its last list or watch worked.
  std::vector<std::pair<std::string, bool>> watches() const;
  std::uint64_t undecodable() const;  // objects so far
  void sample_metrics(metrics::Samples& out) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace podium::live
