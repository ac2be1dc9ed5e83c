#include "simulate/life/life.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "simulate/cluster/budgets.h"
#include "simulate/cluster/claim_controller.h"
#include "simulate/cluster/cluster.h"
#include "simulate/cluster/configurations.h"
#include "simulate/cluster/device_conditions.h"
#include "simulate/cluster/devices.h"
#include "simulate/cluster/extender.h"
#include "simulate/cluster/neighbours.h"
#include "simulate/cluster/volume_controller.h"
#include "simulate/cluster/volumes.h"
#include "simulate/observers/engine_observer.h"
#include "simulate/observers/held.h"
#include "simulate/observers/observer.h"
#include "simulate/observers/podium_process.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

// kToSettle: a namespace that refuses reports is tried once a minute; devices become ready after kToReady.
constexpr std::chrono::seconds kTtl{150}, kToRest{90}, kStop{35}, kToSettle{210};
// An engine that may lose events relists after 5 to 6.25 minutes of its clock, which is up to a twentieth
// slow, and not after an hour: most of the life would be renewals of the lease.
constexpr std::chrono::minutes kRelist{5}, kToRelist{8};
// A client that waits for a reply that was lost before the faults ended waits up to 70 s, and then backs off
// for up to a minute.
constexpr std::chrono::seconds kPatience{70 + 60};
// The queue retries pods after five minutes, checks every half minute, and clocks drift by a twentieth.
constexpr std::chrono::seconds kToFlush{6 * 60};
// Reports are listed every half hour, and may then live for another TTL.
constexpr std::chrono::seconds kToReportList{30 * 60 + 60 + 150 + 60};
constexpr std::size_t kMostTurns = 100'000;  // at one time; a life has some 20,000 in all

class Life {
 public:
  explicit Life(const Settings& settings);
  ~Life();
  LifeOutcome run();

 private:
  static Faults choose(Faults of, Dice dice);
  void add_parts(std::uint64_t seed);
  std::optional<std::string> refusal(std::string_view verb, const Key& key) const;
  void sent(const Host& host, const client::Request& request);
  Process* process_of(const std::string& identity);
  void start_process();
  bool run_until(Steady until);
  bool run_ready();
  void move_on(Steady until);
  void wake();
  bool run_handlers(Process& process);
  void look_after(Process& process);
  void check_backoffs();
  void look();
  void disturb();
  void strike(Fault fault, Dice dice);
  void heal();
  void pass();
  bool at_rest(bool has_patience, bool flushed);
  std::optional<std::string> what_is_held_wrongly();

