// ClientLoop: an io_context with threads that runs client coroutines, for tests against HttpScript.
//
// Threads: run() from the test's thread.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <thread>
#include <vector>

#include "client/http/transport.h"

namespace podium::client {

class ClientLoop {
 public:
  explicit ClientLoop(int threads = 1) : work_(io_.get_executor()) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { io_.run(); });
  }
  ~ClientLoop() { finish(); }

  // Returns when all coroutines have ended; close the transport first. Coroutines must not outlive what they
  // use, and that must not outlive the loop.
  void finish() {
    work_.reset();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

  boost::asio::any_io_executor executor() { return io_.get_executor(); }

  // On a separate strand, like podium's callers.
  template <typename T>
  std::future<T> start(Task<T> task) {
    return boost::asio::co_spawn(boost::asio::make_strand(io_), std::move(task), boost::asio::use_future);
  }
  template <typename T>
  T run(Task<T> task) {
    return start(std::move(task)).get();
  }

 private:
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::vector<std::thread> threads_;
};

// Closes the transport before its loop ends.
class ScopedTransport {
 public:
  ScopedTransport(ClientLoop& loop, ClientConfig config, TransportLimits limits = {}, MayWrite may_write = {})
      : transport_(make_transport(loop.executor(), std::move(config), limits, std::move(may_write))) {}
  ~ScopedTransport() { transport_->close(); }
  Transport* operator->() const { return transport_.get(); }
  const std::shared_ptr<Transport>& shared() const { return transport_; }

 private:
  std::shared_ptr<Transport> transport_;
};

inline ClientConfig config_for(const std::string& url) {
  ClientConfig config;
  config.server = url;
  return config;
}

inline Request get_request(std::string target, std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
  Request request;
  request.target = std::move(target);
  request.timeout = timeout;
  return request;
}

inline Request post_request(std::string target, std::string body,
                            std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
  Request request = get_request(std::move(target), timeout);
  request.method = "POST";
  request.body = std::move(body);
  return request;
}

}  // namespace podium::client
