// Requests to the HTTPS port, to a real server over the loopback: however the bytes arrive, the handler sees
// the same requests.
#include <fmt/format.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "fuzz/driver/require.h"
#include "fuzz/fuzzers.h"
#include "server/https_server.h"
#include "server/path_pattern.h"

namespace podium::fuzz {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using ClientStream = asio::ssl::stream<tcp::socket>;

constexpr std::size_t kLongestRequests = 16 * 1024, kTakenBody = 512, kMostReplies = 1024 * 1024;

// One request as the handler sees it. Which error a body has is left out: where a quoted value of a chunk
// extension continues beyond its line, which is not HTTP, Beast counts the chunk again with each piece.
struct Asked {
  std::string method, path, query, authorization, accept, content_type, if_none_match, body;
  bool has_body = true;  // false: it was refused, or did not arrive
  bool operator==(const Asked&) const = default;
};

async::Task<server::Reply> note_request(std::vector<Asked>* into, server::Request request) {
  Asked asked{request.method, request.path,         request.query,         request.authorization,
              request.accept, request.content_type, request.if_none_match, {}};
  if (!request.asks_for("skip")) {
    auto body = co_await request.read_body(kTakenBody);
    if (body)
      asked.body = std::move(*body);
    else
      asked.has_body = false;
  }
  into->push_back(std::move(asked));
  co_return server::Reply(200, "ok");
}

// Sends the bytes piece by piece and reads until the server closes. Returns the bytes that came.
async::Task<std::size_t> exchange(ClientStream* stream, tcp::endpoint to, std::string bytes,
                                  std::size_t piece) {
  error_code error;
  auto& socket = stream->next_layer();
  co_await socket.async_connect(to, asio::redirect_error(asio::use_awaitable, error));
  if (!error) socket.set_option(tcp::no_delay(true), error);
  if (!error)
    co_await stream->async_handshake(ClientStream::client, asio::redirect_error(asio::use_awaitable, error));
  require(!error, "a client can connect", error.message());
  for (std::size_t at = 0; !error && at < bytes.size(); at += piece) {
    const auto part = asio::buffer(bytes.data() + at, std::min(piece, bytes.size() - at));
    co_await asio::async_write(*stream, part, asio::redirect_error(asio::use_awaitable, error));
  }
  error_code ended;
  socket.shutdown(tcp::socket::shutdown_send, ended);
  std::array<char, 4096> reply{};
  std::size_t came = 0;
  for (error = {}; !error;) {
    came += co_await stream->async_read_some(asio::buffer(reply),
                                             asio::redirect_error(asio::use_awaitable, error));
  }
  co_return came;
}

// The server and its clients, on one thread.
class Port {
 public:
  // Lives as long as the process, since the server does.
  static Port& get() {
    static auto& port = *new Port;
    return port;
  }

  std::vector<Asked> send(std::string_view bytes, std::size_t piece) {
    asked_.clear();
    ClientStream stream(io_, tls_);
    const tcp::endpoint to(asio::ip::make_address("127.0.0.1"), port_);
    std::optional<std::size_t> came;
    asio::co_spawn(io_, exchange(&stream, to, std::string(bytes), piece),
                   [&came](std::exception_ptr failure, std::size_t size) {
                     if (failure) std::rethrow_exception(failure);
                     came = size;
                   });
    while (!came) io_.run_one();
    require(*came <= kMostReplies, "replies have a bound");
    // The connection's coroutine ends when it sees that the client is gone.
    stream.next_layer().close();
    while (gate_.inside() > idle_) io_.run_one();
    return std::move(asked_);
  }

 private:
  Port()
      : server_(gate_, io_.get_executor(), io_.get_executor(), system_clock(), options(),
                [this](server::Request request) { return note_request(&asked_, std::move(request)); }) {
    const auto port = server_.listen();
    require(port.has_value(), "the server listens", port ? "" : port.error().message);
    port_ = *port;
    idle_ = gate_.inside();
  }
  static server::ServerOptions options() {
    server::ServerOptions out;
    out.listen.address = "127.0.0.1";
    out.listen.port = 0;
    return out;
  }

  asio::io_context io_;
  async::Gate gate_;
  std::vector<Asked> asked_;
  server::HttpsServer server_;
  std::size_t idle_ = 0;  // the server's own tasks
  std::uint16_t port_ = 0;
  asio::ssl::context tls_{asio::ssl::context::tls_client};
};

// What was asked, in short.
std::string listed(const std::vector<Asked>& all) {
  std::string out = fmt::format("{} requests", all.size());
  for (const auto& each : all) {
    out += fmt::format(", {} {} with {}", each.method, each.path,
                       each.has_body ? fmt::format("{} bytes", each.body.size()) : "no body");
  }
  return out;
}

bool is_one_line(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == text.npos;
}

void check_asked(const Asked& asked) {
  for (const auto& each :
       {asked.method, asked.path, asked.query, asked.authorization, asked.accept, asked.content_type})
    require(is_one_line(each), "a header is one line", each);
  require(!asked.path.empty() && asked.path.find('?') == std::string::npos,
          "a path ends where the query begins", asked.path);
  require(asked.body.size() <= kTakenBody, "a body has a bound");
  static const server::PathPattern decision("/v1/namespaces/{namespace}/pods/{pod}/decision");
  if (const auto matched = decision.match(asked.path); matched && *matched)
    require((*matched)->size() == 2, "each parameter of a path has a value", asked.path);
}

}  // namespace

void request(std::string_view input) {
  if (input.size() > kLongestRequests) return;
  auto& port = Port::get();
  const auto whole = port.send(input, input.size() + 1);
  for (const auto& asked : whole) check_asked(asked);
  // One of these, since the handshakes take most of the time.
  static constexpr std::size_t kPieces[] = {1, 7, 100};
  const auto piece = kPieces[input.size() % std::size(kPieces)];
  if (input.size() / piece > 300) return;
  auto cut = port.send(input, piece);
  if (planted() && piece == 7 && cut.size() == 1 && cut.front().body.size() > 20) cut.front().body.pop_back();
  require(cut == whole, "requests are the same however they arrive",
          fmt::format("whole: {}; by {}: {}", listed(whole), piece, listed(cut)));
}

}  // namespace podium::fuzz
