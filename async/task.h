// Task: an Asio coroutine. It runs on the executor that it is spawned on.
#pragma once

#include <boost/asio/awaitable.hpp>

namespace podium::async {

template <typename T>
using Task = boost::asio::awaitable<T>;

}  // namespace podium::async
