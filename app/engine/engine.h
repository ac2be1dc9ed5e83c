// Engine: the scheduler and the report controller in one object: feed, queue, cycle, binder, preemptor,
// events, reports, retention, what-ifs and leader election, composed on a World.
//
// The Engine has no process state: clock, randomness, executors and transports come from its World, so a
// simulation runs the same code as `podium run`. Every task it starts is inside one of its gates.
//
// Life: start() once. stop() shuts down in order: no further pod is scheduled; bindings and preemptions in
// flight end; events and reports are written; the lease is released; watches end. abandon() skips the
// remaining steps. The destructor requires all gates to be empty: after stop() has returned true, or after
// abandon() when the executors have no work left.
//
// Owner: Process, or a test. The World outlives the Engine. Threads: start() and the functions
// that say so from any thread; stop() on `io`. Errors: a lost lease goes to `lost`, a bug in a
// task to World::fault.
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

#include "app/engine/cache_debugger.h"
#include "app/engine/driver.h"
#include "app/engine/extended.h"
#include "app/engine/recorders.h"
#include "async/gate.h"
#include "base/clock.h"
#include "base/random.h"
#include "client/api.h"
#include "client/events/event_recorder.h"
#include "client/leader/leader.h"
#include "controller/recorder/decision_memory.h"
#include "controller/recorder/past_preemptions.h"
#include "controller/recorder/report_recorder.h"
#include "controller/recorder/report_writer.h"
#include "controller/report/crd_check.h"
#include "controller/retention/retention.h"
#include "controller/what_if/what_if_controller.h"
#include "scheduler/config/values/config.h"
#include "scheduler/config/values/live_podium.h"
#include "scheduler/cycle/metrics.h"
#include "scheduler/live/api_announcer.h"
#include "scheduler/live/api_binder.h"
#include "scheduler/live/api_object_writer.h"
#include "scheduler/live/api_preemptor.h"
#include "scheduler/live/cluster_feed.h"
#include "scheduler/live/pod_status_writer.h"

namespace podium::metrics {
class Samples;
}

namespace podium::app {

// The requests a transport is used for. Each kind has its own connections, so that none delays another.
enum class Traffic {
  bindings,  // bindings, evictions and PreBind writes
  rest,      // lists, watches, events, reports, what-ifs
  lease,     // the lease; the only kind that may write without holding it
};

// What an Engine runs on. `strand` and `io` each run one handler at a time.
struct World {
  Clock& clock;
  Random& random;
  boost::asio::any_io_executor strand;     // scheduling
  boost::asio::any_io_executor io;         // requests, decoding, writers
  boost::asio::any_io_executor workers;    // what-ifs, see Asker
  boost::asio::any_io_executor extenders;  // decisions that ask extenders
  // A transport calls MayWrite right before it sends any request but a GET.
  std::function<std::shared_ptr<client::Transport>(Traffic, client::MayWrite)> api_server;
  std::function<std::shared_ptr<client::Transport>(client::ClientConfig, client::MayWrite)> extender;
  prometheus::Registry& registry;
  async::Gate::Fault fault;                             // called when an exception leaves a background task
  controller::WhatIfController::Ended what_if_ended{};  // called on io; may be empty
  controller::ReportRecorder::Ended attempt_ended{};    // called on the strand; may be empty
  std::chrono::milliseconds relist = client::ReflectorOptions{}.relist;  // of all watched kinds
};

class Engine {
 public:
  // `identity` names this process in the lease and in events.
  Engine(World world, const config::Config& config, std::string identity);
  ~Engine();
  Engine(const Engine&) = delete;

  // Calls `lost` on io, with the reason, when leadership is lost. Nothing is written from then
  // on; call stop().
  void start(std::function<void(std::string)> lost);
  // Any thread. Applies the switches of reports and events; ignores the rest.
  void apply(const config::Podium& podium);
  // False: some tasks did not end in time; see unfinished().
  async::Task<bool> stop();
  void abandon();                               // any thread; cancels all tasks; stop() then returns soon
  std::vector<std::string> unfinished() const;  // names of the tasks that still run

