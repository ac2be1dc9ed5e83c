#include "client/http/connection.h"

#include "async/timer.h"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <boost/asio/experimental/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace podium::client {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

constexpr int kWorthWaking = 256 * 1024, kWorthReading = 32 * 1024;  // bytes
constexpr std::size_t kMostWithoutPause = 1024 * 1024;               // bytes that are read without a pause

constexpr auto as_result = asio::experimental::as_tuple(asio::use_awaitable);

void set_option(int fd, int level, int option, int value) {
  ::setsockopt(fd, level, option, &value, sizeof value);
}

// Detects a vanished peer within 25 s when idle, and within 20 s when it owes an acknowledgement.
void set_options(int fd) {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 20'000);
}

IoStep step_of(ssize_t result, IoStep::Kind again) {
  if (result > 0) return {IoStep::Kind::done, static_cast<std::size_t>(result), {}};
  if (result == 0) return {IoStep::Kind::closed, 0, {}};
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {again, 0, {}};
  return {IoStep::Kind::failed, 0, std::system_category().message(errno)};
}

// The bytes are consumed before the coroutine suspends again, so one buffer per thread is enough.
std::span<char> scratch() {
  thread_local char buffer[16384];
  return buffer;
}

}  // namespace

Connection::Connection(asio::any_io_executor executor, std::shared_ptr<Watchdog> watchdog, std::string peer)
    : watchdog_(std::move(watchdog)), peer_(std::move(peer)), socket_(std::move(executor)) {
  watchdog_->add(*this);
}

Connection::~Connection() {
  watchdog_->remove(*this);
  std::lock_guard lock(mutex_);
  fd_ = -1;
  tls_.reset();
  boost::system::error_code ignored;
  socket_.close(ignored);
}

void Connection::end(Error::Kind why) {
  std::lock_guard lock(mutex_);
  if (!ended_) ended_ = why;
  if (fd_ >= 0) ::shutdown(fd_, SHUT_RDWR);
}

Error Connection::failure(std::string_view doing, std::string_view why) {
  std::lock_guard lock(mutex_);
  Error error;
  error.kind = ended_.value_or(Error::Kind::unavailable);
  if (error.kind == Error::Kind::timeout) why = "deadline passed";
  if (error.kind == Error::Kind::cancelled) why = "stopped";
  error.message = fmt::format("{} {}: {}", doing, peer_, why);
  return error;
}

// The coroutine was cancelled, which says nothing about the peer.
Error Connection::failure(std::string_view doing, boost::system::error_code why) {
  if (why == asio::error::operation_aborted) end(Error::Kind::cancelled);
  return failure(doing, why.message());
}

// Connects under the lock: end() before the connect would have no effect on it, and the socket would be ready
// again and again until the connect times out.
boost::system::error_code Connection::begin_connect(const tcp::endpoint& endpoint) {
  boost::system::error_code error;
  std::lock_guard lock(mutex_);
  fd_ = -1;
  socket_.close(error);
  socket_.open(endpoint.protocol(), error);
  if (!error) fd_ = socket_.native_handle();
  if (!error) socket_.native_non_blocking(true, error);
  if (ended_) error = asio::error::operation_aborted;
  if (error) return error;
  set_options(fd_);
  if (::connect(fd_, endpoint.data(), static_cast<socklen_t>(endpoint.size())) != 0 && errno != EINPROGRESS)
    error.assign(errno, asio::error::get_system_category());
  return error;
}

Task<Result<void>> Connection::connect(tcp::endpoint endpoint) {
  auto failed = begin_connect(endpoint);
  if (!failed) {
    auto [unready] = co_await socket_.async_wait(tcp::socket::wait_write, as_result);
    failed = unready;
  }
  if (!failed) {
    int why = 0;
    socklen_t size = sizeof why;
    ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &why, &size);
    failed.assign(why, asio::error::get_system_category());
  }
  if (failed) co_return std::unexpected(failure("connect to", failed));
  co_return Result<void>();
}

Task<Result<void>> Connection::handshake(TlsContext::Current context, std::string name,
                                         bool name_is_address) {
  generation_ = context.generation;
  tls_.emplace(context.context.get(), socket_.native_handle(), name, name_is_address);
  for (;;) {
    IoStep step = tls_->handshake();
    if (step.kind == IoStep::Kind::done) co_return Result<void>();
    if (step.kind != IoStep::Kind::want_read && step.kind != IoStep::Kind::want_write) {
      Error error = failure("TLS handshake with", step.message.empty() ? "connection closed" : step.message);
      if (tls_->untrusted()) error.kind = Error::Kind::untrusted;
      co_return std::unexpected(std::move(error));
    }
    auto ready = co_await wait(step.kind == IoStep::Kind::want_read ? tcp::socket::wait_read
                                                                    : tcp::socket::wait_write);
    if (!ready) co_return std::unexpected(std::move(ready.error()));
  }
}

