#include "app/engine/engine.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <ranges>
#include <set>

#include "async/on.h"
#include "async/timer.h"
#include "base/check.h"
#include "controller/recorder/missing_reports.h"
#include "log/log.h"
#include "log/sink.h"
#include "metrics/samples.h"
#include "scheduler/framework/decision.h"

namespace podium::app {
namespace {

namespace asio = boost::asio;
using async::Task;
using std::chrono::milliseconds;

// Writes need the lease, so no other process schedules while this one stops. Bindings and writes have 15 s
// together, the time that a lease outlives its holder. If bindings take all of it, the writes get 4 s more:
// 19 s at most.
constexpr milliseconds kBindingsDrain{15'000}, kLostDrain{2'000}, kLeastWrites{4'000}, kLeaseDrain{2'000};
constexpr milliseconds kOthersDrain{
    2'000};  // the part of the time for writes that reports leave to the others
// The time for reports, conditions and events of pending pods, which the next leader writes again.
constexpr milliseconds kMinorDrain{2'000};
constexpr milliseconds kLastResort{5'000};

// The number of queued objects that were never written.
struct Lost {
  std::uint64_t reports = 0, statuses = 0, events = 0;
  bool operator==(const Lost&) const = default;
};

controller::ReportLimits limits_of(const config::Podium::Reports& reports) {
  const auto usage = [](std::int64_t count, std::int64_t bytes) {
    return controller::ReportUsage{static_cast<std::size_t>(count), static_cast<std::uint64_t>(bytes)};
  };
  return {usage(reports.max_reports, reports.max_bytes),
          usage(reports.max_reports_per_namespace, reports.max_bytes_per_namespace)};
}

}  // namespace

Engine::Engine(World world, const config::Config& config, std::string identity)
    : world_(std::move(world)),
      config_(config),
      identity_(std::move(identity)),
      questions_(world_.fault),
      deleting_(world_.fault),
      binding_(world_.fault),
      writing_(world_.fault),
      electing_(world_.fault),
      watching_(world_.fault),
      metrics_(world_.registry),
      bind_transport_(world_.api_server(Traffic::bindings, while_leading())),
      transport_(world_.api_server(Traffic::rest, while_leading())),
      lease_transport_(world_.api_server(Traffic::lease, {})),
      bind_api_(bind_transport_, world_.clock, world_.random),
      api_(transport_, world_.clock, world_.random),
      lease_api_(lease_transport_, world_.clock, world_.random),
      bindings_first_(world_.clock),
      statuses_(api_, writing_, world_.io),
      settings_(config_.podium),
      announcer_([this](std::string_view name) { return recorder_of(name); }, statuses_,
                 config_.podium.events.enabled),
      binder_(
          bind_api_, bindings_first_, binding_, world_.io, world_.strand,
          [this](const std::string& uid, const cycle::BindOutcome& outcome) { binding_ended(uid, outcome); },
          [this](const std::string& uid) { scheduler_.binding_in_doubt(uid); },
          [this](const std::string& uid, const cycle::PodRead& read) {
            scheduler_.bound_pod_read(uid, read);
          }),
      extenders_(make_extenders()),
      consultant_(make_consultant()),
      extender_binder_(make_extender_binder()),
      preemptor_(bind_api_, statuses_, binding_, world_.io, world_.strand,
                 [this](const cycle::PreemptionOrder& order, const cycle::PreemptionOutcome& outcome) {
                   scheduler_.preemption_ended(order, outcome);
                 }),
      writer_(bind_api_, binding_, world_.io, world_.strand,
              [this](const std::string& uid, cycle::WriteOutcome outcome) {
                scheduler_.write_ended(uid, std::move(outcome));
              }),
      retention_(api_,
                 {.default_ttl = config_.podium.reports.ttl, .limits = limits_of(config_.podium.reports)},
                 deleting_, world_.io),
      decisions_(world_.clock, {.bytes = static_cast<std::size_t>(config_.podium.http_api.memory_mib) << 20}),
      reports_(api_, bindings_first_, retention_, settings_, writing_, world_.io),
      report_recorder_(
          reports_, settings_,
          [this](const cluster::PodInfo& pod, const explain::ReportStatus& status,
                 const std::string& report) { announce_best_nodes(pod, status, report); },
          memory_of_decisions()),
      recorder_(report_recorder_, decisions_),
      scheduler_({.config = config_,
                  .clock = world_.clock,
                  .binder = extender_binder_ ? static_cast<cycle::Binder&>(*extender_binder_) : binder_,
                  .preemptor = preemptor_,
                  .writer = writer_,
                  .nominator = statuses_,
                  .announcer = announcer_,
                  .recorder = recorder_,
                  .metrics = metrics_,
                  .consultant = consultant_.get()}),
      feed_(api_, scheduler_, framework::request_rules(config_.features), watching_, world_.io, world_.strand,
            world_.relist),
      what_ifs_(
          api_, retention_, config_, questions_, world_.io, world_.workers, [this] { return fork(); },
          world_.what_if_ended, [this] { return waiting(); }, world_.relist),
      crd_(api_, watching_, world_.io),
      debugger_(api_, scheduler_, watching_, world_.io, world_.strand),
      driver_(world_.strand, scheduler_, world_.clock, [this] { return !elector_ || elector_->leading(); }) {
  for (const auto& profile : config_.profiles) {
    const auto& name = profile->scheduler_name;
    recorders_.emplace(name, std::make_unique<client::EventRecorder>(
                                 api_, bindings_first_, writing_, world_.io,
                                 client::EventRecorderOptions{name, name + "-" + identity_}));
  }
  if (const auto& election = config_.leader_election; election.leader_elect) {
    elector_.emplace(lease_api_, client::LeaderOptions{.lease_namespace = election.resource_namespace,
                                                       .lease_name = election.resource_name,
                                                       .identity = identity_,
                                                       .lease_duration = election.lease_duration,
                                                       .renew_deadline = election.renew_deadline,
                                                       .retry_period = election.retry_period});
  }
}

Engine::~Engine() = default;

// --- parts ---

std::unique_ptr<extender::Extenders> Engine::make_extenders() {
  if (config_.extenders.empty()) return nullptr;
  // Cannot fail: the settings were validated when the configuration was loaded.
  return *extender::Extenders::make(config_.extenders, [this](client::ClientConfig config) {
    return world_.extender(std::move(config), while_leading());
  });
}

std::unique_ptr<ExtenderConsultant> Engine::make_consultant() {
  if (!extenders_) return nullptr;
  return std::make_unique<ExtenderConsultant>(
      *extenders_, binding_, world_.extenders, world_.strand,
      [this](framework::Decision decision) { scheduler_.decided(std::move(decision)); });
}

std::unique_ptr<ExtenderBinder> Engine::make_extender_binder() {
  if (!extenders_) return nullptr;
  return std::make_unique<ExtenderBinder>(
      *extenders_, bind_api_, binder_, binding_, world_.io, world_.strand,
      [this](const std::string& uid, const cycle::BindOutcome& outcome) { binding_ended(uid, outcome); },
      [this](const std::string& uid) { scheduler_.binding_in_doubt(uid); });
}

// Transports call this only after construction, when elector_ exists; leading() is thread-safe.
client::MayWrite Engine::while_leading() {
  return [this] { return !elector_ || elector_->leading(); };
}

client::EventRecorder* Engine::recorder_of(std::string_view scheduler_name) {
  const auto it = recorders_.find(scheduler_name);
  return it == recorders_.end() ? recorders_.begin()->second.get() : it->second.get();
}

void Engine::binding_ended(const std::string& uid, const cycle::BindOutcome& outcome) {
  metrics_.binding_ended(outcome.end);
  scheduler_.binding_ended(uid, outcome);
}

// None if nothing reads reports: an attempt without a report is then free.
controller::ReportRecorder::Ended Engine::memory_of_decisions() {
  const bool remembers = config_.podium.http_api.enabled;
  if (!remembers && !world_.attempt_ended) return {};
  return [this, remembers](const cluster::PodInfo& pod, const explain::ReportStatus& status,
                           std::string_view packed) {
    const auto& meta = pod->meta;
    if (remembers) {
      const bool waits = status.outcome != explain::kScheduled;
      decisions_.remember(meta.namespace_, meta.name, meta.uid, status, packed,
                          waits ? std::make_shared<const explain::PodAsks>(explain::asks_of(*pod)) : nullptr,
                          meta.created);
    }
    if (world_.attempt_ended) world_.attempt_ended(pod, status, packed);
  };
}

void Engine::announce_best_nodes(const cluster::PodInfo& pod, const explain::ReportStatus& status,
                                 const std::string& report) {
  constexpr std::size_t kBest = 3;
  std::string note = "best nodes:";
  for (const auto& best : status.top_nodes | std::views::take(kBest))
    note += fmt::format("{} {} ({})", note.back() == ':' ? "" : ",", best.node, best.score);
  if (!report.empty()) note += "; report: " + report;
  announcer_.event(pod, "Normal", "BestNodes", "Scheduling", std::move(note));
}

std::vector<async::Gate*> Engine::gates() {
  return {&questions_, &deleting_, &binding_, &writing_, &electing_, &watching_};
}

std::vector<std::string> Engine::unfinished() const {
  std::vector<std::string> out;
  for (const auto* gate : {&questions_, &deleting_, &binding_, &writing_, &electing_, &watching_}) {
    for (auto& name : gate->names()) out.push_back(std::move(name));
  }
  return out;
}

std::vector<std::string> Engine::not_synced() const {
  auto out = feed_.not_ready();
  if (out.empty() && !ready_) out.emplace_back("applying the initial lists");
  return out;
}

std::optional<std::string> Engine::election_trouble() const {
  if (!elector_ || !ready_ || stopping_) return std::nullopt;
  if (!election_runs_) return "the leader election has stopped";
  const auto idle = elector_->since_last_step();
  const auto& election = config_.leader_election;
  if (!idle || *idle <= election.lease_duration + election.renew_deadline) return std::nullopt;
  return fmt::format("the leader election has made no progress for {} s",
                     std::chrono::duration_cast<std::chrono::seconds>(*idle).count());
}

std::optional<std::string> Engine::lease_trouble() const {
  return elector_ && !stopping_ ? elector_->why_unavailable() : std::nullopt;
}

std::uint64_t Engine::events_dropped() const {
  std::uint64_t dropped = 0;
  for (const auto& [name, recorder] : recorders_) dropped += recorder->dropped();
  return dropped;
}

std::size_t Engine::events_waiting() const {
  std::size_t waiting = 0;
  for (const auto& [name, recorder] : recorders_) waiting += recorder->waiting();
  return waiting;
}

void Engine::sample_metrics(metrics::Samples& out) const {
  std::uint64_t events_written = 0;
  for (const auto& [name, recorder] : recorders_) events_written += recorder->written();
  out.counter("podium_events_written_total", "Events created or updated.", events_written);
  out.counter("podium_events_dropped_total",
              "Events that were never written: the queue was full, the API server refused them, or podium "
              "stopped.",
              events_dropped());
  out.gauge("podium_events_pending", "Events waiting to be written.", events_waiting());
  const auto losses = log::losses();
  auto& lines = out.counters("podium_log_lines_dropped_total",
                             "Log lines suppressed: `limit` (more than ten a second of one message), `queue` "
                             "(the log's reader is too slow).",
                             {"reason"});
  lines.add({"limit"}, losses.limited);
  lines.add({"queue"}, losses.overrun);
  feed_.sample_metrics(out);
  if (elector_) elector_->sample_metrics(out);
  statuses_.sample_metrics(out);
  reports_.sample_metrics(out);
  report_recorder_.sample_metrics(out);
  retention_.sample_metrics(out);
  crd_.sample_metrics(out);
  decisions_.sample_metrics(out);
  what_ifs_.sample_metrics(out);
}

void Engine::debug_cache() { debugger_.run(); }

std::vector<cluster::PodInfoPtr> Engine::pods_as_leader() const {
  return leading_ ? scheduler_.pods() : std::vector<cluster::PodInfoPtr>();
}

// --- start ---

void Engine::start(std::function<void(std::string)> lost) {
  PODIUM_CHECK(!std::exchange(started_, true));
  lost_ = std::move(lost);
  for (auto& [name, recorder] : recorders_) recorder->start();
  if (extenders_) {
    feed_.tap([this](const client::Resource& kind, const client::Change& change) {
      extenders_->texts().changed(kind, change);
    });
  }
  feed_.start([this] { caches_synced(); });
  if (config_.podium.reports.enabled || config_.podium.what_if.enabled) check_crd();
}

void Engine::check_crd() {
  if (!std::exchange(checks_crd_, true)) crd_.start();
}

void Engine::apply(const config::Podium& podium) {
  auto next = *settings_.now();
  next.reports = podium.reports;
  next.events = podium.events;
  announcer_.switch_events(next.events.enabled);
  retention_.set(next.reports.ttl, limits_of(next.reports));
  if (next.reports.enabled) asio::post(world_.io, [this] { check_crd(); });
  settings_.replace(std::move(next));
}

// Joins the election only now: a process without synced caches must not take the lease from a ready one.
void Engine::caches_synced() {
  log::info("caches synced nodes={} pods={}", scheduler_.snapshot().node_count(),
            scheduler_.snapshot().pod_total());
  synced_ = true;
  election_runs_ = elector_.has_value();
  ready_ = true;
  if (stopping_) return;
  if (elector_) {
    async::spawn(electing_, world_.io, "leader election", run_election());
  } else {
    leads();
  }
}

Task<void> Engine::run_election() {
  const std::function<void()> on_started = [this] { asio::post(world_.strand, [this] { leads(); }); };
  const auto ended = co_await elector_->run(on_started);
  election_runs_ = false;
  if (!ended && !stopping_) lost_(ended.error().text());
}

void Engine::leads() {
  leading_ = true;
  begin();
}

void Engine::begin() {
  if (!synced_ || !leading_ || driver_.started() || stopping_) return;
  log::info("scheduling started");
  decisions_.begin();
  driver_.start();
  retention_.start(log_missing_reports());
  if (settings_.now()->reports.enabled)
    async::spawn(deleting_, world_.io, "read earlier preemptions", recall_preemptions());
  if (config_.podium.what_if.enabled) async::spawn(questions_, world_.io, "watch what-ifs", what_ifs_.run());
}

Task<void> Engine::recall_preemptions() {
  const std::function<bool()> may_continue = [this] { return !stopping_; };
  auto past = co_await controller::read_past_preemptions(api_, may_continue);
  if (past.empty() || stopping_) co_return;
  auto recalling = recall_on_strand(std::move(past));
  co_await async::on(world_.strand, std::move(recalling));
}

Task<void> Engine::recall_on_strand(std::vector<controller::PastPreemption> past) {
  const auto pods = scheduler_.pods();
  controller::remove_living_victims(pods, past);
  std::set<std::string_view> living;
  for (const auto& pod : pods) living.insert(pod->pod->meta.uid);
  for (const auto& [pod, is_placed, preempted] : past) {
    decisions_.recall(pod.ns, pod.pod, pod.uid, preempted);
    if (!is_placed && living.contains(pod.uid)) report_recorder_.recall(pod.uid, preempted);
  }
  co_return;
}

// Other processes placed these pods: this process has placed none yet.
std::function<void()> Engine::log_missing_reports() {
  auto pods =
      controller::recently_placed(scheduler_.snapshot(), config_, *settings_.now(), world_.clock.wall());
  return [this, pods = std::move(pods)] {
    controller::log_missing(controller::without_report(retention_, pods));
  };
}

// Runs on the strand, the only place where the snapshot may be copied.
Task<cluster::Snapshot> Engine::snapshot_on_strand() {
  auto fork = scheduler_.snapshot();
  fork.set_moment({.time = world_.clock.wall()});
  co_return fork;
}

Task<cluster::Snapshot> Engine::fork() { co_return co_await async::on(world_.strand, snapshot_on_strand()); }

Task<std::vector<cluster::PodInfoPtr>> Engine::waiting_on_strand() { co_return scheduler_.waiting(); }

Task<std::vector<cluster::PodInfoPtr>> Engine::waiting() {
  co_return co_await async::on(world_.strand, waiting_on_strand());
}

// --- stop ---

// Returns when no binding, preemption or consultation is in flight, or after `within`.
Task<void> Engine::bindings_ended(milliseconds within) {
  const auto timer = std::make_shared<async::Timer>(co_await asio::this_coro::executor, within);
  const std::function<void()> idle = [timer] {
    asio::post(timer->get_executor(), [timer] { timer->cancel(); });
  };
  asio::post(world_.strand, [this, idle] {
    scheduler_.stop();
    driver_.stop(idle);
  });
  boost::system::error_code ignored;
  co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

// Events last: the writes before may create some.
Task<void> Engine::written(milliseconds within) {
  const auto began = world_.clock.now();
  const auto limits = [&](milliseconds spared) {
    const auto took = std::chrono::duration_cast<milliseconds>(world_.clock.now() - began);
    return async::DrainLimits(std::max(within - spared - took, milliseconds(1)),
                              std::max(kMinorDrain - took, milliseconds(1)));
  };
  const auto lost = [this] {
    return Lost{reports_.counts().dropped, statuses_.counts().dropped, events_dropped()};
  };
  const auto before = lost();
  co_await reports_.drain(limits(kOthersDrain));
  co_await statuses_.drain(limits({}));
  for (auto& [name, recorder] : recorders_) co_await recorder->drain(limits({}));
  writing_.cancel();
  const auto after = lost();
  if (after == before) co_return;
  log::warn("stopped before all writes completed reports_lost={} pod_statuses_lost={} events_lost={}",
            after.reports - before.reports, after.statuses - before.statuses, after.events - before.events);
}

Task<bool> Engine::stop() {
  stopping_ = true;
  what_ifs_.stop();
  retention_.stop();
  questions_.cancel();
  deleting_.cancel();
  // Without the lease nothing more is sent, so this waits briefly for requests that are already on the wire.
  const bool may_write = !elector_ || elector_->leading();
  const auto began = world_.clock.now();
  co_await bindings_ended(may_write ? kBindingsDrain : kLostDrain);
  const auto took = std::chrono::ceil<milliseconds>(world_.clock.now() - began);
  co_await written(may_write ? std::max(kBindingsDrain - took, kLeastWrites) : kLostDrain);
  feed_.stop();
  if (elector_) elector_->stop();  // releases the lease
  co_await electing_.drained(kLeaseDrain);
  abandon();
  bool all_ended = true;
  for (auto* gate : gates()) {
    const bool ended = co_await gate->drained(kLastResort);
    all_ended = all_ended && ended;
  }
  co_return all_ended;
}

void Engine::abandon() {
  stopping_ = true;
  what_ifs_.stop();
  retention_.stop();
  feed_.stop();
  if (elector_) elector_->stop();
  for (auto* gate : gates()) gate->cancel();
  if (extenders_) extenders_->close();
  bind_transport_->close();
  transport_->close();
  lease_transport_->close();
  asio::post(world_.strand, [this] { driver_.give_up(); });
}

}  // namespace podium::app
