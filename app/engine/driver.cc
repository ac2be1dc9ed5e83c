#include "app/engine/driver.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/clock.h"

namespace podium::app {
namespace {

constexpr int kPodsPerTurn = 16;
constexpr std::chrono::milliseconds kShortestSleep{1}, kLongestSleep{1'000};

}  // namespace

Driver::Driver(boost::asio::any_io_executor strand, cycle::Scheduler& scheduler, Clock& clock,
               std::function<bool()> may_decide)
    : strand_(strand),
      scheduler_(scheduler),
      clock_(clock),
      may_decide_(std::move(may_decide)),
      timer_(strand) {
  scheduler_.on_work([this] { wake(); });
}

void Driver::start() {
  running_ = true;
  wake();
}

void Driver::stop(std::function<void()> idle) {
  running_ = false;
  timer_.cancel();
  idle_ = std::move(idle);
  wake();
}

void Driver::give_up() {
  if (idle_) std::exchange(idle_, nullptr)();
}

void Driver::wake() {
  if ((!running_ && !idle_) || turn_posted_) return;
  turn_posted_ = true;
  boost::asio::post(strand_, [this] { turn(); });
}

void Driver::turn() {
  turn_posted_ = false;
  if (!running_) {
    if (idle_ && scheduler_.in_flight() == 0) std::exchange(idle_, nullptr)();
    return;
  }
  bool more = may_decide_();
  for (int i = 0; i < kPodsPerTurn && more; ++i) more = scheduler_.step();
  if (more) {
    wake();
  } else {
    sleep();
  }
}

// Sleeps until the scheduler's next wakeup, but at most kLongestSleep, to call `may_decide` again.
void Driver::sleep() {
  auto wait = kLongestSleep;
  if (const auto next = scheduler_.next_wakeup()) {
    const auto until = std::chrono::ceil<std::chrono::milliseconds>(*next - clock_.now());
    wait = std::clamp(until, kShortestSleep, kLongestSleep);
  }
  timer_.expires_after(wait);
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) wake();
  });
}

}  // namespace podium::app
