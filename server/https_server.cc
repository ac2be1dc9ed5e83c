#include "server/https_server.h"

#include <openssl/ssl.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <map>
#include <optional>

#include "async/nap.h"
#include "server/connection_table.h"

namespace podium::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using async::Task;
using boost::system::error_code;

constexpr std::uint32_t kHeaderBytes = 16 * 1024, kBodyBytes = 1024;
constexpr std::size_t kFirstRead = 4096;
constexpr std::chrono::milliseconds kShortestPause{50}, kLongestPause{1'000};
constexpr std::chrono::minutes kLogEvery{1};

using Stream = beast::ssl_stream<beast::tcp_stream>;
using Parser = http::request_parser<http::string_body>;
using Response = http::response<http::string_body>;

struct Connection {
  Connection(ConnectionTable::Id id, tcp::socket socket, std::shared_ptr<asio::ssl::context> tls)
      : id(id), tls(std::move(tls)), stream(std::move(socket), *this->tls) {}

  void close() {
    closed = true;
    beast::get_lowest_layer(stream).close();
  }

  const ConnectionTable::Id id;
  const std::shared_ptr<asio::ssl::context> tls;
  Stream stream;
  std::shared_ptr<const Certificates> certificates = std::make_shared<Certificates>();
  bool closed = false;  // by the server; the coroutine ends at its next step
};

std::shared_ptr<const Certificates> certificates_of(SSL* session) {
  auto out = std::make_shared<Certificates>();
  const auto add = [&](X509* one) {
    X509_up_ref(one);
    out->push_back(std::shared_ptr<X509>(one, X509_free));
  };
  if (auto* own = SSL_get0_peer_certificate(session)) add(own);
  const auto* chain = SSL_get_peer_cert_chain(session);  // at a server: without the client's certificate
  for (int i = 0; chain && i < sk_X509_num(chain); ++i) add(sk_X509_value(chain, i));
  return out;
}

Request request_of(const Parser::value_type& message, const Connection& connection) {
  Request out;
  const std::string target(message.target());
  const auto mark = target.find('?');
  out.method = std::string(message.method_string());
  out.path = target.substr(0, mark);
  if (mark != std::string::npos) out.query = target.substr(mark + 1);
  out.authorization = std::string(message[http::field::authorization]);
  out.certificates = connection.certificates;
  return out;
}

Response response_of(Reply reply, const Parser::value_type& request) {
  Response out(static_cast<http::status>(reply.status), request.version());
  if (!reply.content_type.empty()) out.set(http::field::content_type, reply.content_type);
  out.set(http::field::cache_control, "no-cache, private");
  out.set("X-Content-Type-Options", "nosniff");
  if (reply.status == 405) out.set(http::field::allow, "GET, HEAD");
  out.keep_alive(request.keep_alive());
  out.body() = std::move(reply.body);
  out.prepare_payload();
  if (request.method() == http::verb::head) out.body().clear();
  return out;
}

}  // namespace

struct HttpsServer::Impl {
  Impl(async::Gate& gate_, asio::any_io_executor executor_, Clock& clock_, ServerOptions options_,
       Handler handler_)
      : gate(gate_),
        executor(std::move(executor_)),
        clock(clock_),
        options(std::move(options_)),
        handler(std::move(handler_)),
        certificate(clock, options.tls),
        acceptor(executor),
        table(options.connections, options.connections_per_peer) {}

  // Removes the connection when its coroutine ends, also by an exception.
  struct Forget {
    Impl* self;
    std::shared_ptr<Connection> connection;
    ~Forget() {
      self->table.remove(connection->id);
      self->open.erase(connection->id);
    }
  };

  // A slot for a request. Probes always get one; other requests do not get one when too many are in progress.
  struct RequestSlot {
    explicit RequestSlot(Impl& self_, bool probe) : self(self_), counts(!probe) {
      taken = !counts || self.others < std::max<std::size_t>(1, self.options.connections / 4);
      if (taken && counts) ++self.others;
    }
    ~RequestSlot() {
      if (taken && counts) --self.others;
    }
    RequestSlot(const RequestSlot&) = delete;
    Impl& self;
    const bool counts;
    bool taken = false;
  };

  void close_one(std::optional<ConnectionTable::Id> id) {
    if (!id) return;
    if (const auto it = open.find(*id); it != open.end()) it->second->close();
  }

  // False: the connection has ended.
  static Task<bool> shake_hands(Impl* self, std::shared_ptr<Connection> connection) {
    error_code error;
    beast::get_lowest_layer(connection->stream).expires_after(self->options.step);
    co_await connection->stream.async_handshake(asio::ssl::stream_base::server,
                                                asio::redirect_error(asio::use_awaitable, error));
    if (error || connection->closed) co_return false;
    connection->certificates = certificates_of(connection->stream.native_handle());
    co_return true;
  }