  // --- for the diagnostics endpoints ---
  // Any thread. "kind: reason" for each cache that is not synced; empty: all are.
  std::vector<std::string> not_synced() const;
  // Any thread. Why the leader election is stuck; nullopt: it is not, or it is disabled.
  std::optional<std::string> election_trouble() const;
  // Any thread. Why podium runs but cannot work: the lease cannot be read or written,
  // or bindings are refused.
  std::optional<std::string> lease_trouble() const;
  std::optional<std::string> binding_trouble() const { return binder_.why_unhealthy(); }
  // Runs on the strand. Returns all pods that have not terminated; empty if this process does not lead.
  std::vector<cluster::PodInfoPtr> pods_as_leader() const;
  // Runs on the strand. Samples the metrics of all parts.
  void sample_metrics(metrics::Samples& out) const;
  const std::optional<client::LeaderElector>& elector() const { return elector_; }
  cycle::Scheduler& scheduler() { return scheduler_; }  // on the strand
  const controller::ReportWriter& reports() const { return reports_; }
  const controller::Retention& retention() const { return retention_; }
  const controller::WhatIfController& what_ifs() const { return what_ifs_; }
  controller::Asker& asker() { return what_ifs_.asker(); }
  const controller::DecisionMemory& decisions() const { return decisions_; }
  const controller::CrdCheck& crd() const { return crd_; }
  const live::PodStatusWriter& pod_statuses() const { return statuses_; }
  const live::ClusterFeed& feed() const { return feed_; }
  std::uint64_t events_dropped() const;  // any thread
  std::size_t events_waiting() const;    // any thread
  // Any thread. Compares the snapshot and the queue with the API server, and logs the
  // differences and a summary.
  void debug_cache();

 private:
  std::unique_ptr<extender::Extenders> make_extenders();
  std::unique_ptr<ExtenderConsultant> make_consultant();
  std::unique_ptr<ExtenderBinder> make_extender_binder();
  client::MayWrite while_leading();
  client::EventRecorder* recorder_of(std::string_view scheduler_name);
  void binding_ended(const std::string& uid, const cycle::BindOutcome& outcome);  // strand
  controller::ReportRecorder::Ended memory_of_decisions();
  void announce_best_nodes(const cluster::PodInfo&, const explain::ReportStatus&, const std::string& report);
  std::vector<async::Gate*> gates();
  void caches_synced();  // strand
  void leads();          // strand
  void begin();          // strand: synced and leading
  std::function<void()> log_missing_reports();
  void check_crd();  // io, or before it runs
  async::Task<void> recall_preemptions();
  async::Task<void> recall_on_strand(std::vector<controller::PastPreemption> past);
  async::Task<void> run_election();
  async::Task<void> bindings_ended(std::chrono::milliseconds within);
  async::Task<void> written(std::chrono::milliseconds within);
  async::Task<cluster::Snapshot> fork();
  async::Task<cluster::Snapshot> snapshot_on_strand();
  async::Task<std::vector<cluster::PodInfoPtr>> waiting();
  async::Task<std::vector<cluster::PodInfoPtr>> waiting_on_strand();

  const World world_;
  const config::Config& config_;
  const std::string identity_;
  // Gates, in the order in which they are closed.
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
  live::PodStatusWriter statuses_;
  config::LivePodium settings_;
  live::ApiAnnouncer announcer_;
  live::ApiBinder binder_;
  // Null if the configuration has no extenders.
  std::unique_ptr<extender::Extenders> extenders_;
  std::unique_ptr<ExtenderConsultant> consultant_;
  std::unique_ptr<ExtenderBinder> extender_binder_;
  live::ApiPreemptor preemptor_;
  live::ApiObjectWriter writer_;
  controller::Retention retention_;
  controller::DecisionMemory decisions_;
  controller::ReportWriter reports_;
  controller::ReportRecorder report_recorder_;
  Recorders recorder_;
  cycle::Scheduler scheduler_;
  live::ClusterFeed feed_;
  controller::WhatIfController what_ifs_;
  controller::CrdCheck crd_;
  CacheDebugger debugger_;
  std::optional<client::LeaderElector> elector_;
  Driver driver_;

  bool started_ = false, checks_crd_ = false;
  std::function<void(std::string)> lost_;
  bool synced_ = false, leading_ = false;  // strand
  std::atomic<bool> ready_{false}, election_runs_{false}, stopping_{false};
};

}  // namespace podium::app
