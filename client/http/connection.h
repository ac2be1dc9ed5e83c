// Connection: one TCP connection to the API server, with TLS where the server's URL says so.
//
// Reads and writes are plain non-blocking system calls; Asio only tells when the socket is ready. That spares
// the copies and the buffers of Asio's TLS stream. Half-open connections are found by TCP keepalive and
// TCP_USER_TIMEOUT.
// Threads: used by one coroutine at a time, on any executor; end() from any thread.
// Errors: Kind::unavailable (refused, cut, not trusted: reason "Untrusted"), Kind::timeout, Kind::cancelled.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <mutex>
#include <optional>
#include <string_view>

#include "client/auth/tls.h"
#include "client/http/transport.h"
#include "client/http/watchdog.h"

namespace podium::client {

class Connection final : public Guarded {
 public:
  Connection(boost::asio::any_io_executor executor, std::shared_ptr<Watchdog> watchdog, std::string peer);
  ~Connection() override;
  Connection(const Connection&) = delete;

  void set_deadline(Steady deadline) { watchdog_->set_deadline(*this, deadline); }
  void clear_deadline() { watchdog_->clear_deadline(*this); }

  Task<Result<void>> connect(boost::asio::ip::tcp::endpoint endpoint);
  // The name is what the server's certificate must be for.
  Task<Result<void>> handshake(TlsContext::Current context, std::string name, bool name_is_address);
  // The caller keeps the bytes. `may_write` is asked before each part that goes out, also after a wait; where
  // it says no, the rest is not sent: not_leader().
  Task<Result<void>> write(std::string_view bytes, MayWrite may_write = {});
  // What has arrived, empty at the end. It points into a buffer of the thread: use it before the next
  // co_await.
  Task<Result<std::string_view>> read();

  // At least so long between a read and what was read or written before it. A reply or a watch event that
  // comes in a small piece costs a wake-up of its own; where nobody waits for the first of many, they are
  // read together.
  void set_rest(std::chrono::microseconds rest) { rest_ = rest; }

  bool usable();                                // idle, still open, and with nothing unexpected to read
  std::size_t wrote() const { return wrote_; }  // so many bytes of the last write() may reach the server
  std::uint64_t generation() const { return generation_; }

  void end(Error::Kind why) override;

 private:
  IoStep try_read(std::span<char> into);
  IoStep try_write(std::string_view bytes);
  Task<Result<void>> wait(boost::asio::ip::tcp::socket::wait_type what);
  Task<bool> rested();  // false: there was nothing to wait for
  Error failure(std::string_view doing, std::string_view why);

  const std::shared_ptr<Watchdog> watchdog_;
  const std::string peer_;  // host:port, for messages
  boost::asio::ip::tcp::socket socket_;
  std::optional<TlsSession> tls_;
  std::uint64_t generation_ = 0;
  std::size_t wrote_ = 0;
  std::chrono::microseconds rest_{0};
  Steady last_{};      // when bytes came or went
  bool bulk_ = false;  // the last read filled its buffer, so more is probably there already

  std::mutex mutex_;  // guards what end() touches
  int fd_ = -1;       // open while >= 0
  std::optional<Error::Kind> ended_;
};

}  // namespace podium::client
