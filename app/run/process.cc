#include "app/run/process.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "base/random.h"
#include "base/version.h"
#include "client/auth/url.h"
#include "client/http/observed_transport.h"
#include "controller/what_if/turns.h"
#include "log/log.h"

namespace podium::app::run {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds kDiagnosticsDrain{2};
// The time for a whole stop: more than its parts take together, less than the chart's grace period of 35 s.
constexpr std::chrono::seconds kStop{32}, kSecondSignal{6};
constexpr std::size_t kExtenderConnections = 24, kReviewConnections = 2;
constexpr std::size_t kExtenderBytes = 128u << 20;  // of a reply, which may have every node

std::size_t connections_of(Traffic traffic) {
  switch (traffic) {
    case Traffic::bindings:
      return 16;
    case Traffic::rest:
      return 24;
    case Traffic::lease:
      return 2;
  }
  return 1;
}

std::string identity() {
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  return fmt::format("{}_{:08x}{:08x}", host, static_cast<std::uint32_t>(system_random().next()),
                     static_cast<std::uint32_t>(getpid()));
}

client::TransportLimits limits(std::size_t connections, std::optional<std::size_t> body_bytes = {}) {
  client::TransportLimits l;
  l.connections = connections;
  if (body_bytes) l.body_bytes = *body_bytes;
  return l;
}

// Returns the number of threads. whatIf.workers of them run at a time; the others are paused.
std::size_t threads_for_what_ifs(const config::Config& config) {
  return static_cast<std::size_t>(config.podium.what_if.workers) + controller::Turns::kMostPaused;
}

}  // namespace

Process::Process(const RunOptions& options, config::Config config, Servers servers, ConfigReload::Load reload,
                 std::unique_ptr<DecisionLog> decisions)
    : options_(options),
      config_(std::move(config)),
      servers_(std::move(servers)),
      workers_(threads_for_what_ifs(config_)),
      signals_(io_, SIGTERM, SIGINT, SIGUSR2),
      decision_log_(std::move(decisions)),
      // Nothing else can stop it in order.
      stop_gate_([this](std::string_view, std::string_view) {
        exit_code_ = 1;
        deadline_.begin(std::chrono::seconds(0));
      }),
      engine_(world(), config_, identity()),
      reload_gate_([this](std::string_view, std::string_view) { begin_stop(1); }),
      reload_(options_.config_file, config_, std::move(reload),
              [this](const config::Podium& podium) { engine_.apply(podium); }),
      diagnostics_gate_([this](std::string_view, std::string_view) { begin_stop(1); }),
      diagnostics_(diagnostics_parts()),
      deadline_([this] { return waits_for(); }, [this] { return exit_code_.load(); }) {
  // Not if it is ignored, as under nohup.
  struct sigaction hang_up{};
  if (::sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) signals_.add(SIGHUP);
  process_metrics_.gates(*config::parse_feature_gates(options_.feature_gates));  // validated before
}

Process::~Process() = default;

// Empty: they are not requested.
controller::ReportRecorder::Ended Process::log_of_decisions() {
  if (!decision_log_) return {};
  decision_log_->on_end([this](bool was_written) { podium_metrics_.decision_line(was_written); });
  return [this](const cluster::PodInfo& pod, const explain::ReportStatus& status, std::string_view) {
    const auto& meta = pod->meta;
    decision_log_->add({meta.namespace_, meta.name, meta.uid, status});
  };
}

World Process::world() {
  return {.clock = system_clock(),
          .random = system_random(),
          .strand = core_.get_executor(),
          .io = io_.get_executor(),
          .workers = workers_.get_executor(),
          .extenders = extenders_.get_executor(),
          .api_server =
              [this](Traffic traffic, client::MayWrite may_write) {
                return transport(servers_.cluster, connections_of(traffic), std::move(may_write));
              },
          .extender =
              [this](client::ClientConfig config, client::MayWrite may_write) {
                return client::make_transport(io_.get_executor(), std::move(config),
                                              limits(kExtenderConnections, kExtenderBytes),
                                              std::move(may_write));
              },
          .registry = registry_,
          .fault = [this](std::string_view, std::string_view) { begin_stop(1); },
          .what_if_ended = [this](const controller::WhatIfEnd& end) { podium_metrics_.what_if_ended(end); },
          .attempt_ended = log_of_decisions()};
}

std::shared_ptr<client::Transport> Process::transport(client::ClientConfig config, std::size_t connections,
                                                      client::MayWrite may_write) {
  const auto url = client::parse_server_url(config.server);
  const auto host = url ? url->authority() : config.server;
  return client::observe(client::make_transport(io_.get_executor(), std::move(config), limits(connections),
                                                std::move(may_write)),
                         system_clock(), [this, host](const client::Exchange& exchange) {
                           process_metrics_.request(host, exchange);
                           podium_metrics_.request(exchange);
                         });
}

