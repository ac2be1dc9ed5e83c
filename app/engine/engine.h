// Engine: the scheduler and the report controller as one value: feed, queue, cycle, binder, preemptor,
// events, reports, retention, what-ifs and election, composed on a World.
//
// The Engine knows no process: clock, randomness, executors and transports come from its World, so that a
// simulation runs what `podium run` runs. Everything that it starts is inside one of its gates.
//
// Life: start() once. stop() ends in order: no further pod is taken; bindings and preemptions under way end;
// events and reports are written; the lease is released; watches end. abandon() skips the rest of that. The
// destructor needs all gates empty, which both stop() and abandon() bring about.
// Owner: Process, or a test. Threads: start() and the functions that say so from any thread; stop() on `io`.
// The World outlives the Engine.
#pragma once

#include <prometheus/registry.h>

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/driver.h"
#include "app/engine/extended.h"
#include "async/gate.h"
#include "client/api.h"
#include "client/events/event_recorder.h"
#include "client/leader/leader.h"
#include "controller/report_writer.h"
#include "controller/retention.h"
#include "controller/what_if_controller.h"
#include "scheduler/config/config.h"
#include "scheduler/cycle/api_announcer.h"
#include "scheduler/cycle/api_binder.h"
#include "scheduler/cycle/api_object_writer.h"
#include "scheduler/cycle/api_preemptor.h"
#include "scheduler/cycle/cluster_feed.h"
#include "scheduler/cycle/metrics.h"
#include "scheduler/cycle/pod_status_writer.h"

namespace podium::app {

// What requests a transport is for. Each has connections of its own, so that one never waits for another.
enum class Traffic {
  bindings,  // bindings, evictions and PreBind writes
  rest,      // lists, watches, events, reports, what-ifs
  lease,     // the lease; the one that may write without it
};

// What an Engine runs on. One thread at a time runs the strand, and one runs io.
struct World {
  Clock& clock;
  Random& random;
  boost::asio::any_io_executor strand;     // scheduling
  boost::asio::any_io_executor io;         // requests, decoding, writers
  boost::asio::any_io_executor workers;    // what-ifs
  boost::asio::any_io_executor extenders;  // decisions that ask extenders
  // A transport asks its right to write right before it sends anything but a GET.
  std::function<std::shared_ptr<client::Transport>(Traffic, client::MayWrite)> api_server;
  std::function<std::shared_ptr<client::Transport>(client::ClientConfig, client::MayWrite)> extender;
  prometheus::Registry& registry;
  async::Gate::Fault fault;  // what to do about a bug in something that runs in the background
};

class Engine {
 public:
  // `identity` names this process in the lease and in events.
  Engine(World world, const config::Config& config, std::string identity);
  ~Engine();
  Engine(const Engine&) = delete;

  // `lost` is called on io when leadership is lost, with the reason: nothing more is written, stop now.
  void start(std::function<void(std::string)> lost);
  // Returns false where something did not end in its time; see unfinished().
  async::Task<bool> stop();
  void abandon();  // any thread: cancels everything that runs; stop() then returns soon
  std::vector<std::string> unfinished() const;  // the names of what still runs

  // --- for the diagnostics endpoints ---
  // Any thread. Which caches are not in step with the API server, and why; empty: none.
  std::vector<std::string> not_synced() const;
  // Any thread. Why the election cannot go on; nullopt: it does, or there is none.
  std::optional<std::string> election_trouble() const;
  // On the strand. All pods that are not at their end; none where this process does not lead.
  std::vector<cluster::PodInfoPtr> pods_as_leader() const;
  const std::optional<client::LeaderElector>& elector() const { return elector_; }
  cycle::Scheduler& scheduler() { return scheduler_; }  // on the strand
  const controller::ReportWriter& reports() const { return reports_; }
  const controller::Retention& retention() const { return retention_; }

 private:
  std::unique_ptr<extender::Extenders> make_extenders();
  std::unique_ptr<ExtenderConsultant> make_consultant();
  std::unique_ptr<ExtenderBinder> make_extender_binder();
  client::MayWrite while_leading();
  client::EventRecorder* recorder_of(std::string_view scheduler_name);
  void announce_best_nodes(const cluster::PodInfo&, const controller::ReportStatus&);
  std::vector<async::Gate*> gates();
  void caches_synced();  // strand
  void leads();          // strand
  void begin();          // strand: synced and leading
  async::Task<void> run_election();
  async::Task<void> bindings_ended(std::chrono::milliseconds within);
  async::Task<void> written(std::chrono::milliseconds within);
  async::Task<cluster::Snapshot> fork();
  async::Task<cluster::Snapshot> snapshot_on_strand();

  const World world_;
  const config::Config& config_;
  const std::string identity_;
  // In the order in which they are closed.
  async::Gate questions_;  // what-ifs
  async::Gate deleting_;   // retention
  async::Gate binding_;    // bindings, evictions, PreBind writes, extenders
  async::Gate writing_;    // events, conditions, reports
  async::Gate electing_;
  async::Gate watching_;

  cycle::Metrics metrics_;
  std::shared_ptr<client::Transport> bind_transport_, transport_, lease_transport_;
  client::Api bind_api_, api_, lease_api_;
  client::Precedence bindings_first_;
  std::map<std::string, std::unique_ptr<client::EventRecorder>, std::less<>> recorders_;  // by scheduler name
  cycle::PodStatusWriter statuses_;
  cycle::ApiAnnouncer announcer_;
  cycle::ApiBinder binder_;
  // Null where the configuration has no extenders.
  std::unique_ptr<extender::Extenders> extenders_;
  std::unique_ptr<ExtenderConsultant> consultant_;
  std::unique_ptr<ExtenderBinder> extender_binder_;
  cycle::ApiPreemptor preemptor_;
  cycle::ApiObjectWriter writer_;
  controller::Retention retention_;
  controller::ReportWriter reports_;
  cycle::Scheduler scheduler_;
  cycle::ClusterFeed feed_;
  controller::WhatIfController what_ifs_;
  std::optional<client::LeaderElector> elector_;
  Driver driver_;

  std::function<void(std::string)> lost_;
  bool synced_ = false, leading_ = false;  // strand
  std::atomic<bool> ready_{false}, election_runs_{false}, stopping_{false};
};

}  // namespace podium::app
