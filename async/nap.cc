#include "async/nap.h"

#include "async/timer.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace podium::async {

namespace asio = boost::asio;

Task<void> nap(std::chrono::nanoseconds time) {
  Timer timer(co_await asio::this_coro::executor, time);
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

}  // namespace podium::async