// The reviewers' transports have no MayWrite: reviews are allowed without the lease.
DiagnosticsServer::Parts Process::diagnostics_parts() {
  const auto reviewer = [this](const client::ClientConfig& config) {
    return transport(config, kReviewConnections, {});
  };
  const std::function<std::optional<std::string>()> stopping = [this] {
    return stopping_ ? std::optional<std::string>("process is shutting down") : std::nullopt;
  };
  const std::function<std::optional<std::string>()> synced = [this]() -> std::optional<std::string> {
    std::string missing;
    for (const auto& kind : engine_.not_synced()) missing += (missing.empty() ? "" : ", ") + kind;
    if (missing.empty()) return std::nullopt;
    return "not synced with the API server: " + missing;
  };
  return {.gate = diagnostics_gate_,
          .io = io_.get_executor(),
          .strand = core_.get_executor(),
          .files = files_.get_executor(),
          .clock = system_clock(),
          .random = system_random(),
          .options = {.listen = options_.listen, .tls = options_.tls},
          .delegation = options_.delegation,
          .reviewers = {reviewer(servers_.authentication), reviewer(servers_.authorization)},
          .live = {{"leaderElection", [this] { return engine_.election_trouble(); }}},
          .ready = {{"shutdown", stopping},
                    {"sched-handler-sync", synced},
                    {"lease", [this] { return engine_.lease_trouble(); }},
                    {"bindings", [this] { return engine_.binding_trouble(); }}},
          .configuration = config_.view,
          .flags = options_.flag_values,
          .registry = registry_,
          .sample = [this] { return sample_metrics(); },
          .pods = [this] { return engine_.pods_as_leader(); },
          .fatal =
              [this](const Error& error) {
                log::error("cannot look up the client CA, stopping error={:?}", error.text());
                begin_stop(1);
              },
          .reports = report_sources(),
          .page = config_.podium.http_api.enabled && config_.podium.http_api.page};
}

std::optional<report_api::ReportApi::Sources> Process::report_sources() {
  if (!config_.podium.http_api.enabled) return std::nullopt;
  return report_api::ReportApi::Sources{
      .decisions = engine_.decisions(),
      .asker = engine_.asker(),
      .answers_what_ifs = config_.podium.what_if.enabled,
      .withholds_node_names = config_.podium.withhold_node_names,
      .not_synced = [this] { return engine_.not_synced(); },
      .leads = [this] { return !engine_.elector() || engine_.elector()->leading(); },
      .leader = [this] { return engine_.elector() ? engine_.elector()->holder() : std::string(); },
      .replied = [this](const std::string& path, int code) { podium_metrics_.api_reply(path, code); }};
}

metrics::Samples Process::sample_metrics() {
  engine_.scheduler().publish_metrics();
  if (engine_.elector()) process_metrics_.leads(engine_.elector()->leading());
  metrics::Samples out;
  engine_.sample_metrics(out);
  return out;
}

// Runs until the context is out of work. An exception from a handler is a bug: it begins a stop, and the
// context keeps running so that the process can shut down in order.
void Process::run_context(asio::io_context& context, const char* name) {
  for (bool ended = false; !ended;) {
    try {
      context.run();
      ended = true;
    } catch (const std::exception& e) {
      log::critical("exception in handler, stopping thread={:?} error={:?}", name, e.what());
      begin_stop(1);
    }
  }
}

int Process::run() {
  // First, since it throws when the system has no thread left, and nothing has to be stopped yet.
  std::thread core_thread([this] {
    pthread_setname_np(pthread_self(), "scheduling");  // for `top -H` and `gdb`
    run_context(core_, "scheduling strand");
  });
  const auto port = diagnostics_.listen();
  if (port) {
    log::info("starting podium version={} secure_port={} profiles={} leader_election={}", kVersion, *port,
              config_.profiles.size(), engine_.elector().has_value());
    wait_for_signal();
    reload_.start(reload_gate_, io_.get_executor(), files_.get_executor());
    engine_.start([this](const std::string& reason) {
      log::error("leader election lost, stopping error={:?}", reason);
      begin_stop(1);
    });
  } else {
    log::error("{}", port.error().message);
    exit_code_ = 2;
    engine_.abandon();
    signals_.cancel();
    io_work_.reset();
  }
  run_context(io_, "I/O");  // returns when stop() has finished
  core_work_.reset();
  joins_ = "the scheduling thread";
  core_thread.join();
  joins_ = "the threads of what-ifs";
  workers_.join();
  joins_ = "the thread of extenders";
  extenders_.join();
  joins_ = "the thread of files";
  files_.join();
  deadline_.end();
  log::info("podium stopped exit_code={}", exit_code_.load());
  return exit_code_;
}

void Process::wait_for_signal() {
  signals_.async_wait([this](boost::system::error_code error, int number) {
    if (error) return;
    on_signal(number);
    wait_for_signal();
  });
}

void Process::on_signal(int number) {
  if (number == SIGUSR2) return engine_.debug_cache();
  if (stopping_) {
    log::warn("second signal, stopping immediately");
    exit_code_ = 1;
    deadline_.begin(kSecondSignal);
    engine_.abandon();
    return;
  }
  log::info("stopping signal={}", number == SIGHUP ? "SIGHUP" : number == SIGINT ? "SIGINT" : "SIGTERM");
  begin_stop(0);
}

void Process::begin_stop(int exit_code) {
  if (stopping_.exchange(true)) return;
  exit_code_ = exit_code;
  deadline_.begin(kStop);
  async::spawn(stop_gate_, io_.get_executor(), "stop", stop());
}

std::string Process::waits_for() const {
  if (const auto* threads = joins_.load()) return threads;
  const auto tasks = engine_.unfinished();
  return tasks.empty() ? "the I/O thread" : fmt::format("{}", fmt::join(tasks, ", "));
}

async::Task<void> Process::stop() {
  reload_gate_.cancel();
  const bool all_ended = co_await engine_.stop();
  if (!all_ended) {
    for (const auto& name : engine_.unfinished()) log::error("task did not end in time task={:?}", name);
  }
  diagnostics_.close();
  diagnostics_gate_.cancel();
  diagnostics_.disconnect();
  co_await diagnostics_gate_.drained(kDiagnosticsDrain);
  signals_.cancel();
  io_work_.reset();
}

}  // namespace podium::app::run
