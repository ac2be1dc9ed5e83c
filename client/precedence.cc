#include "client/precedence.h"

#include "async/nap.h"

namespace podium::client {

// There are few writers, so looking again and again costs less than a list of who waits.
constexpr std::chrono::milliseconds kLook{25};

Task<void> Precedence::turn(Steady since) const {
  while (under_way_.load(std::memory_order_relaxed) > 0 && clock_.now() - since < kPatience) {
    co_await async::nap(kLook);
  }
}

}  // namespace podium::client
