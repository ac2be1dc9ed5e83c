// WireExchange and Pipe: requests and a watch in flight, shared by the waiting coroutine and the network.
//
// A coroutine waits on a timer of its own, which the network cancels. The timer is a local of the coroutine,
// so it is destroyed with the coroutine, even if requests are still in flight.
// Owner: both sides. Threads: one. Errors: none.
#pragma once

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "async/timer.h"
#include "simulate/server/network.h"

namespace podium::simulate {

// The object that a coroutine waits on.
class Bell {
 public:
  void ring() {
    rung_ = true;
    if (waiting_) waiting_->cancel();
  }
  bool rung() const { return rung_; }

  // Waits until ring(). False: the coroutine was cancelled. `bell` outlives the call.
  static client::Task<bool> wait(Bell* bell) {
    struct Leave {
      Bell* bell;
      ~Leave() { bell->waiting_ = nullptr; }
    };
    if (!bell->rung_) {
      async::Timer timer(co_await boost::asio::this_coro::executor);
      bell->waiting_ = &timer;
      const Leave leave{bell};
      boost::system::error_code ignored;
      co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
    co_return std::exchange(bell->rung_, false);
  }

 private:
  bool rung_ = false;
  async::Timer* waiting_ = nullptr;
};

struct Piece {
  std::string bytes;
  // The whole lines that the reader has with these bytes, if these are not the bytes.
  std::optional<std::string> lines = std::nullopt;
};

struct Pipe {
  HostPtr host;
  std::shared_ptr<Watch> watch;
  std::deque<Piece> pieces;
  Steady last{};  // when the last bytes arrive
  bool ended = false, cut = false, dead = false, closed = false, timed_out = false;
  std::uint64_t reads = 0;
  Bell bell;
};

struct WireExchange {
  HostPtr host;
  std::vector<client::Request> requests;
  std::vector<client::Response> replies;
  std::shared_ptr<Pipe> pipe;  // of a watch that is open
  bool done = false, closed = false;
  Error::Kind end = Error::Kind::timeout;  // of requests without a reply
  Bell bell;

  void finish(Error::Kind why) {
    if (std::exchange(done, true)) return;
    end = why;
    bell.ring();
  }
};

}  // namespace podium::simulate
