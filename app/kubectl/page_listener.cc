#include "app/kubectl/page_listener.h"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "async/nap.h"
#include "async/timer.h"

namespace podium::kubectl {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using client::Task;

constexpr std::uint32_t kPageHeaderBytes = 16 * 1024;
// Beast waits for the end of a chunk extension or a trailer whatever its length.
constexpr std::size_t kUnparsedBytes = 64 * 1024;
constexpr std::chrono::seconds kConnectionEnds{90};  // longer than any reply of podium takes
constexpr std::chrono::milliseconds kAfterFailedAccept{100};

struct BrowserConnection : std::enable_shared_from_this<BrowserConnection> {
  explicit BrowserConnection(tcp::socket taken) : socket(std::move(taken)), deadline(socket.get_executor()) {}

  void end_in_time() {
    deadline.expires_after(kConnectionEnds);
    deadline.async_wait([weak = weak_from_this()](error_code error) {
      const auto self = weak.lock();
      if (!error && self) self->close();
    });
  }
  void close() {
    error_code ignored;
    deadline.cancel();
    socket.close(ignored);
  }

  tcp::socket socket;
  async::Timer deadline;
};

BrowserRequest request_of(http::request<http::string_body>&& given) {
  BrowserRequest out;
  out.method = given.method_string();
  out.target = given.target();
  out.host = given[http::field::host];
  out.content_type = given[http::field::content_type];
  out.if_none_match = given[http::field::if_none_match];
  out.body = std::move(given.body());
  return out;
}

http::response<http::string_body> response_of(server::Reply&& reply, bool is_head) {
  http::response<http::string_body> out;
  out.version(11);
  out.result(static_cast<unsigned>(reply.status));
  out.keep_alive(false);
  out.set(http::field::content_type, reply.content_type);
  for (const auto& [name, value] : reply.headers) out.set(name, value);
  out.content_length(reply.body.size());
  if (!is_head) out.body() = std::move(reply.body);
  return out;
}

// Returns when the browser has closed or reset its connection. A browser sends one request for each
// connection; one that sends more data is still there, and is not watched any longer.
Task<void> until_it_leaves(BrowserConnection* connection) {
  error_code error;
  co_await connection->socket.async_wait(tcp::socket::wait_read,
                                         asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return;
  const auto sent = connection->socket.available(error);
  if (!error && sent > 0) co_await async::nap(kConnectionEnds);
}

}  // namespace

struct PageListener::Impl : std::enable_shared_from_this<PageListener::Impl> {
  Impl(asio::any_io_executor io, PageDoor& door, async::Gate& gate)
      : io(io), door(door), gate(gate), acceptor(io) {}

  static Task<void> serve(std::shared_ptr<Impl> self, std::shared_ptr<BrowserConnection> connection) {
    self->silent.push_back(connection.get());
    co_await exchange(self.get(), connection.get());
    std::erase(self->silent, connection.get());
    connection->close();
    --self->open;
  }

  static Task<void> exchange(Impl* self, BrowserConnection* connection) {
    connection->end_in_time();
    http::request_parser<http::string_body> parser;
    parser.header_limit(kPageHeaderBytes);
    parser.body_limit(kBodyBytes);
    boost::beast::flat_buffer buffer(kUnparsedBytes);
    error_code error;
    co_await http::async_read(connection->socket, buffer, parser,
                              asio::redirect_error(asio::use_awaitable, error));
    std::erase(self->silent, connection);
    if (error) co_return;
    auto request = request_of(parser.release());
    const bool is_head = request.method == "HEAD";
    auto answering = answer_while_it_stays(self, connection, std::move(request));
    auto reply = co_await std::move(answering);
    if (!reply) co_return;
    auto response = response_of(std::move(*reply), is_head);
    co_await http::async_write(connection->socket, response,
                               asio::redirect_error(asio::use_awaitable, error));
    if (!error) connection->socket.shutdown(tcp::socket::shutdown_send, error);
  }

  // Nullopt: the browser left first, and the request to podium is cancelled. Else a request that waits for
  // changes would keep its place there, and a user has few.
  static Task<std::optional<server::Reply>> answer_while_it_stays(Impl* self, BrowserConnection* connection,
                                                                  BrowserRequest request) {
    auto answering = asio::co_spawn(self->io, self->door.answer(std::move(request)), asio::deferred);
    auto leaving = asio::co_spawn(self->io, until_it_leaves(connection), asio::deferred);
    auto both = asio::experimental::make_parallel_group(std::move(answering), std::move(leaving));
    auto first = both.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    auto [order, failure, reply, ignored] = co_await std::move(first);
    if (order[0] != 0) co_return std::nullopt;
    if (failure) std::rethrow_exception(failure);
    co_return std::move(reply);
  }

  // Other users of this machine can connect, and need not send a request. False: all have sent theirs.
  bool close_oldest_silent() {
    if (silent.empty()) return false;
    silent.front()->close();
    silent.erase(silent.begin());
    return true;
  }

  static Task<void> accept_all(std::shared_ptr<Impl> self) {
    while (self->acceptor.is_open()) {
      error_code error;
      auto socket = co_await self->acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
      if (!self->acceptor.is_open()) break;
      if (error) {
        co_await async::nap(kAfterFailedAccept);
        continue;
      }
      if (self->open >= kConnections && !self->close_oldest_silent()) continue;  // closes the new one
      ++self->open;
      auto connection = std::make_shared<BrowserConnection>(std::move(socket));
      if (!async::spawn(self->gate, self->io, "page connection", serve(self, std::move(connection)))) break;
    }
  }

  const asio::any_io_executor io;
  PageDoor& door;
  async::Gate& gate;
  tcp::acceptor acceptor;
  std::size_t open = 0;
  std::vector<BrowserConnection*> silent;  // those that have sent no request yet; the oldest first
};

PageListener::PageListener(asio::any_io_executor io, PageDoor& door, async::Gate& gate)
    : impl_(std::make_shared<Impl>(std::move(io), door, gate)) {}

PageListener::~PageListener() { stop(); }

Result<std::uint16_t> PageListener::listen(std::uint16_t port) {
  error_code error;
  const tcp::endpoint at(asio::ip::address_v4::loopback(), port);
  auto& acceptor = impl_->acceptor;
  acceptor.open(at.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(at, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error) {
    return fail(Error::Kind::unavailable,
                "cannot listen on 127.0.0.1:" + std::to_string(port) + ": " + error.message());
  }
  return acceptor.local_endpoint().port();
}

Task<void> PageListener::run() { return Impl::accept_all(impl_); }

void PageListener::stop() {
  error_code ignored;
  impl_->acceptor.close(ignored);
}

}  // namespace podium::kubectl
