#include "server/https_server.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <set>

#include "server/self_signed.h"

namespace podium::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::seconds kStepTimeout{10};
constexpr std::uint32_t kHeaderBytes = 16 * 1024, kBodyBytes = 1024;

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 && name[0] ? name : "localhost";
}

Result<void> use_certificate(asio::ssl::context& context, const ServerOptions& options) {
  error_code error;
  if (!options.certificate_file.empty()) {
    context.use_certificate_chain_file(options.certificate_file, error);
    if (error) return invalid(options.certificate_file + ": " + error.message());
    context.use_private_key_file(options.key_file, asio::ssl::context::pem, error);
    if (error) return invalid(options.key_file + ": " + error.message());
    return {};
  }
  auto pair = self_signed_certificate(host_name());
  if (!pair) return std::unexpected(pair.error());
  context.use_certificate(asio::buffer(pair->certificate), asio::ssl::context::pem, error);
  if (!error) context.use_private_key(asio::buffer(pair->key), asio::ssl::context::pem, error);
  if (error) return fail(Error::Kind::internal, "the HTTPS door's own certificate: " + error.message());
  return {};
}

}  // namespace

struct HttpsServer::Impl : std::enable_shared_from_this<Impl> {
  using Stream = beast::ssl_stream<beast::tcp_stream>;

  Impl(asio::any_io_executor executor_, ServerOptions options_, std::map<std::string, Handler> routes_)
      : executor(std::move(executor_)),
        options(std::move(options_)),
        routes(std::move(routes_)),
        tls(asio::ssl::context::tls_server),
        acceptor(executor) {}

  Reply reply_to(http::verb method, std::string_view target) const {
    if (method != http::verb::get && method != http::verb::head) return {405, "only GET and HEAD\n"};
    const std::string path(target.substr(0, target.find('?')));
    const auto route = routes.find(path);
    return route == routes.end() ? Reply{404, "404 page not found\n"} : route->second();
  }

  static asio::awaitable<void> serve(std::shared_ptr<Impl> self, tcp::socket socket) {
    Stream stream(std::move(socket), self->tls);
    self->open.insert(&stream);
    error_code error;
    beast::get_lowest_layer(stream).expires_after(kStepTimeout);
    co_await stream.async_handshake(asio::ssl::stream_base::server,
                                    asio::redirect_error(asio::use_awaitable, error));
    beast::flat_buffer buffer;
    while (!error && self->acceptor.is_open()) {
      http::request_parser<http::string_body> parser;
      parser.header_limit(kHeaderBytes);
      parser.body_limit(kBodyBytes);
      beast::get_lowest_layer(stream).expires_after(kStepTimeout);
      co_await http::async_read(stream, buffer, parser, asio::redirect_error(asio::use_awaitable, error));
      if (error) break;
      auto reply =
          self->reply_to(parser.get().method(), {parser.get().target().data(), parser.get().target().size()});
      http::response<http::string_body> response(static_cast<http::status>(reply.status),
                                                 parser.get().version());
      response.set(http::field::content_type, reply.content_type);
      response.set("X-Content-Type-Options", "nosniff");
      response.keep_alive(parser.get().keep_alive());
      response.body() = std::move(reply.body);
      response.prepare_payload();
      if (parser.get().method() == http::verb::head) response.body().clear();
      beast::get_lowest_layer(stream).expires_after(kStepTimeout);
      co_await http::async_write(stream, response, asio::redirect_error(asio::use_awaitable, error));
      if (!response.keep_alive()) break;
    }
    self->open.erase(&stream);
  }

  static asio::awaitable<void> accept(std::shared_ptr<Impl> self) {
    while (self->acceptor.is_open()) {
      error_code error;
      tcp::socket socket(self->executor);
      co_await self->acceptor.async_accept(socket, asio::redirect_error(asio::use_awaitable, error));
      if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor) break;
      if (error || self->open.size() >= self->options.connections) continue;  // closing it is the answer
      asio::co_spawn(self->executor, serve(self, std::move(socket)), asio::detached);
    }
  }

  asio::any_io_executor executor;
  ServerOptions options;
  std::map<std::string, Handler> routes;
  asio::ssl::context tls;
  tcp::acceptor acceptor;
  std::set<Stream*> open;  // connections, each until its coroutine ends
};

HttpsServer::HttpsServer(asio::any_io_executor executor, ServerOptions options,
                         std::map<std::string, Handler> routes)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(options), std::move(routes))) {}

HttpsServer::~HttpsServer() = default;

Result<std::uint16_t> HttpsServer::listen() {
  auto& self = *impl_;
  if (auto ready = use_certificate(self.tls, self.options); !ready) return std::unexpected(ready.error());
  error_code error;
  const auto address = asio::ip::make_address(self.options.address, error);
  if (error) return invalid("--bind-address: " + self.options.address + ": " + error.message());
  const tcp::endpoint endpoint(address, self.options.port);
  self.acceptor.open(endpoint.protocol(), error);
  if (!error) self.acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) self.acceptor.bind(endpoint, error);
  if (!error) self.acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return invalid("--secure-port: " + self.options.address + ":" + std::to_string(self.options.port) + ": " +
                   error.message());
  }
  const auto port = self.acceptor.local_endpoint(error).port();
  asio::co_spawn(self.executor, Impl::accept(impl_), asio::detached);
  return port;
}

void HttpsServer::close() {
  asio::post(impl_->executor, [self = impl_] {
    error_code ignored;
    self->acceptor.close(ignored);
    for (auto* stream : self->open) beast::get_lowest_layer(*stream).cancel();
  });
}

}  // namespace podium::server
