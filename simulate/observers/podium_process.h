// Process: one process of podium in a life: an Engine on the life's network, and its faults.
//
// It starts, freezes, crashes, or stops in order. A crash cuts it off from the network: its sent requests may
// still arrive, and its state is lost. Its Engine is then abandoned and destroyed.
// Owner: a Life. Threads: one. Errors: a fault of a task goes to Seams::fault.
#pragma once

#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "app/engine/engine.h"
#include "async/virtual_time.h"
#include "base/clock.h"
#include "simulate/base/dice.h"
#include "simulate/server/network.h"

namespace podium::simulate {

// The clock of one machine: its rate and its wall clock differ from the world's.
class MachineClock final : public Clock {
 public:
  MachineClock(const Clock& world, double rate) : world_(world), began_(world.now()), rate_(rate) {}

  Steady now() const override {
    return began_ + std::chrono::duration_cast<Steady::duration>((world_.now() - began_) * rate_);
  }
  Wall wall() const override { return world_.wall() + step_; }
  std::chrono::nanoseconds cpu_time() const override { return world_.cpu_time(); }
  void step(std::chrono::seconds by) { step_ += by; }

 private:
  const Clock& world_;
  const Steady began_;
  const double rate_;
  std::chrono::seconds step_{0};
};

class Process {
 public:
  // The parts of an Engine; a planted bug replaces one of them.
  struct Seams {
    std::function<std::shared_ptr<client::Transport>(HostPtr, app::Traffic, client::MayWrite)> transport;
    std::function<std::shared_ptr<client::Transport>(HostPtr)> extender;
    async::Gate::Fault fault;
    double clock_rate = 1;
    std::chrono::milliseconds relist = client::ReflectorOptions{}.relist;
  };

  Process(std::string identity, const config::Config& config, const Clock& world, Dice dice, Seams seams);
  ~Process();

  const std::string& identity() const { return host_->identity; }
  app::Engine& engine() { return *engine_; }
  boost::asio::io_context& io() { return io_; }
  MachineClock& clock() { return clock_; }
  const std::string& lost() const { return lost_; }  // the reason why the lease was lost; empty: it was not

  void stop();   // in order
  void crash();  // immediately
  bool crashed() const { return host_->is_cut; }
  bool stopping() const { return stopping_.valid() || ended_; }
  // The result of stop() or crash(); nullopt: not complete. False: some tasks did not end.
  std::optional<bool> ended();

  std::optional<Steady> stop_by;  // the deadline of the stop
  Steady frozen_until{};          // frozen until then
  std::size_t steps_left = 0;     // the handlers left until it crashes; 0: no crash is due
  bool is_idle = false;           // has nothing to run until something happens

 private:
  const HostPtr host_;
  boost::asio::io_context io_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE};  // one thread: no locks
  MachineClock clock_;
  Dice random_;
  prometheus::Registry registry_;
  std::string lost_;
  std::future<bool> stopping_;
  std::optional<bool> ended_;
  std::optional<app::Engine> engine_;
};

}  // namespace podium::simulate
