#include "client/precedence.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace podium::client {

namespace asio = boost::asio;

// There are few writers, so looking again and again costs less than a list of who waits.
constexpr std::chrono::milliseconds kLook{5};

Task<void> Precedence::turn(Steady since) const {
  if (under_way_.load(std::memory_order_relaxed) == 0) co_return;
  asio::steady_timer timer(co_await asio::this_coro::executor);
  boost::system::error_code cancelled;
  while (!cancelled && under_way_.load(std::memory_order_relaxed) > 0 && clock_.now() - since < kPatience) {
    timer.expires_after(kLook);
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  }
}

}  // namespace podium::client
