// Heartbeat: detects a scheduling strand that no longer runs its tasks.
//
// Posts a task to the strand every second. The strand is unhealthy while a task has been pending
// for ten seconds.
//
// Owner: DiagnosticsServer. Threads: all functions on the I/O executor, start() also before it runs.
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
  void beat();  // posts a task, unless the previous one is still pending
  std::optional<std::string> why_unhealthy() const;

 private:
  struct Beat;
  static async::Task<void> run(Heartbeat* self);

  async::Gate& gate_;
  const boost::asio::any_io_executor io_, strand_;
  Clock& clock_;
  const std::shared_ptr<Beat> beat_;  // shared with the posted task
};

}  // namespace podium::app::run