IoStep Connection::try_read(std::span<char> into) {
  if (tls_) return tls_->read(into);
  return step_of(::recv(fd_, into.data(), into.size(), 0), IoStep::Kind::want_read);
}

IoStep Connection::try_write(std::string_view bytes) {
  if (tls_) return tls_->write(bytes);
  return step_of(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), IoStep::Kind::want_write);
}

Task<Result<void>> Connection::wait(tcp::socket::wait_type what) {
  auto [error] = co_await socket_.async_wait(what, as_result);
  if (error) co_return std::unexpected(failure("connection to", error));
  co_return Result<void>();
}

// Asio keeps every socket in its reactor, so arriving data wakes the thread even if no one reads. During the
// rest, the receive low-water mark makes the kernel report large amounts only. The next read sees whether the
// connection ended during the rest.
Task<bool> Connection::await_min_interval() {
  const auto until = last_ + rest_;
  if (rest_.count() == 0 || std::chrono::steady_clock::now() >= until) co_return false;
  // A large amount has arrived already, as in a streamed list: a rest would only slow it down.
  if (int waiting = 0; ::ioctl(fd_, FIONREAD, &waiting) == 0 && waiting >= kWorthReading) co_return false;
  set_option(fd_, SOL_SOCKET, SO_RCVLOWAT, kWorthWaking);
  async::Timer timer(socket_.get_executor(), until);
  co_await timer.async_wait(as_result);
  set_option(fd_, SOL_SOCKET, SO_RCVLOWAT, 1);
  co_return true;
}

Task<Result<void>> Connection::write(std::string_view bytes, MayWrite may_write) {
  wrote_ = 0;
  while (!bytes.empty()) {
    if (may_write && !may_write()) co_return not_leader();
    IoStep step = try_write(bytes);
    if (step.kind == IoStep::Kind::done) {
      bytes.remove_prefix(step.size);
      wrote_ += step.size;
      continue;
    }
    if (step.kind == IoStep::Kind::closed || step.kind == IoStep::Kind::failed)
      co_return std::unexpected(
          failure("send to", step.message.empty() ? "connection closed" : step.message));
    auto ready = co_await wait(step.kind == IoStep::Kind::want_read ? tcp::socket::wait_read
                                                                    : tcp::socket::wait_write);
    if (!ready) co_return std::unexpected(std::move(ready.error()));
  }
  if (rest_.count() > 0) last_ = std::chrono::steady_clock::now();
  co_return Result<void>();
}

Task<Result<std::string_view>> Connection::read() {
  // Data that arrive as fast as they are read leave the thread to its other work from time to time.
  if (since_pause_ >= kMostWithoutPause) {
    since_pause_ = 0;
    co_await asio::post(socket_.get_executor(), as_result);
    // A post does not end at a cancellation, and the next wait does not see one that is over.
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
      co_return std::unexpected(failure("receive from", asio::error::operation_aborted));
  }
  bool wait_first = !bulk_ && !(tls_ && tls_->buffered());
  if (wait_first) wait_first = !co_await await_min_interval();
  auto next = tcp::socket::wait_read;
  for (;;) {
    if (wait_first) {
      auto ready = co_await wait(next);
      if (!ready) co_return std::unexpected(std::move(ready.error()));
      since_pause_ = 0;
    }
    wait_first = true;
    std::span<char> into = scratch();
    IoStep step = try_read(into);
    bulk_ = step.size == into.size();
    switch (step.kind) {
      case IoStep::Kind::done:
        if (rest_.count() > 0) last_ = std::chrono::steady_clock::now();
        since_pause_ += step.size;
        co_return std::string_view(into.data(), step.size);
      case IoStep::Kind::want_read:
        next = tcp::socket::wait_read;
        break;
      case IoStep::Kind::want_write:
        next = tcp::socket::wait_write;
        break;
      case IoStep::Kind::closed: {
        bool ended = [this] {
          std::lock_guard lock(mutex_);
          return ended_.has_value();
        }();
        if (ended) co_return std::unexpected(failure("receive from", ""));
        co_return std::string_view();
      }
      case IoStep::Kind::failed:
        co_return std::unexpected(failure("receive from", step.message));
    }
  }
}

bool Connection::usable() {
  {
    std::lock_guard lock(mutex_);
    if (ended_ || fd_ < 0) return false;
  }
  if (tls_) return tls_->quiet();
  char byte;
  return ::recv(fd_, &byte, 1, MSG_PEEK) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace podium::client
