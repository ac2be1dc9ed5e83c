// Process: runs an Engine: threads, signals and the diagnostics server.
//
// SIGTERM, SIGINT and SIGHUP (unless it is ignored at the start) shut down in order (exit code 0), as do a
// lost lease and an exception that leaves a background task (exit code 1). A second signal abandons what has
// not ended and exits with 1. Every path runs the same destructors, unless something computes for longer than
// a stop may take: then the process ends without them, with the exit code that it would have (StopDeadline).
// SIGUSR2 compares the cache with the API server (CacheDebugger).
//
// Owner: run() in run.cc. Threads: the caller of run() is the I/O thread; docs/ARCHITECTURE.md lists the
// others. Errors: run() logs them and returns the exit code.
#pragma once

#include <prometheus/registry.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>
#include <memory>
#include <optional>
#include <string>

#include "app/engine/engine.h"
#include "app/run/config_reload.h"
#include "app/run/decision_log.h"
#include "app/run/diagnostics.h"
#include "app/run/low_priority.h"
#include "app/run/podium_metrics.h"
#include "app/run/process_metrics.h"
#include "app/run/run_options.h"
#include "app/run/stop_deadline.h"

namespace podium::app::run {

// The API servers that podium connects to; usually the same one.
struct Servers {
  client::ClientConfig cluster;                        // whose pods it schedules
  client::ClientConfig authentication, authorization;  // which review requests to the diagnostics server
};

class Process {
 public:
  // `reload` reads the configuration again.
  // `decisions`: null if they are not logged.
  Process(const RunOptions& options, config::Config config, Servers servers, ConfigReload::Load reload,
          std::unique_ptr<DecisionLog> decisions = nullptr);
  ~Process();
  // Runs until stopped; returns the exit code: 0, 1, or 2 if the diagnostics server cannot listen.
  int run();

 private:
  World world();
  controller::ReportRecorder::Ended log_of_decisions();
  std::shared_ptr<client::Transport> transport(client::ClientConfig config, std::size_t connections,
                                               client::MayWrite may_write);
  DiagnosticsServer::Parts diagnostics_parts();
  std::optional<report_api::ReportApi::Sources> report_sources();
  metrics::Samples sample_metrics();  // strand
  void run_context(boost::asio::io_context& context, const char* name);
  void wait_for_signal();
  void on_signal(int number);
  void begin_stop(int exit_code);  // any thread; only the first call has an effect
  async::Task<void> stop();
  std::string waits_for() const;  // any thread; the part that a stop waits for

  const RunOptions options_;
  const config::Config config_;
  const Servers servers_;
  boost::asio::io_context core_{1}, io_{1};
  using WorkGuard = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;
  WorkGuard core_work_{core_.get_executor()}, io_work_{io_.get_executor()};
  LowPriorityThreads workers_;
  boost::asio::thread_pool extenders_{1};
  boost::asio::thread_pool files_{1};  // waits for file systems
  boost::asio::signal_set signals_;
  prometheus::Registry registry_;
  ProcessMetrics process_metrics_{registry_};
  PodiumMetrics podium_metrics_{registry_};
  std::unique_ptr<DecisionLog> decision_log_;  // null: none
  async::Gate stop_gate_;                      // stop()
  Engine engine_;
  async::Gate reload_gate_;
  ConfigReload reload_;
  async::Gate diagnostics_gate_;
  DiagnosticsServer diagnostics_;
  std::atomic<bool> stopping_{false};
  std::atomic<int> exit_code_{0};
  std::atomic<const char*> joins_{nullptr};  // the threads that run() waits for
  StopDeadline deadline_;
};

}  // namespace podium::app::run
