#include "server/https_server.h"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <map>
#include <optional>
#include <vector>

#include "async/nap.h"
#include "base/backoff.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/shares.h"
#include "log/log.h"
#include "server/connection_table.h"
#include "server/http_messages.h"
#include "server/served_connection.h"

namespace podium::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using async::Task;
using boost::system::error_code;

constexpr std::uint32_t kHeaderBytes = 16 * 1024;
// Bytes of a body that the handler does not read. The server reads and ignores a smaller body. After a larger
// one it drops what the client still sends, within these bounds, and ends the connection.
constexpr std::size_t kIgnoredBytes = 1024, kLingerBytes = 1024 * 1024;
constexpr std::chrono::milliseconds kLinger{2'000};
constexpr std::size_t kFirstRead = 4096;
// Bytes of a connection that are read and not parsed yet. Beast bounds headers and bodies, but waits for the
// end of a chunk extension or a trailer whatever its length.
constexpr std::size_t kUnparsedBytes = 64 * 1024;
constexpr Backoff kAcceptPauses{std::chrono::milliseconds(50), std::chrono::seconds(1)};
constexpr std::chrono::minutes kLogEvery{1};

Error too_large(std::size_t limit) {
  return Error{.kind = Error::Kind::invalid,
               .message = "the body is larger than " + std::to_string(limit) + " bytes",
               .status = {.code = 413}};
}

Error too_many(const char* what) {
  return Error{
      .kind = Error::Kind::unavailable, .message = std::string("too many ") + what, .status = {.code = 503}};
}

// Go's server refuses an empty path. A path of other bytes than ASCII has no place in JSON, in which reviews
// and refusals name it.
bool is_target(std::string_view path) {
  return !path.empty() && std::ranges::all_of(path, [](char c) { return c > ' ' && c < '\x7f'; });
}

std::unexpected<Error> did_not_arrive() { return fail(Error::Kind::unavailable, "the body did not arrive"); }

// Bounds of requests other than probes, and of bodies in progress. These cannot be closed for a probe, so
// they stay below the bounds of connections, total and per peer: at 64 and 32, 20 of each, 12 for one peer.
Shares::Bounds bounds_of(const ServerOptions& options) {
  const std::size_t in_all = std::max<std::size_t>(1, options.connections / 4);
  const std::size_t of_one = std::max<std::size_t>(1, options.connections_per_peer * 3 / 8);
  return {in_all, of_one, options.connections / 16};
}

}  // namespace

struct HttpsServer::Impl {
  Impl(async::Gate& gate_, asio::any_io_executor executor_, asio::any_io_executor files_, Clock& clock_,
       ServerOptions options_, Handler handler_)
      : gate(gate_),
        executor(std::move(executor_)),
        files(std::move(files_)),
        clock(clock_),
        options(std::move(options_)),
        handler(std::move(handler_)),
        certificate(options.tls),
        acceptor(executor),
        table({options.connections, options.connections_per_peer}),
        requests(bounds_of(options)),
        bodies(bounds_of(options)) {}

  // Removes the connection when its coroutine ends, also by an exception.
  struct Forget {
    Impl* self;
    std::shared_ptr<ServedConnection> connection;
    ~Forget() {
      self->table.remove(connection->id);
      self->open.erase(connection->id);
    }
  };

  void close_one(std::optional<ConnectionTable::Id> id) {
    if (!id) return;
    if (const auto it = open.find(*id); it != open.end()) it->second->close();
  }

  // False: the connection has ended.
  static Task<bool> shake_hands(Impl* self, std::shared_ptr<ServedConnection> connection) {
    error_code error;
    connection->limit(self->options.step);
    co_await connection->stream.async_handshake(asio::ssl::stream_base::server,
                                                asio::redirect_error(asio::use_awaitable, error));
    if (error || connection->closed) co_return false;
    connection->read_certificates();
    co_return true;
  }

  static Task<error_code> read_header(Impl* self, std::shared_ptr<ServedConnection> connection,
                                      beast::flat_buffer* buffer, HttpParser* parser) {
    error_code error;
    auto& stream = connection->stream;
    if (buffer->size() == 0) {
      connection->limit(self->options.idle);
      const auto size = co_await stream.async_read_some(buffer->prepare(kFirstRead),
                                                        asio::redirect_error(asio::use_awaitable, error));
      buffer->commit(size);
      if (connection->closed) error = asio::error::operation_aborted;
      if (error) co_return error;
    }
    parser->header_limit(kHeaderBytes);
    parser->body_limit(boost::none);  // read_body() checks the length
    connection->limit(self->options.step);
    co_await http::async_read_header(stream, *buffer, *parser,
                                     asio::redirect_error(asio::use_awaitable, error));
    if (connection->closed) error = asio::error::operation_aborted;
    co_return error;
  }

  // Says what is wrong with a header, if the client has not left. The connection then has to end.
  static Task<void> refuse_header(Impl* self, std::shared_ptr<ServedConnection> connection, error_code why) {
    if (!is_about_header(why)) co_return;
    auto response = response_of(refusal_of_header(why), {});
    response.keep_alive(false);
    for (const auto id : self->table.set_writing(connection->id, response.body().size())) self->close_one(id);
    co_await write(self, connection, &response);
    co_await linger(connection);
  }

