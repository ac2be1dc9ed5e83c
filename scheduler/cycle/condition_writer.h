// ConditionWriter: the PodScheduled condition of pods that could not be placed, and with it the node that
// they are nominated to, written behind everything else.
//
// Only the newest text for a pod counts: one that waits is replaced. At most `writers` requests are under
// way; what does not fit into `capacity` is dropped, the oldest first, and counted, since the pod's next
// attempt writes again. A condition that the pod has already is not written.
// Threads: write() and stop() from any thread; requests run on the executor given.
// Errors: logged; a pod that is gone is no error.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "async/gate.h"
#include "client/api.h"
#include "scheduler/cluster/pod_info.h"

namespace podium::cycle {

class ConditionWriter {
 public:
  ConditionWriter(client::Api& api, async::Gate& gate, boost::asio::any_io_executor io,
                  std::size_t capacity = 10'000, std::size_t writers = 4);
  ~ConditionWriter();
  // `nominated_node` as in Announcer::failed.
  void write(const cluster::PodInfo& pod, std::string reason, std::string message,
             std::optional<std::string> nominated_node = std::nullopt);
  void forget(const std::string& uid);  // the pod was placed or is gone
  std::size_t waiting() const;
  std::uint64_t dropped() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace podium::cycle
