#include "client/precedence.h"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "async/timer.h"
#include "base/check.h"

namespace podium::client {

namespace asio = boost::asio;

void Precedence::enter() {
  const std::lock_guard lock(mutex_);
  ++in_flight_;
}

void Precedence::leave() {
  const std::lock_guard lock(mutex_);
  PODIUM_CHECK(in_flight_ > 0, in_flight_);
  if (--in_flight_ > 0) return;
  for (const auto& timer : waiting_) {
    asio::post(timer->get_executor(), [timer] { timer->cancel(); });
  }
  waiting_.clear();
}

// Removes its timer from the list on destruction, also when the coroutine is cancelled.
struct Precedence::Waiting {
  Waiting(const Precedence& precedence, TimerPtr timer) : precedence(precedence), timer(std::move(timer)) {}
  Waiting(const Waiting&) = delete;
  ~Waiting() {
    const std::lock_guard lock(precedence.mutex_);
    precedence.waiting_.remove(timer);
  }
  const Precedence& precedence;
  const TimerPtr timer;
};

async::Task<void> Precedence::turn(Steady since) const {
  const auto executor = co_await asio::this_coro::executor;
  for (;;) {
    const Waiting waiting(*this, std::make_shared<async::Timer>(executor));
    {
      const std::lock_guard lock(mutex_);
      const auto left = since + kPatience - clock_.now();
      if (in_flight_ == 0 || left <= Steady::duration::zero()) co_return;
      waiting.timer->expires_after(left);
      waiting_.push_back(waiting.timer);
    }
    boost::system::error_code ignored;
    co_await waiting.timer->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

}  // namespace podium::client