  static Task<bool> read(Impl* self, std::shared_ptr<Connection> connection, beast::flat_buffer* buffer,
                         Parser* parser) {
    error_code error;
    auto& stream = connection->stream;
    if (buffer->size() == 0) {
      beast::get_lowest_layer(stream).expires_after(self->options.idle);
      const auto size = co_await stream.async_read_some(buffer->prepare(kFirstRead),
                                                        asio::redirect_error(asio::use_awaitable, error));
      buffer->commit(size);
      if (error || connection->closed) co_return false;
    }
    parser->header_limit(kHeaderBytes);
    parser->body_limit(kBodyBytes);
    beast::get_lowest_layer(stream).expires_after(self->options.step);
    co_await http::async_read(stream, *buffer, *parser, asio::redirect_error(asio::use_awaitable, error));
    co_return !error && !connection->closed;
  }

  static Task<bool> write(Impl* self, std::shared_ptr<Connection> connection, Response* response) {
    error_code error;
    auto& stream = connection->stream;
    http::response_serializer<http::string_body> serializer(*response);
    const auto end = self->clock.now() + self->options.longest_write;
    while (!serializer.is_done() && !error) {
      if (self->clock.now() > end) co_return false;
      beast::get_lowest_layer(stream).expires_after(self->options.step);
      co_await http::async_write_some(stream, serializer, asio::redirect_error(asio::use_awaitable, error));
    }
    co_return !error && response->keep_alive() && !connection->closed;
  }

  static Task<Reply> reply_to(Impl* self, const RequestSlot* slot, Request request) {
    if (slot->taken) co_return co_await self->handler(std::move(request));
    Reply busy(503, "too many requests in progress\n");
    co_return busy;
  }

  static Task<void> serve(Impl* self, std::shared_ptr<Connection> connection) {
    const Forget forget{self, connection};
    if (connection->closed) co_return;
    const bool ready = co_await shake_hands(self, connection);
    if (!ready) co_return;
    beast::flat_buffer buffer;
    for (bool more = true; more && self->acceptor.is_open();) {
      Parser parser;
      const bool came = co_await read(self, connection, &buffer, &parser);
      if (!came) co_return;
      auto request = request_of(parser.get(), *connection);
      const RequestSlot slot(*self, self->options.probes.contains(request.path));
      self->table.set_busy(connection->id, true);
      auto reply = co_await reply_to(self, &slot, std::move(request));
      auto response = response_of(std::move(reply), parser.get());
      more = co_await write(self, connection, &response);
      self->table.set_busy(connection->id, false);
    }
  }

  void admit(tcp::socket socket) {
    const auto admission = table.admit(address_of(socket));
    close_one(admission.victim);
    if (!admission.id) return;  // refused: closes the socket
    auto connection = std::make_shared<Connection>(*admission.id, std::move(socket), certificate.current());
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
      spdlog::error("cannot accept a connection error=\"{}\" open={}", error.message(), open.size());
    }
    close_one(table.take_longest_idle());
  }

  static Task<void> accept_all(Impl* self) {
    auto pause = kShortestPause;
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
        co_await async::nap(pause);
        pause = std::min(2 * pause, kLongestPause);
        continue;
      }
      pause = kShortestPause;
      self->admit(std::move(socket));
    }
  }

  async::Gate& gate;
  const asio::any_io_executor executor;
  Clock& clock;
  const ServerOptions options;
  const Handler handler;
  ServingCertificate certificate;
  tcp::acceptor acceptor;
  ConnectionTable table;
  std::map<ConnectionTable::Id, std::shared_ptr<Connection>> open;  // each until its coroutine ends
  std::size_t others = 0;                                           // requests in progress but probes
  std::optional<Steady> next_log;
};

HttpsServer::HttpsServer(async::Gate& gate, asio::any_io_executor executor, Clock& clock,
                         ServerOptions options, Handler handler)
    : impl_(
          std::make_unique<Impl>(gate, std::move(executor), clock, std::move(options), std::move(handler))) {}

HttpsServer::~HttpsServer() = default;

Result<std::uint16_t> HttpsServer::listen() {
  auto& self = *impl_;
  if (auto ready = self.certificate.load(); !ready) return std::unexpected(ready.error());
  auto acceptor = server::listen(self.executor, self.options.listen);
  if (!acceptor) return std::unexpected(acceptor.error());
  self.acceptor = std::move(*acceptor);
  error_code error;
  const auto port = self.acceptor.local_endpoint(error).port();
  async::spawn(self.gate, self.executor, "HTTPS server", Impl::accept_all(&self));
  return port;
}

void HttpsServer::close() {
  error_code ignored;
  impl_->acceptor.close(ignored);
  for (const auto& [id, connection] : impl_->open) connection->close();
}

}  // namespace podium::server
