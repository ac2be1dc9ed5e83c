#include "async/virtual_time.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "async/timer.h"

namespace podium::async {
namespace {

constinit thread_local VirtualTime* current = nullptr;

}  // namespace

Steady TimerClock::now() noexcept { return current ? current->now_ : std::chrono::steady_clock::now(); }

void TimerClock::expected(Steady expiry) {
  if (current && expiry != Steady::max()) current->expected_.insert(expiry);
}

VirtualTime::VirtualTime(Wall start) : began_(std::chrono::steady_clock::now()), start_(start), now_(began_) {
  if (std::exchange(current, this)) std::abort();  // one a thread
}

VirtualTime::~VirtualTime() { current = nullptr; }

Wall VirtualTime::wall() const {
  return start_ + wall_step_ + std::chrono::duration_cast<Wall::duration>(now_ - began_);
}

bool VirtualTime::advance(boost::asio::io_context& context, Steady::duration most) {
  const Steady limit = now_ + most;
  const bool due = !expected_.empty() && *expected_.begin() <= limit;
  now_ = due ? std::max(now_, *expected_.begin()) : limit;
  expected_.erase(expected_.begin(), expected_.upper_bound(now_));
  // Starting a timer that is the next to expire makes Asio look at the time.
  const auto look =
      std::make_shared<boost::asio::basic_waitable_timer<TimerClock>>(context, now_ - std::chrono::hours(1));
  look->async_wait([look](boost::system::error_code) {});
  return due;
}

}  // namespace podium::async
