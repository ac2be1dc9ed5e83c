// Connection: one TCP connection to the API server, with TLS if its URL is https.
//
// Uses plain non-blocking system calls; Asio only waits for readiness. This avoids the copies and buffers
// of Asio's TLS stream. TCP keepalive and TCP_USER_TIMEOUT detect half-open connections.
// Threads: one coroutine at a time, on any executor; end() from any thread.
// Errors: Kind::unavailable (refused, cut), Kind::untrusted, Kind::timeout, Kind::cancelled.
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
  // `name` is the name or address that the server's certificate has to match.
  Task<Result<void>> handshake(TlsContext::Current context, std::string name, bool name_is_address);
  // `bytes` have to outlive the call. Asks `may_write` before each system call; when it returns false, the
  // rest is not sent and the result is not_leader().
  Task<Result<void>> write(std::string_view bytes, MayWrite may_write = {});
  // Returns what has arrived; empty: end of stream. It is in a thread-local buffer, valid until the caller's
  // next co_await.
  Task<Result<std::string_view>> read();

  // Minimum time between a read and the last I/O before it. Each small reply or watch event costs a wake-up;
  // if latency does not matter, reads several together.
  void set_rest(std::chrono::microseconds rest) { rest_ = rest; }

  bool usable();                                // open, and nothing to read
  std::size_t wrote() const { return wrote_; }  // bytes of the last write() that may reach the server
  std::uint64_t generation() const { return generation_; }

  void end(Error::Kind why) override;

 private:
  boost::system::error_code begin_connect(const boost::asio::ip::tcp::endpoint& endpoint);
  IoStep try_read(std::span<char> into);
  IoStep try_write(std::string_view bytes);
  Task<Result<void>> wait(boost::asio::ip::tcp::socket::wait_type what);
  Task<bool> await_min_interval();  // waits out the rest; false: there was none
  Error failure(std::string_view doing, std::string_view why);
  Error failure(std::string_view doing, boost::system::error_code why);

  const std::shared_ptr<Watchdog> watchdog_;
  const std::string peer_;  // host:port, for messages
  boost::asio::ip::tcp::socket socket_;
  std::optional<TlsSession> tls_;
  std::uint64_t generation_ = 0;
  std::size_t wrote_ = 0;
  std::chrono::microseconds rest_{0};
  Steady last_{};                // when bytes were last read or written
  bool bulk_ = false;            // the last read filled its buffer, so more data is probably available
  std::size_t since_pause_ = 0;  // bytes read since the thread was last free for other work

  std::mutex mutex_;  // guards the members that end() uses
  int fd_ = -1;       // open while >= 0
  std::optional<Error::Kind> ended_;
};

}  // namespace podium::client
