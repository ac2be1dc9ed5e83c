// Dialer: makes connections that are ready for a request: resolves, connects, shakes hands.
//
// Threads: any. Errors: as Connection; Kind::invalid if the credentials cannot be used.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <vector>

#include "client/auth/url.h"
#include "client/http/connection.h"

namespace podium::client {

class Dialer {
 public:
  Dialer(boost::asio::any_io_executor executor, std::shared_ptr<Watchdog> watchdog, ServerUrl url,
         const ClientConfig& config, std::chrono::milliseconds reload);

  // The credentials that tls() gave last; generation 0 without TLS.
  Result<TlsContext::Current> credentials();
  std::shared_ptr<TlsContext> tls() const { return url_.tls ? tls_ : nullptr; }  // null: none
  Task<Result<std::unique_ptr<Connection>>> dial(Steady deadline);

 private:
  using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;
  Task<Result<Endpoints>> resolve(Steady deadline);
  Task<Result<std::unique_ptr<Connection>>> dial_one(boost::asio::ip::tcp::endpoint endpoint,
                                                     Steady deadline);

  const boost::asio::any_io_executor executor_;
  const std::shared_ptr<Watchdog> watchdog_;
  const ServerUrl url_;
  const std::string tls_name_;
  const bool tls_name_is_address_;
  const std::shared_ptr<TlsContext> tls_;
};

}  // namespace podium::client
