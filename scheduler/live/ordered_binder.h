// OrderedBinder: binds a pod after the writes of its status.
//
// A pod that did not fit may fit while the API server still has the request that says so
// (PodScheduled=False). The binding sets PodScheduled=True, which that request would overwrite. So the
// queued write is dropped, and a binding waits for the write in flight.
//
// Owner: the Engine. Threads: the strand. Errors: those of the inner binder.
// Source: pkg/scheduler/schedule_one.go (handleSchedulingFailure patches before the next pod is tried).
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <string>
#include <utility>

#include "scheduler/cycle/seams.h"
#include "scheduler/live/pod_status_writer.h"

namespace podium::live {

class OrderedBinder final : public cycle::Binder {
 public:
  OrderedBinder(cycle::Binder& inner, PodStatusWriter& statuses, boost::asio::any_io_executor strand)
      : inner_(inner), statuses_(statuses), strand_(std::move(strand)) {}

  void bind(cluster::PodInfoPtr pod, std::string node) override;
  void read(cluster::PodInfoPtr pod) override { inner_.read(std::move(pod)); }

 private:
  cycle::Binder& inner_;
  PodStatusWriter& statuses_;
  const boost::asio::any_io_executor strand_;
};

}  // namespace podium::live
