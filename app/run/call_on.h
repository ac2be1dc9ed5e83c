// call_on(): calls a function on another executor and awaits its result, with a timeout.
//
// The caller's thread is not blocked. After a timeout the function still runs; the objects that it uses must
// live as long as its executor runs.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "async/task.h"
#include "async/timer.h"

namespace podium::app::run {

// nullopt: timed out after `within`. The caller's executor runs one handler at a time.
template <typename T>
async::Task<std::optional<T>> call_on(boost::asio::any_io_executor other, std::function<T()> function,
                                      std::chrono::milliseconds within) {
  namespace asio = boost::asio;
  struct Call {
    std::optional<T> answer;
    async::Timer* waiter = nullptr;  // on the caller's executor, as long as it waits
  };
  struct Leave {
    std::shared_ptr<Call> call;
    ~Leave() { call->waiter = nullptr; }
  };
  const asio::any_io_executor own = co_await asio::this_coro::executor;
  async::Timer timer(own, within);
  const auto call = std::make_shared<Call>();
  call->waiter = &timer;
  const Leave leave{call};
  asio::post(other, [own, call, function = std::move(function)] {
    const auto answer = std::make_shared<T>(function());
    asio::post(own, [call, answer] {
      call->answer = std::move(*answer);
      if (call->waiter) call->waiter->cancel();
    });
  });
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  co_return std::move(call->answer);
}

}  // namespace podium::app::run