  Dice dice_;
  const Settings settings_;
  const Faults faults_;
  async::VirtualTime time_{Wall(1'700'000'000s), Steady(1'000'000s)};
  Agenda agenda_{time_};
  Trace trace_;
  Store store_{time_};
  Observer observer_;
  EngineObserver engine_observer_{store_, agenda_};
  ApiServer server_;
  Network network_;
  Cluster cluster_;
  std::unique_ptr<DeviceConditions> conditions_;       // null: devices have none
  std::unique_ptr<ClaimController> claim_controller_;  // both null: a life without devices
  std::unique_ptr<Devices> devices_;
  std::unique_ptr<Neighbours> neighbours_;  // both null: a life without them
  std::unique_ptr<Budgets> budgets_;
  std::unique_ptr<VolumeController> volume_controller_;  // both null: a life without them
  std::unique_ptr<Volumes> volumes_;
  std::unique_ptr<ModelExtender> extender_;  // null: there is none
  const std::size_t engines_;
  const std::chrono::microseconds pace_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::uint64_t incarnations_ = 0;
  bool healed_ = false, rests_ = false, ending_ = false;
};

Life::Life(const Settings& settings)
    : dice_(settings.seed * 0x9E3779B97F4A7C15 + 1),
      settings_(settings),
      faults_(choose(settings.faults, dice_.fork())),
      trace_(time_, settings.prints),
      observer_(store_, agenda_, trace_, kTtl),
      server_(store_, agenda_, dice_.fork()),
      network_(agenda_, server_, faults_, dice_.fork()),
      cluster_(store_, agenda_, faults_, dice_.fork()),
      engines_(1 + dice_.below(2)),
      pace_(dice_.between(2s, 20s)) {
  network_.sent = [this](const Host& host, const client::Request& request) { sent(host, request); };
  network_.begins = [this](const Host& host, const client::Request& request) {
    auto* process = process_of(host.identity);
    if (!process || process->crashed()) return;
    if (auto broken = engine_observer_.begins(*process, request)) observer_.fail(std::move(*broken));
    observer_.begins(host, process->engine().scheduler(), request);
  };
  engine_observer_.nomination_is_late = [this](const std::string& uid) {
    return observer_.nomination_is_late(uid);
  };
  engine_observer_.wrote_last = [this](const std::string& uid, const std::string& engine) {
    return observer_.wrote_last(uid, engine);
  };
  observer_.leaders = [this] {
    std::vector<std::string> out;
    for (const auto& process : processes_) {
      const auto& elector = process->engine().elector();
      if (!process->crashed() && elector && elector->leading()) out.push_back(process->identity());
    }
    return out;
  };
  network_.served = [this](const Host& host, const client::Request& request, int status) {
    observer_.served(host, request, status);
  };
  network_.read = [this](const Host& host, const std::string& plural, std::string_view objects) {
    observer_.read(host, plural, objects);
  };
  network_.arrives = [this](Steady sent_at) { observer_.arrives(sent_at); };
  network_.answered = [this](const Host& host, const client::Request& request,
                             const client::Response& reply) { observer_.answered(host, request, reply); };
  server_.unknown = [this](const client::Request& request, std::string_view why) {
    observer_.fail(fmt::format("the model does not know: {} {} {}: {}", request.method, request.target,
                               request.content_type, why));
  };
  add_parts(settings.seed);
  if (faults_.has(Fault::lose_event)) {
    observer_.may_lose_events();
    engine_observer_.may_lose_events();
  }
  if (faults_.has(Fault::quota)) {
    observer_.keeps_some_reports();
    server_.refuses = [this](std::string_view verb, const Key& key) { return refusal(verb, key); };
  }
  if (faults_.has(Fault::small_pages)) server_.page = 1 + dice_.below(4);
}

// Each part has random numbers of its own: a life without it is the same as before it was added.
void Life::add_parts(std::uint64_t seed) {
  const auto dice_of = [seed](std::uint64_t part) { return Dice(seed * 0x9E3779B97F4A7C15 + part); };
  const bool has_volumes = seed >= kFirstWithVolumes;
  const bool has_neighbours = seed >= kFirstWithNeighbours && !has_volumes;
  const bool has_extender = seed >= kFirstWithExtender && seed < kFirstWithNeighbours;
  const bool has_conditions = seed >= kFirstWithConditions && seed < kFirstWithExtender;
  if (has_volumes) {
    volume_controller_ = std::make_unique<VolumeController>(store_, agenda_, dice_of(7));
    volumes_ = std::make_unique<Volumes>(store_, agenda_, dice_of(8));
    observer_.has_volumes();
  }
  if (has_neighbours) {
    neighbours_ = std::make_unique<Neighbours>(store_, agenda_, dice_of(4));
    budgets_ = std::make_unique<Budgets>(store_, agenda_, dice_of(6));
    observer_.has_neighbours();
  }
  if (has_extender) {
    extender_ = std::make_unique<ModelExtender>(agenda_, dice_of(5));
    extender_->asked = [this](const Host& host, const std::string& uid) { observer_.consults(host, uid); };
  }
  if (seed >= kFirstWithDevices && seed < kFirstWithNeighbours && !(has_extender && seed % 2 == 0)) {
    auto dice = dice_of(2);
    claim_controller_ = std::make_unique<ClaimController>(store_, agenda_, dice.fork());
    if (has_conditions) conditions_ = std::make_unique<DeviceConditions>(store_, agenda_, dice_of(3).fork());
    devices_ = std::make_unique<Devices>(store_, agenda_, dice.fork(), conditions_.get());
  }
}

// Each life has some of the faults: all together would hide each other.
Faults Life::choose(Faults of, Dice dice) {
  auto chosen = of;
  const auto most = 1 + dice.below(4);  // of four
  for (std::size_t i = 0; i < Faults::kCount; ++i) {
    if (dice.below(4) >= most) chosen.drop(static_cast<Fault>(i));
  }
  // Faults that only a relist heals make a life three times as long.
  if (!dice.one_in(32)) chosen.drop(Fault::lose_event);
  return chosen;
}

// A quota and policies forbid: the reports of a namespace; the deletion of some reports of another; and
// evictions, for some seconds of each half minute, until the faults end.
std::optional<std::string> Life::refusal(std::string_view verb, const Key& key) const {
  if (key.plural == "schedulingreports" && key.ns == "full" && verb == "create")
    return "exceeded quota: reports";
  if (verb == "delete" && stays(key)) return "a policy keeps this report";
  const auto second = static_cast<int>(trace_.seconds());
  if (key.plural == "pods" && verb == "delete" && !healed_ && second % 30 < 10)
    return "a policy keeps this pod";
  return std::nullopt;
}

void Life::sent(const Host& host, const client::Request& request) {
  observer_.sent(host, request);
  auto* process = process_of(host.identity);
  if (!process || process->crashed()) return;
  if (auto broken = engine_observer_.sent(*process, request)) observer_.fail(std::move(*broken));
}

// --- processes ---

Process* Life::process_of(const std::string& identity) {
  const auto it = std::ranges::find(processes_, identity, [](const auto& p) { return p->identity(); });
  return it == processes_.end() ? nullptr : it->get();
}

void Life::start_process() {
  const auto identity = fmt::format("podium-{}", ++incarnations_);
  const double drift =
      faults_.has(Fault::clock) ? 0.95 + 0.1 * static_cast<double>(dice_.below(101)) / 100 : 1;
  const auto* mutation = settings_.mutation;
  Process::Seams seams;
  seams.transport = [this, mutation](HostPtr host, app::Traffic traffic, client::MayWrite may_write) {
    // A candidate without the lease writes it.
    if (traffic != app::Traffic::lease) may_write = plant(mutation, std::move(may_write));
    auto decides = [this, identity = host->identity] {
      auto* process = process_of(identity);
      return process && process->engine().scheduler().consulting();
    };
    return plant(mutation, network_.connect(std::move(host), std::move(may_write)), std::move(decides));
  };
  seams.extender = [this](HostPtr host) { return extender_->connect(std::move(host)); };
  seams.fault = [this](std::string_view task, std::string_view what) {
    observer_.fail(fmt::format("a task failed: {}: {}", task, what));
  };
  if (faults_.has(Fault::lose_event)) seams.relist = kRelist;
  seams.clock_rate = mutation ? drift * mutation->clock_rate : drift;
  trace_.line(identity + " starts");
  processes_.push_back(std::make_unique<Process>(identity,
                                                 configuration(conditions_ || volumes_, extender_ != nullptr),
                                                 time_, dice_.fork(), std::move(seams)));
  engine_observer_.began(*processes_.back());
}

// Runs the ready handlers of all processes until none is left; then moves the time. False: something failed.
bool Life::run_until(Steady until) {
  std::size_t turns = 0;
  while (!observer_.failure()) {
    if (run_ready()) {
      if (++turns > kMostTurns) observer_.fail("an engine does not come to rest");
      continue;
    }
    turns = 0;
    if (time_.now() >= until) return true;
    move_on(until);
  }
  return false;
}

bool Life::run_ready() {
  bool ran = agenda_.run_due();
  if (ran) wake();
  for (std::size_t i = 0; i < processes_.size(); ++i) ran = run_handlers(*processes_[i]) || ran;
  for (const auto& process : processes_) look_after(*process);
  std::erase_if(processes_, [](const auto& process) { return process->ended(); });
  return ran;
}

void Life::move_on(Steady until) {
  auto next = std::min(agenda_.next(), until);
  for (const auto& process : processes_) {
    if (process->frozen_until > time_.now()) next = std::min(next, process->frozen_until);
  }
  if (time_.advance(next - time_.now())) wake();
}

// Engines reach each other by the agenda alone.
void Life::wake() {
  for (const auto& process : processes_) process->is_idle = false;
}

bool Life::run_handlers(Process& process) {
  if (process.is_idle || time_.now() < process.frozen_until) return false;
  process.is_idle = true;
  process.io().restart();
  if (process.steps_left == 0) return process.io().poll() > 0;
  while (process.io().poll_one() > 0) {
    if (--process.steps_left > 0) continue;
    trace_.line(process.identity() + " crashes");
    observer_.lost_its_memory(process.identity());
    process.crash();
    return true;
  }
  return false;
}

// Acts as the kubelet: a process that has lost its lease ends, and an ended process is started again.
void Life::look_after(Process& process) {
  if (!process.lost().empty() && !process.stopping()) {
    trace_.line(fmt::format("{} stops: {}", process.identity(), process.lost()));
    observer_.lost_its_memory(process.identity());
    process.stop();
  }
  if (!process.stopping()) return;
  if (!process.stop_by) process.stop_by = time_.now() + kStop;
  if (process.ended()) {
    trace_.line(process.identity() + " has ended");
    if (!*process.ended()) observer_.fail(process.identity() + " has tasks that did not end");
    if (!ending_) agenda_.after(dice_.between(1s, 10s), [this] { start_process(); });
  } else if (time_.now() > *process.stop_by && time_.now() >= process.frozen_until) {
    observer_.fail(fmt::format("{} did not stop in {} s: {}", process.identity(), kStop.count(),
                               fmt::join(process.engine().unfinished(), ", ")));
  }
}

// --- faults of processes and of the whole server ---

// A pod in backoff is retried after at most ten seconds; the queue counts in whole seconds.
void Life::check_backoffs() {
  constexpr auto kLongest = 10s + 2s;
  for (const auto& process : processes_) {
    if (process->crashed() || process->stopping()) continue;
    const auto& queue = process->engine().scheduler().queue();
    if (queue.counts().backoff == 0) continue;
    const auto next = queue.next_wakeup();
    if (next && *next - process->clock().now() <= kLongest) continue;
    observer_.fail(process->identity() + " lets a pod back off for more than ten seconds");
  }
}

// Runs until the engines are at rest.
void Life::look() {
  constexpr auto kEach = 2s;
  for (const auto& process : processes_) {
    if (process->crashed() || process->stopping()) continue;
    if (auto broken = engine_observer_.works(*process)) observer_.fail(std::move(*broken));
  }
  if (!rests_) agenda_.after(kEach, [this] { look(); });
}

void Life::disturb() {
  check_backoffs();
  if (healed_) return;
  static constexpr Fault kStriking[] = {Fault::server_silence, Fault::restart, Fault::compact,
                                        Fault::crash,          Fault::freeze,  Fault::clock};
  const auto fault = kStriking[dice_.below(std::size(kStriking))];
  strike(fault, dice_.fork());
  agenda_.after(dice_.between(pace_ / 4, pace_ * 2), [this] { disturb(); });
}

void Life::strike(Fault fault, Dice dice) {
  if (!faults_.has(fault)) return;
  const auto which = dice.below(processes_.size() + 1);
  auto* process = which < processes_.size() ? processes_[which].get() : nullptr;
  if (process && process->stopping()) process = nullptr;
  trace_.line(fmt::format("fault: {}", kFaultNames[static_cast<std::size_t>(fault)]));
  switch (fault) {
    case Fault::server_silence:
      return network_.silence(dice.between(1s, dice.one_in(4) ? 60s : 12s));
    case Fault::restart:
      return server_.watches().end_all();
    case Fault::compact:
      return store_.compact();
    case Fault::crash:
      if (process) process->steps_left = 1 + dice.below(dice.one_in(2) ? 20 : 400);
      return;
    case Fault::freeze:
      if (process) process->frozen_until = time_.now() + dice.between(1s, 25s);
      return;
    case Fault::clock:
      if (process) process->clock().step(std::chrono::seconds(static_cast<int>(dice.below(7200)) - 3600));
      return;
    default:
      return;
  }
}

void Life::heal() {
  trace_.line("the faults end");
  healed_ = true;
  network_.heal();
  network_.silence(0s);
  cluster_.rest();
  if (devices_) devices_->rest();
  if (conditions_) conditions_->rest();
  if (neighbours_) neighbours_->rest();
  if (budgets_) budgets_->rest();
  if (volumes_) volumes_->rest();
  if (volume_controller_) volume_controller_->rest();
  if (extender_) extender_->rest();
  for (const auto& process : processes_) {
    process->frozen_until = {};
    process->steps_left = 0;
  }
}

// --- the course of a life ---

LifeOutcome Life::run() {
  cluster_.begin();
  if (devices_) devices_->begin();
  if (neighbours_) neighbours_->begin();
  if (budgets_) budgets_->begin();
  if (volumes_) volumes_->begin();
  for (std::size_t i = 0; i < engines_; ++i)
    agenda_.after(dice_.between(0s, 2s), [this] { start_process(); });
  disturb();
  look();
  pass();
  LifeOutcome out;
  out.failure = observer_.failure();
  out.failed_at = trace_.seconds();
  out.hash = trace_.hash();
  out.lines = trace_.lines();
  out.bound = observer_.bound();
  out.allocated = observer_.allocated();
  out.excused = observer_.excused();
  out.chosen = faults_;
  return out;
}

void Life::pass() {
  const auto with_faults = is_short(settings_.seed) ? dice_.between(10s, 45s) : dice_.between(20s, 90s);
  if (!run_until(time_.now() + with_faults)) return;
  const bool has_lost = network_.has_lost_exchanges();
  heal();
  // Requests in flight arrive within a minute.
  auto late = std::chrono::seconds(faults_.has(Fault::late) ? 60 : 0);
  if (network_.has_lost_events()) late = kToRelist;
  if (!run_until(time_.now() + kToRest + late)) return;
  bool rests = at_rest(has_lost, false);
  if (!rests && has_lost) {
    if (!run_until(time_.now() + kPatience)) return;
    rests = at_rest(false, false);
  }
  // The flush may place a pod whose labels let another one fit, which waits for the next flush (4001699).
  while (!rests) {
    const auto bound = observer_.bound();
    if (!run_until(time_.now() + kToFlush)) return;
    rests = at_rest(false, observer_.bound() == bound);
  }
  if (!run_until(observer_.all_reports_too_old())) return;
  if (!observer_.at_end(engines_)) {
    if (!run_until(time_.now() + kToReportList)) return;
    observer_.after_list_of_reports();
  }
  for (auto left = kToSettle; !network_.has_lost_events() && what_is_held_wrongly(); left -= 70s) {
    if (left <= 0s) return observer_.fail(*what_is_held_wrongly());
    if (!run_until(time_.now() + 70s)) return;
  }
  ending_ = true;
  for (const auto& process : processes_) process->stop();
  if (!run_until(time_.now() + kStop + 1s)) return;
  if (!processes_.empty()) return observer_.fail("a process did not stop");
  const auto lease = store_.find({"leases", "kube-system", "kube-scheduler"});
  if (!lease || !text_at(lease->value, "/spec/holderIdentity").empty())
    observer_.fail("the lease was not released");
}

// The queue's flush may have allocated devices just now, for which the pod's binding waits.
bool Life::at_rest(bool has_patience, bool flushed) {
  if (observer_.awaits_devices() && !run_until(time_.now() + kToReady)) return false;
  rests_ = observer_.at_rest(has_patience, flushed);
  return rests_;
}

std::optional<std::string> Life::what_is_held_wrongly() {
  const auto refused = faults_.has(Fault::quota) ? store_.all("pods", "full").size() : 0;
  for (const auto& process : processes_) {
    if (process->stopping()) continue;
    if (const auto found = held_wrongly(process->engine(), store_, refused))
      return fmt::format("{} {}", process->identity(), *found);
  }
  return std::nullopt;
}

// Ends the processes that a failure has left.
Life::~Life() {
  ending_ = true;
  for (const auto& process : processes_) {
    if (!process->crashed()) process->crash();
  }
  const auto until = time_.now() + kStop;
  while (!processes_.empty() && time_.now() < until) {
    if (!run_ready()) move_on(until);
  }
  for (auto& process : processes_) (void)process.release();  // its tasks still run: it cannot be destroyed
}

}  // namespace

LifeOutcome live(const Settings& settings) { return Life(settings).run(); }

}  // namespace podium::simulate
