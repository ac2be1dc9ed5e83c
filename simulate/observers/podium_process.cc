#include "simulate/observers/podium_process.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <utility>

#include "base/clock.h"

namespace podium::simulate {

using namespace std::chrono_literals;

Process::Process(std::string identity, const config::Config& config, const Clock& world, Dice dice,
                 Seams seams)
    : host_(std::make_shared<Host>(Host{std::move(identity)})),
      clock_(world, seams.clock_rate),
      random_(dice) {
  const auto host = host_;
  engine_.emplace(
      app::World{.clock = clock_,
                 .random = random_,
                 .strand = io_.get_executor(),
                 .io = io_.get_executor(),
                 .workers = io_.get_executor(),
                 .extenders = io_.get_executor(),
                 .api_server =
                     [host, transport = seams.transport](app::Traffic traffic, client::MayWrite may_write) {
                       return transport(host, traffic, std::move(may_write));
                     },
                 .extender = [host, transport = seams.extender](client::ClientConfig,
                                                                client::MayWrite) { return transport(host); },
                 .registry = registry_,
                 .fault = seams.fault,
                 .relist = seams.relist},
      config, host_->identity);
  engine_->start([this](std::string reason) { lost_ = std::move(reason); });
}

Process::~Process() { engine_.reset(); }

void Process::stop() {
  is_idle = false;
  if (!stopping_.valid() && !ended_)
    stopping_ = boost::asio::co_spawn(io_, engine_->stop(), boost::asio::use_future);
}

void Process::crash() {
  host_->is_cut = true;
  frozen_until = {};
  steps_left = 0;
  engine_->abandon();
  stop();
}

std::optional<bool> Process::ended() {
  if (!ended_ && stopping_.valid() && stopping_.wait_for(0s) == std::future_status::ready)
    ended_ = stopping_.get();
  return ended_;
}

}  // namespace podium::simulate
