// on(): runs a task on another executor and waits for its result.
//
// Does not pass cancellation on: it would arrive on one thread while the task ends on another, which Asio
// does not allow. A long task has to check by itself whether to stop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "async/task.h"

namespace podium::async {

template <typename T>
Task<T> on(boost::asio::any_io_executor executor, Task<T> task) {
  auto not_cancelled =
      boost::asio::bind_cancellation_slot(boost::asio::cancellation_slot(), boost::asio::use_awaitable);
  co_return co_await boost::asio::co_spawn(executor, std::move(task), std::move(not_cancelled));
}

}  // namespace podium::async
