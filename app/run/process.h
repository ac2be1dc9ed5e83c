// Process: podium as it runs: every part, wired together, and how they start and stop.
//
// Threads: one for the scheduling strand, one for I/O and decoding, some for what-ifs. Parts talk by posting to each other's
// executor. The order of members is the order of construction: what is used is made before its user.
//
// Stopping (SIGTERM, SIGINT, a lost lease): no further pod is taken, bindings and preemptions under way end,
// events and reports drain within their deadlines, the lease is released, watches end.
#pragma once

#include <prometheus/registry.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/run/diagnostics.h"
#include "app/run/driver.h"
#include "app/run/extended.h"
#include "app/run/options.h"
#include "app/run/process_metrics.h"
#include "app/run/report_gauges.h"
#include "client/api.h"
#include "client/event_recorder.h"
#include "client/leader.h"
#include "controller/report_writer.h"
#include "controller/retention.h"
#include "controller/what_if_controller.h"
#include "scheduler/config/config.h"
#include "scheduler/cycle/api_announcer.h"
#include "scheduler/cycle/api_binder.h"
#include "scheduler/cycle/api_object_writer.h"
#include "scheduler/cycle/api_preemptor.h"
#include "scheduler/cycle/cluster_feed.h"
#include "scheduler/cycle/condition_writer.h"
#include "scheduler/cycle/metrics.h"
#include "scheduler/cycle/nomination_writer.h"

namespace podium::app::run {

// The API servers that podium talks to; all may be one.
struct Servers {
  client::ClientConfig cluster;                        // whose pods it places
  client::ClientConfig authentication, authorization;  // which review requests to the diagnostics server
};

class Process {
 public:
  Process(const Options& options, config::Config config, Servers servers);
  ~Process();
  // Serves until stopped; the exit code.
  int run();

 private:
  // The parts of the cycle that ask extenders; nothing without any.
  std::unique_ptr<extender::Extenders> make_extenders();
  std::unique_ptr<ExtenderConsultant> make_consultant();
  std::unique_ptr<ExtenderBinder> make_extender_binder();
  client::EventRecorder* recorder_of(std::string_view scheduler_name);
  std::shared_ptr<client::Transport> transport(client::ClientConfig config, std::size_t connections);
  DiagnosticsServer::Parts diagnostics_parts(Servers servers);
  void refresh_metrics();  // strand
  void start_parts();
  void maybe_begin();  // strand: synced and leading
  void announce_best_nodes(const cluster::PodInfo&, const controller::ReportStatus&);
  void wait_for_signal();
  void on_signal(int number);
  void begin_stop(int exit_code);  // any thread; the first call counts
  static client::Task<void> stop(Process* self);
  static client::Task<void> lead(Process* self);
  static client::Task<cluster::Snapshot> fork(Process* self);
  static client::Task<cluster::Snapshot> snapshot_on_strand(Process* self);
  // Attempts and bindings that have been started.
  static client::Task<std::size_t> under_way(Process* self);
  static client::Task<std::size_t> under_way_on_strand(Process* self);

  const Options options_;
  const config::Config config_;
  boost::asio::io_context core_{1}, io_{1};
  using WorkGuard = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;
  WorkGuard core_work_{core_.get_executor()}, io_work_{io_.get_executor()};
  boost::asio::signal_set signals_{io_, SIGTERM, SIGINT};
  boost::asio::thread_pool workers_;
  prometheus::Registry registry_;
  cycle::Metrics metrics_{registry_};
  ProcessMetrics process_metrics_{registry_};
  // Two pools of connections, so that bindings never wait behind reports, events and lists.
  std::shared_ptr<client::Transport> bind_transport_, transport_;
  client::Api bind_api_, api_;
  client::Precedence bindings_first_{system_clock()};
  std::map<std::string, std::unique_ptr<client::EventRecorder>, std::less<>> recorders_;  // by scheduler name
  cycle::ConditionWriter conditions_;
  cycle::ApiAnnouncer announcer_;
  cycle::ApiBinder binder_;
  std::unique_ptr<extender::Extenders> extenders_;  // null where the configuration has none; so are the next
                                                    // two
  std::unique_ptr<ExtenderConsultant> consultant_;
  std::unique_ptr<ExtenderBinder> extender_binder_;
  cycle::ApiPreemptor preemptor_;
  cycle::ApiObjectWriter writer_;
  cycle::NominationWriter nominator_;
  controller::Retention retention_;
  controller::ReportWriter reports_;
  cycle::Scheduler scheduler_;
  cycle::ClusterFeed feed_;
  controller::WhatIfController what_ifs_;
  std::optional<client::LeaderElector> elector_;
  Driver driver_;
  async::Gate diagnostics_gate_;
  ReportGauges report_gauges_{registry_};
  DiagnosticsServer diagnostics_;

  bool synced_ = false, leading_ = false;  // strand
  bool electing_ = false;                  // I/O thread
  std::atomic<bool> ready_{false}, stopping_{false};
  std::atomic<int> exit_code_{0};
};

}  // namespace podium::app::run
