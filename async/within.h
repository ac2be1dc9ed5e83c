// within(): waits for a task, for a bounded time. After that the task continues in its gate.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "async/gate.h"
#include "async/task.h"
#include "async/timer.h"

namespace podium::async {

namespace detail {

template <typename T>
struct Awaited {
  std::optional<T> result;
  Timer* waiter = nullptr;  // on the caller's executor, while it waits
};

template <typename T>
Task<void> run_into(std::shared_ptr<Awaited<T>> awaited, Task<T> task) {
  auto result = co_await std::move(task);
  awaited->result = std::move(result);
  if (awaited->waiter) awaited->waiter->cancel();
}

}  // namespace detail

// Runs the task in the gate, on the caller's executor, which runs one handler at a time. Nullopt: the task
// has not ended in time, or the gate is closed.
template <typename T>
Task<std::optional<T>> within(Gate& gate, std::string name, Task<T> task, std::chrono::milliseconds time) {
  namespace asio = boost::asio;
  struct Leave {
    std::shared_ptr<detail::Awaited<T>> awaited;
    ~Leave() { awaited->waiter = nullptr; }
  };
  const asio::any_io_executor own = co_await asio::this_coro::executor;
  Timer timer(own, time);
  const auto awaited = std::make_shared<detail::Awaited<T>>();
  awaited->waiter = &timer;
  const Leave leave{awaited};
  auto running = detail::run_into<T>(awaited, std::move(task));
  const bool begun = spawn(gate, own, std::move(name), std::move(running));
  if (begun && !awaited->result) {
    boost::system::error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  co_return std::move(awaited->result);
}

}  // namespace podium::async
