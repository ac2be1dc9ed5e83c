#include "app/run/process.h"

#include <fmt/format.h>
#include <malloc.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <thread>

#include "async/nap.h"
#include "base/version.h"
#include "client/url.h"

namespace podium::app::run {
namespace {

namespace asio = boost::asio;
using client::Task;

using Milliseconds = std::chrono::milliseconds;
constexpr Milliseconds kBindingsDrain{20'000}, kReportsDrain{2'000}, kLeaseDrain{2'000}, kLastResort{2'000};
constexpr Milliseconds kPoll{10};
constexpr std::size_t kBindConnections = 16, kConnections = 24, kReviewConnections = 2;

std::string identity() {
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  return fmt::format("{}_{:08x}{:08x}", host, static_cast<std::uint32_t>(system_random().next()),
                     static_cast<std::uint32_t>(getpid()));
}

client::TransportLimits limits(std::size_t connections) {
  client::TransportLimits l;
  l.connections = connections;
  return l;
}

}  // namespace

Process::Process(const Options& options, config::Config config, Servers servers)
    : options_(options),
      config_(std::move(config)),
      workers_(static_cast<std::size_t>(config_.podium.what_if.workers)),
      bind_transport_(transport(servers.cluster, kBindConnections)),
      transport_(transport(servers.cluster, kConnections)),
      bind_api_(bind_transport_, system_clock(), system_random()),
      api_(transport_, system_clock(), system_random()),
      conditions_(api_, io_.get_executor()),
      announcer_([this](std::string_view name) { return recorder_of(name); }, conditions_,
                 config_.podium.events.enabled),
      binder_(bind_api_, bindings_first_, io_.get_executor(), core_.get_executor(),
              [this](const std::string& uid, const cycle::BindOutcome& outcome) {
                scheduler_.binding_ended(uid, outcome);
              }),
      extenders_(make_extenders()),
      consultant_(make_consultant()),
      extender_binder_(make_extender_binder()),
      preemptor_(bind_api_, io_.get_executor(), core_.get_executor(),
                 [this](const cycle::PreemptionOrder& order, const cycle::PreemptionOutcome& outcome) {
                   scheduler_.preemption_ended(order, outcome);
                 }),
      writer_(bind_api_, io_.get_executor(), core_.get_executor(),
              [this](const std::string& uid, cycle::WriteOutcome outcome) {
                scheduler_.write_ended(uid, std::move(outcome));
              }),
      nominator_(api_, io_.get_executor()),
      retention_(api_, {.default_ttl = config_.podium.reports.ttl}),
      reports_(api_, bindings_first_, retention_, config_.podium, io_.get_executor(),
               [this](const cluster::PodInfo& pod, const controller::ReportStatus& status) {
                 announce_best_nodes(pod, status);
               }),
      scheduler_({.config = config_,
                  .clock = system_clock(),
                  .binder = extender_binder_ ? static_cast<cycle::Binder&>(*extender_binder_) : binder_,
                  .preemptor = preemptor_,
                  .writer = writer_,
                  .nominator = nominator_,
                  .announcer = announcer_,
                  .recorder = reports_,
                  .metrics = metrics_,
                  .consultant = consultant_.get()}),
      feed_(api_, scheduler_, framework::request_rules(config_.features), io_.get_executor(),
            core_.get_executor()),
      what_ifs_(api_, retention_, config_, io_.get_executor(), workers_.get_executor(),
                [this] { return fork(this); }),
      driver_(core_.get_executor(), scheduler_, system_clock(),
              [this] { return !elector_ || elector_->leading(); }),
      diagnostics_(diagnostics_parts(std::move(servers))) {
  process_metrics_.gates(*config::parse_feature_gates(options_.feature_gates));  // checked before
  const auto instance = identity();
  for (const auto& profile : config_.profiles) {
    const auto& name = profile->scheduler_name;
    recorders_.emplace(
        name, std::make_unique<client::EventRecorder>(api_, bindings_first_, name, name + "-" + instance));
  }
  const auto& election = config_.leader_election;
  if (election.leader_elect) {
    elector_.emplace(api_, client::LeaderOptions{.lease_namespace = election.resource_namespace,
                                                 .lease_name = election.resource_name,
                                                 .identity = instance,
                                                 .lease_duration = election.lease_duration,
                                                 .renew_deadline = election.renew_deadline,
                                                 .retry_period = election.retry_period});
  }
}

Process::~Process() = default;

std::shared_ptr<client::Transport> Process::transport(client::ClientConfig config, std::size_t connections) {
  const auto url = client::parse_server_url(config.server);
  const auto host = url ? url->authority() : config.server;
  return client::observe(
      client::make_transport(io_.get_executor(), std::move(config), limits(connections)), system_clock(),
      [this, host](const client::Exchange& exchange) { process_metrics_.request(host, exchange); });
}

std::unique_ptr<extender::Extenders> Process::make_extenders() {
  if (config_.extenders.empty()) return nullptr;
  // Their settings were checked before.
  return *extender::Extenders::make(config_.extenders, [this](client::ClientConfig reached) {
    return client::make_transport(io_.get_executor(), std::move(reached), limits(kConnections));
  });
}

std::unique_ptr<ExtenderConsultant> Process::make_consultant() {
  if (!extenders_) return nullptr;
  return std::make_unique<ExtenderConsultant>(
      *extenders_, core_.get_executor(),
      [this](framework::Decision decision) { scheduler_.decided(std::move(decision)); });
}

std::unique_ptr<ExtenderBinder> Process::make_extender_binder() {
  if (!extenders_) return nullptr;
  return std::make_unique<ExtenderBinder>(*extenders_, bind_api_, binder_, io_.get_executor(),
                                          core_.get_executor(),
                                          [this](const std::string& uid, const cycle::BindOutcome& outcome) {
                                            scheduler_.binding_ended(uid, outcome);
                                          });
}

client::EventRecorder* Process::recorder_of(std::string_view scheduler_name) {
  const auto it = recorders_.find(scheduler_name);
  return it == recorders_.end() ? recorders_.begin()->second.get() : it->second.get();
}

int Process::run() {
  const auto port = diagnostics_.listen();
  if (!port) {
    spdlog::error("{}", port.error().message);
    return 2;
  }
  spdlog::info("podium starts version={} secure_port={} profiles={} leader_election={}", kVersion, *port,
               config_.profiles.size(), elector_.has_value());
  wait_for_signal();
  start_parts();
  std::thread core_thread([this] { core_.run(); });
  io_.run();  // until stop() has asked everything to end
  io_.restart();
  io_work_.reset();
  io_.run_for(kLastResort);
  const bool all_ended = io_.stopped();
  workers_.stop();
  workers_.join();
  if (consultant_) consultant_->join();
  core_work_.reset();
  core_thread.join();
  spdlog::info("podium has stopped exit_code={}", exit_code_.load());
  if (!all_ended) {
    // Something still waits on the network. Its coroutines hold on to parts that would be destroyed under
    // them.
    spdlog::warn("not everything ended in time");
    spdlog::shutdown();
    std::_Exit(exit_code_);
  }
  return exit_code_;
}

void Process::wait_for_signal() {
  signals_.async_wait([this](boost::system::error_code error, int number) {
    if (error) return;
    on_signal(number);
    wait_for_signal();
  });
}

void Process::start_parts() {
  for (auto& [name, recorder] : recorders_) asio::co_spawn(io_, recorder->run(), asio::detached);
  if (extenders_) {
    feed_.tap([this](const client::Resource& kind, const client::Change& change) {
      extenders_->texts().changed(kind, change);
    });
  }
  feed_.start([this] {
    malloc_trim(0);  // the first lists have come and gone
    spdlog::info("cluster is known nodes={} pods={}", scheduler_.snapshot().node_count(),
                 scheduler_.snapshot().pod_total());
    synced_ = true;
    maybe_begin();
  });
  if (elector_) {
    asio::co_spawn(io_, lead(this), asio::detached);
  } else {
    asio::post(core_, [this] {
      leading_ = true;
      maybe_begin();
    });
  }
}

Task<void> Process::lead(Process* self) {
  self->electing_ = true;
  const std::function<void()> on_started = [self] {
    asio::post(self->core_, [self] {
      self->leading_ = true;
      self->maybe_begin();
    });
  };
  const auto ended = co_await self->elector_->run(on_started);
  self->electing_ = false;
  if (!ended && !self->stopping_) {
    spdlog::error("the lease is lost, stopping error=\"{}\"", ended.error().message);
    self->begin_stop(1);
  }
}

void Process::maybe_begin() {
  ready_ = synced_;
  if (!synced_ || !leading_ || driver_.started() || stopping_) return;
  spdlog::info("scheduling begins");
  driver_.start();
  asio::co_spawn(io_, retention_.run(), asio::detached);
  if (config_.podium.what_if.enabled) asio::co_spawn(io_, what_ifs_.run(), asio::detached);
}

// By way of the strand: only there the snapshot may be copied, and what is under way counted.
Task<cluster::Snapshot> Process::snapshot_on_strand(Process* self) { co_return self->scheduler_.snapshot(); }
Task<std::size_t> Process::under_way_on_strand(Process* self) {
  co_return self->scheduler_.bindings() + self->scheduler_.preemptions() +
      (self->scheduler_.consulting() ? 1 : 0);
}

Task<cluster::Snapshot> Process::fork(Process* self) {
  co_return co_await asio::co_spawn(self->core_, snapshot_on_strand(self), asio::use_awaitable);
}

Task<std::size_t> Process::under_way(Process* self) {
  co_return co_await asio::co_spawn(self->core_, under_way_on_strand(self), asio::use_awaitable);
}

void Process::announce_best_nodes(const cluster::PodInfo& pod, const controller::ReportStatus& status) {
  std::string note = "best nodes:";
  for (const auto& [host, score] : status.top_nodes) note += fmt::format(" {} ({})", host, score);
  announcer_.event(pod, "Normal", "BestNodes", "Scheduling", std::move(note));
}

DiagnosticsServer::Parts Process::diagnostics_parts(Servers servers) {
  const auto reviewer = [this](client::ClientConfig config) {
    return transport(std::move(config), kReviewConnections);
  };
  const std::function<std::optional<std::string>()> stopping = [this] {
    return stopping_ ? std::optional<std::string>("process is shutting down") : std::nullopt;
  };
  const std::function<std::optional<std::string>()> synced = [this]() -> std::optional<std::string> {
    std::string missing;
    for (const auto& kind : feed_.not_ready()) missing += (missing.empty() ? "" : ", ") + kind;
    if (!missing.empty()) return "not in step with the API server: " + missing;
    return ready_ ? std::nullopt : std::optional<std::string>("handlers are not fully synchronized");
  };
  const std::function<std::optional<std::string>()> election = [this] {
    const bool ended = elector_ && !electing_ && !stopping_;
    return ended ? std::optional<std::string>("the leader election has stopped") : std::nullopt;
  };
  return {
      .gate = diagnostics_gate_,
      .io = io_.get_executor(),
      .strand = core_.get_executor(),
      .clock = system_clock(),
      .random = system_random(),
      .options = {.listen = options_.listen, .tls = options_.tls},
      .delegation = options_.delegation,
      .reviewers = {reviewer(std::move(servers.authentication)), reviewer(std::move(servers.authorization))},
      .live = {{"leaderElection", election}},
      .ready = {{"shutdown", stopping}, {"sched-handler-sync", synced}},
      .configuration = config_.view,
      .registry = registry_,
      .refresh = [this] { refresh_metrics(); },
      .pods = [this] { return leading_ ? scheduler_.pods() : std::vector<cluster::PodInfoPtr>(); },
      .fatal =
          [this](const Error& error) {
            spdlog::error("client CA cannot be looked up, stopping error=\"{}\"", error.message);
            begin_stop(1);
          }};
}

void Process::refresh_metrics() {
  scheduler_.tell_metrics();
  if (elector_) process_metrics_.leads(elector_->leading());
  report_gauges_.set(reports_.counts(), retention_.size());
}

// --- the end ---

void Process::on_signal(int number) {
  if (stopping_) {
    spdlog::warn("second signal, stopping at once");
    std::_Exit(1);
  }
  spdlog::info("stopping signal={}", number == SIGINT ? "SIGINT" : "SIGTERM");
  begin_stop(0);
}

void Process::begin_stop(int exit_code) {
  if (stopping_.exchange(true)) return;
  exit_code_ = exit_code;
  asio::co_spawn(io_, stop(this), asio::detached);
}

Task<void> Process::stop(Process* self) {
  asio::post(self->core_, [self] {
    self->driver_.stop();
    self->scheduler_.stop();
  });
  self->what_ifs_.stop();
  self->retention_.stop();
  const auto end = self->api_.clock().now() + kBindingsDrain;
  for (;;) {
    const auto left = co_await under_way(self);
    if (left == 0 || self->api_.clock().now() > end) break;
    co_await async::nap(kPoll);
  }
  for (auto& [name, recorder] : self->recorders_) recorder->stop();
  co_await self->reports_.drain(kReportsDrain);
  if (self->elector_) self->elector_->stop();
  self->feed_.stop();
  self->diagnostics_.close();
  self->diagnostics_gate_.cancel();
  if (self->elector_) {  // its last word releases the lease
    for (auto waited = kPoll; self->electing_ && waited < kLeaseDrain; waited += kPoll)
      co_await async::nap(kPoll);
  }
  if (self->extenders_) self->extenders_->close();
  self->diagnostics_.disconnect();
  self->bind_transport_->close();
  self->transport_->close();
  self->signals_.cancel();
  self->io_.stop();  // what is cancelled ends in run()
}

}  // namespace podium::app::run
