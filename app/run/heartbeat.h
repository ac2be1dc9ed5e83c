// Heartbeat: whether the scheduling strand still does what is posted to it.
//
// A task is posted every second; one that has not run for ten seconds makes it unhealthy.
// Owner: DiagnosticsServer. Threads: start() and why_unhealthy() on the I/O executor.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <optional>
#include <string>

#include "async/gate.h"
#include "base/clock.h"

namespace podium::app::run {

class Heartbeat {
 public:
  Heartbeat(async::Gate& gate, boost::asio::any_io_executor io, boost::asio::any_io_executor strand,
            Clock& clock);
  void start();
  void beat();  // posts a task, unless the last one has not run yet
  std::optional<std::string> why_unhealthy() const;

 private:
  struct Beat;
  static async::Task<void> run(Heartbeat* self);

  async::Gate& gate_;
  const boost::asio::any_io_executor io_, strand_;
  Clock& clock_;
  const std::shared_ptr<Beat> beat_;  // shared with the task that is posted
};

}  // namespace podium::app::run
