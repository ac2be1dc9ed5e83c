// Test doubles for the seams of client/: a manual clock, a constant random source, and a transport that calls
// functions. ScriptedTransport's streams return their pieces, end as configured; `hang` waits for close().
//
// Threads: ScriptedTransport calls its functions on the caller's thread.
#pragma once

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <mutex>
#include <vector>

#include "async/timer.h"
#include "base/random.h"
#include "client/http/transport.h"
#include "unit/support/manual_clock.h"

namespace podium::unit {

class FixedRandom final : public Random {
 public:
  std::uint64_t next() override { return 0; }
};

struct StreamScript {
  enum class End { clean, cut, hang };
  int status = 200;
  std::vector<std::string> pieces;
  End end = End::clean;
};

class ScriptedStream final : public client::Stream {
 public:
  explicit ScriptedStream(StreamScript script) : script_(std::move(script)) {}
  int status() const override { return script_.status; }
  void close() override {}
  client::Task<Result<std::string>> read(std::chrono::milliseconds silence) override {
    if (at_ < script_.pieces.size()) co_return Result<std::string>(script_.pieces[at_++]);
    if (script_.end == StreamScript::End::clean) co_return Result<std::string>(std::string());
    if (script_.end == StreamScript::End::cut) co_return fail(Error::Kind::unavailable, "cut");
    async::Timer timer(co_await boost::asio::this_coro::executor, silence);
    boost::system::error_code failure;
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, failure));
    co_return fail(failure ? Error::Kind::cancelled : Error::Kind::timeout, "silent");
  }

 private:
  StreamScript script_;
  std::size_t at_ = 0;
};

class ScriptedTransport final : public client::Transport {
 public:
  std::function<Result<client::Response>(const client::Request&)> on_send;
  std::function<Result<StreamScript>(const client::Request&)> on_open;
  std::function<std::unique_ptr<client::Stream>(const client::Request&)> on_live;  // goes before on_open
  std::function<std::chrono::milliseconds(const client::Request&)> latency_of;     // goes before latency
  std::chrono::milliseconds latency{0};  // of send(); other coroutines run during it

  client::Task<Result<client::Response>> send(client::Request request) override {
    note(request);
    const auto takes = latency_of ? latency_of(request) : latency;
    if (takes.count() > 0) {
      async::Timer timer(co_await boost::asio::this_coro::executor, takes);
      boost::system::error_code ignored;
      co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
    co_return on_send(request);
  }
  client::Task<Result<std::unique_ptr<client::Stream>>> open(client::Request request) override {
    note(request);
    if (on_live) {
      auto live = on_live(request);
      co_return Result<std::unique_ptr<client::Stream>>(std::move(live));
    }
    auto script = on_open(request);
    if (!script) co_return std::unexpected(script.error());
    std::unique_ptr<client::Stream> stream = std::make_unique<ScriptedStream>(std::move(*script));
    co_return Result<std::unique_ptr<client::Stream>>(std::move(stream));
  }
  void close() override {}

  std::vector<client::Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void note(const client::Request& request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }
  mutable std::mutex mutex_;
  std::vector<client::Request> requests_;
};

}  // namespace podium::unit
