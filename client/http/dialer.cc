#include "client/http/dialer.h"

#include <fmt/format.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/this_coro.hpp>

#include "client/http/handoff.h"

namespace podium::client {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

bool is_address(const std::string& text) {
  boost::system::error_code error;
  asio::ip::make_address(text, error);
  return !error;
}

}  // namespace

Dialer::Dialer(asio::any_io_executor executor, std::shared_ptr<Watchdog> watchdog, ServerUrl url,
               const ClientConfig& config, std::chrono::milliseconds reload)
    : executor_(std::move(executor)),
      watchdog_(std::move(watchdog)),
      url_(std::move(url)),
      tls_name_(config.tls_server_name.empty() ? url_.host : config.tls_server_name),
      tls_name_is_address_(is_address(tls_name_)),
      tls_(std::make_shared<TlsContext>(config, reload)) {}

Result<TlsContext::Current> Dialer::credentials() {
  if (!url_.tls) return TlsContext::Current{};
  return tls_->last();
}

Task<Result<Dialer::Endpoints>> Dialer::resolve(Steady deadline) {
  boost::system::error_code not_literal;
  asio::ip::address address = asio::ip::make_address(url_.host, not_literal);
  if (!not_literal) {
    auto port = static_cast<std::uint16_t>(std::stoi(url_.port));
    co_return Result<Endpoints>(Endpoints{tcp::endpoint(address, port)});
  }
  struct Answer {
    boost::system::error_code error;
    Endpoints endpoints;
  };
  auto executor = co_await asio::this_coro::executor;
  auto answer = std::make_shared<Handoff<Answer>>(executor, watchdog_, deadline);
  auto resolver = std::make_shared<tcp::resolver>(executor_);
  resolver->async_resolve(url_.host, url_.port,
                          [answer, resolver](boost::system::error_code error, auto found) {
                            Answer value{error, {}};
                            for (const auto& entry : found) value.endpoints.push_back(entry.endpoint());
                            answer->put(value);
                          });
  auto got = co_await answer->wait("resolve " + url_.host);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (got->error || got->endpoints.empty())
    co_return fail(Error::Kind::unavailable, fmt::format("resolve {}: {}", url_.host, got->error.message()));
  co_return Result<Endpoints>(std::move(got->endpoints));
}

Task<Result<std::unique_ptr<Connection>>> Dialer::dial_one(tcp::endpoint endpoint, Steady deadline) {
  auto connection = std::make_unique<Connection>(executor_, watchdog_, url_.authority());
  connection->set_deadline(deadline);
  auto connected = co_await connection->connect(endpoint);
  if (!connected) co_return std::unexpected(std::move(connected.error()));
  if (url_.tls) {
    auto current = tls_->last();
    if (!current) co_return std::unexpected(std::move(current.error()));
    auto agreed = co_await connection->handshake(*current, tls_name_, tls_name_is_address_);
    if (!agreed) co_return std::unexpected(std::move(agreed.error()));
  }
  co_return Result<std::unique_ptr<Connection>>(std::move(connection));
}

Task<Result<std::unique_ptr<Connection>>> Dialer::dial(Steady deadline) {
  auto endpoints = co_await resolve(deadline);
  if (!endpoints) co_return std::unexpected(std::move(endpoints.error()));
  Error last;
  for (std::size_t i = 0; i < endpoints->size(); ++i) {
    // Each address gets an equal share of the time that is left, so a silent one does not use it up.
    auto now = std::chrono::steady_clock::now();
    auto share = now + (deadline - now) / static_cast<int>(endpoints->size() - i);
    auto connection = co_await dial_one((*endpoints)[i], share);
    if (connection) co_return connection;
    last = std::move(connection.error());
    if (last.kind == Error::Kind::cancelled || last.kind == Error::Kind::invalid) break;
  }
  co_return std::unexpected(std::move(last));
}

}  // namespace podium::client