  static Task<Result<std::string>> read_body(Impl* self, std::shared_ptr<ServedConnection> connection,
                                             beast::flat_buffer* buffer, HttpParser* parser,
                                             std::size_t limit) {
    const auto length = parser->content_length();
    if (length && *length > limit) co_return std::unexpected(too_large(limit));
    if (connection->ended) co_return did_not_arrive();
    if (!parser->is_done()) {
      error_code error;
      parser->body_limit(limit);
      connection->limit(self->options.step);
      if (waits_to_continue(*parser)) {
        http::response<http::empty_body> go_on(http::status::continue_, parser->get().version());
        co_await http::async_write(connection->stream, go_on,
                                   asio::redirect_error(asio::use_awaitable, error));
      }
      if (!error) {
        co_await http::async_read(connection->stream, *buffer, *parser,
                                  asio::redirect_error(asio::use_awaitable, error));
      }
      connection->lift_limit();
      if (error == http::error::body_limit) co_return std::unexpected(too_large(limit));
      connection->ended = is_end(error);
      if (error || connection->closed) co_return did_not_arrive();
    }
    Result<std::string> body = std::move(parser->get().body());
    co_return body;
  }

  // As read_body(), for a handler. While the body arrives, which is the client's time, the request releases
  // its slot and has a slot for bodies instead.
  static Task<Result<std::string>> read_asked(Impl* self, std::shared_ptr<ServedConnection> connection,
                                              beast::flat_buffer* buffer, HttpParser* parser,
                                              Shares::Slot* slot, std::size_t limit) {
    Shares::Slot apart;
    if (!parser->is_done()) apart = self->bodies.take(connection->peer);
    if (!parser->is_done() && !apart)
      co_return std::unexpected(too_many("bodies of requests are in progress"));
    slot->reset();
    auto body = co_await read_body(self, connection, buffer, parser, limit);
    *slot = self->requests.take_anyway(connection->peer);
    co_return body;
  }

  // For a handler: see Rest. A client that waits for a reply sends nothing, except that it leaves.
  static Task<bool> rest(Impl* self, std::shared_ptr<ServedConnection> connection, Shares::Slot* slot,
                         std::chrono::milliseconds time) {
    if (*slot) self->table.set_idle(connection->id);
    slot->reset();
    if (connection->closed || connection->ended) co_return false;
    error_code error;
    connection->end_rest_after(time);
    co_await connection->stream.next_layer().async_wait(tcp::socket::wait_read,
                                                        asio::redirect_error(asio::use_awaitable, error));
    connection->end_rest();
    co_return error == asio::error::operation_aborted && !connection->closed && self->acceptor.is_open();
  }

  // Reads a small body that the handler did not read. False: it is larger, and the connection has to end.
  static Task<bool> skip_body(Impl* self, std::shared_ptr<ServedConnection> connection,
                              beast::flat_buffer* buffer, HttpParser* parser) {
    if (parser->is_done()) co_return true;
    if (waits_to_continue(*parser)) co_return false;
    const auto skipped = co_await read_body(self, connection, buffer, parser, kIgnoredBytes);
    co_return skipped.has_value();
  }

  // Drops what the client still sends, within bounds: closing immediately would reset the connection and
  // could cost the client the reply.
  static Task<void> linger(std::shared_ptr<ServedConnection> connection) {
    std::vector<char> dropped(16 * 1024);
    connection->limit(kLinger);
    for (std::size_t total = 0; total < kLingerBytes && !connection->closed && !connection->ended;) {
      error_code error;
      total += co_await connection->stream.async_read_some(asio::buffer(dropped),
                                                           asio::redirect_error(asio::use_awaitable, error));
      if (error) co_return;
    }
  }

  static Task<bool> write(Impl* self, std::shared_ptr<ServedConnection> connection, HttpResponse* response) {
    error_code error;
    auto& stream = connection->stream;
    http::response_serializer<http::string_body> serializer(*response);
    const auto end = self->clock.now() + self->options.longest_write;
    while (!serializer.is_done() && !error) {
      if (self->clock.now() > end) co_return false;
      connection->limit(self->options.step);
      co_await http::async_write_some(stream, serializer, asio::redirect_error(asio::use_awaitable, error));
    }
    co_return !error && response->keep_alive() && !connection->closed;
  }

  // Probes take no slot, unless they have a token, which needs a review.
  static Task<Reply> reply_to(Impl* self, const std::string* peer, Shares::Slot* slot, Request request) {
    if (!is_target(request.path)) co_return Reply(400, "400 Bad Request\n");
    const bool is_probe = request.authorization.empty() && self->options.probes.contains(request.path);
    if (!is_probe) {
      *slot = self->requests.take(*peer);
      if (!*slot) {
        Reply busy(503, "too many requests in progress\n");
        busy.headers.emplace_back("Retry-After", "1");
        co_return busy;
      }
    }
    co_return co_await self->handler(std::move(request));
  }

