#include "async/virtual_time.h"

#include <utility>

#include "async/timer.h"
#include "base/check.h"

namespace podium::async {
namespace {

constinit thread_local VirtualTime* current = nullptr;

}  // namespace

Steady TimerClock::now() noexcept { return current ? current->now() : std::chrono::steady_clock::now(); }

std::shared_ptr<VirtualWaits> TimerClock::waits() { return current ? current->waits_ : nullptr; }

VirtualTime::VirtualTime(Wall start, Steady now)
    : waits_(std::make_shared<VirtualWaits>(now)), began_(now), start_(start) {
  PODIUM_CHECK(!std::exchange(current, this));  // one per thread
}

VirtualTime::~VirtualTime() { current = nullptr; }

Wall VirtualTime::wall() const { return start_ + std::chrono::duration_cast<Wall::duration>(now() - began_); }

bool VirtualTime::advance(Steady::duration most) {
  const Steady limit = now() + most;
  const bool due = next() <= limit;
  waits_->move_to(due ? next() : limit);
  return due;
}

}  // namespace podium::async
