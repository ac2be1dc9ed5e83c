// ask(): calls a function on another executor and awaits its result, with a timeout.
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
async::Task<std::optional<T>> ask(boost::asio::any_io_executor other, std::function<T()> function,
                                  std::chrono::milliseconds within) {
  namespace asio = boost::asio;
  struct Asked {
    std::optional<T> answer;
    async::Timer* waiter = nullptr;  // on the caller's executor, as long as it waits
  };
  struct Leave {
    std::shared_ptr<Asked> asked;
    ~Leave() { asked->waiter = nullptr; }
  };
  const asio::any_io_executor own = co_await asio::this_coro::executor;
  async::Timer timer(own, within);
  const auto asked = std::make_shared<Asked>();
  asked->waiter = &timer;
  const Leave leave{asked};
  asio::post(other, [own, asked, function = std::move(function)] {
    const auto answer = std::make_shared<T>(function());
    asio::post(own, [asked, answer] {
      asked->answer = std::move(*answer);
      if (asked->waiter) asked->waiter->cancel();
    });
  });
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  co_return std::move(asked->answer);
}

}  // namespace podium::app::run