  static Task<void> serve(Impl* self, std::shared_ptr<ServedConnection> connection) {
    const Forget forget{self, connection};
    if (connection->closed) co_return;
    const bool ready = co_await shake_hands(self, connection);
    if (!ready) co_return;
    beast::flat_buffer buffer(kUnparsedBytes);
    for (bool more = true; more && self->acceptor.is_open();) {
      HttpParser parser;
      const auto wrong = co_await read_header(self, connection, &buffer, &parser);
      if (wrong) {
        co_await refuse_header(self, connection, wrong);
        co_return;
      }
      auto request = request_of(parser.get());
      request.certificates = connection->certificates;
      request.peer = connection->peer;
      Shares::Slot slot;
      bool asked = false;
      request.read_body = [self, connection, &buffer, &parser, &slot, &asked](std::size_t limit) {
        PODIUM_CHECK(!std::exchange(asked, true), connection->peer, limit);
        return read_asked(self, connection, &buffer, &parser, &slot, limit);
      };
      request.rest = [self, connection, &slot](std::chrono::milliseconds time) {
        return rest(self, connection, &slot, time);
      };
      connection->lift_limit();  // the handler has deadlines of its own
      self->table.set_busy(connection->id);
      auto reply = co_await reply_to(self, &connection->peer, &slot, std::move(request));
      // The rest is the client's time: the end of the request, and the reply.
      slot.reset();
      for (const auto id : self->table.set_writing(connection->id, reply.body.size())) self->close_one(id);
      const bool skipped = co_await skip_body(self, connection, &buffer, &parser);
      auto response = response_of(std::move(reply), parser.get());
      if (!skipped) response.keep_alive(false);
      more = co_await write(self, connection, &response);
      self->table.set_idle(connection->id);
      if (!skipped) co_await linger(connection);
    }
  }

  void admit(tcp::socket socket) {
    auto peer = peer_of(socket);
    const auto admission = table.admit(peer);
    close_one(admission.victim);
    if (!admission.id) return;  // refused: closes the socket
    auto connection = std::make_shared<ServedConnection>(*admission.id, std::move(peer), std::move(socket),
                                                         certificate.current());
    open.emplace(*admission.id, connection);
    if (async::spawn(gate, executor, "HTTPS connection", serve(this, connection))) return;
    open.erase(*admission.id);
    table.remove(*admission.id);
  }

  // Out of file descriptors or memory: closes an idle connection.
  void close_idle_connection(const error_code& error) {
    const auto now = clock.now();
    if (!next_log || now >= *next_log) {
      next_log = now + kLogEvery;
      log::error("cannot accept a connection error={:?} open={}", error.message(), open.size());
    }
    close_one(table.take_victim());
  }

  static Task<void> accept_all(Impl* self) {
    unsigned failures = 0;
    while (self->acceptor.is_open()) {
      error_code error;
      co_await self->acceptor.async_wait(tcp::acceptor::wait_read,
                                         asio::redirect_error(asio::use_awaitable, error));
      if (error) break;  // closed
      auto socket = accept(self->acceptor, error);
      const bool passing = error == asio::error::would_block || error == asio::error::try_again ||
                           error == asio::error::interrupted || error == asio::error::connection_aborted;
      if (passing) continue;
      if (error) {
        self->close_idle_connection(error);
        co_await async::nap(kAcceptPauses.after(++failures));
        continue;
      }
      failures = 0;
      self->admit(std::move(socket));
    }
  }

  async::Gate& gate;
  const asio::any_io_executor executor, files;
  Clock& clock;
  const ServerOptions options;
  const Handler handler;
  ServingCertificate certificate;
  tcp::acceptor acceptor;
  ConnectionTable table;
  Shares requests, bodies;  // in progress, by peer; without probes
  std::map<ConnectionTable::Id, std::shared_ptr<ServedConnection>> open;  // each until its coroutine ends
  std::optional<Steady> next_log;
};

HttpsServer::HttpsServer(async::Gate& gate, asio::any_io_executor executor, asio::any_io_executor files,
                         Clock& clock, ServerOptions options, Handler handler)
    : impl_(std::make_unique<Impl>(gate, std::move(executor), std::move(files), clock, std::move(options),
                                   std::move(handler))) {}

HttpsServer::~HttpsServer() = default;

Result<std::uint16_t> HttpsServer::listen() {
  auto& self = *impl_;
  PODIUM_CHECK(!self.acceptor.is_open());
  if (auto ready = self.certificate.load(); !ready) return std::unexpected(ready.error());
  auto acceptor = server::listen(self.executor, self.options.listen);
  if (!acceptor) return std::unexpected(acceptor.error());
  self.acceptor = std::move(*acceptor);
  error_code error;
  const auto port = self.acceptor.local_endpoint(error).port();
  async::spawn(self.gate, self.executor, "HTTPS server", Impl::accept_all(&self));
  self.certificate.watch(self.gate, self.executor, self.files);
  return port;
}

void HttpsServer::close() {
  error_code ignored;
  impl_->acceptor.close(ignored);
  for (const auto& [id, connection] : impl_->open) connection->close();
}

}  // namespace podium::server
