// HttpsServer: HTTP/1.1 over TLS for a few short requests: probes, scrapes, a look at the configuration.
//
// Bounded: connections in all and for each peer, header and body sizes, and the time that each step takes.
// Where all slots are taken, idle connections make room (ConnectionTable), and requests other than probes
// take at most a quarter of the slots, so that a probe always finds one. Without file descriptors it closes
// an idle connection and pauses rather than spins. Certificates are reloaded (ServingCertificate).
// Owner: DiagnosticsServer. Threads: everything on the executor, which one thread runs; listen() before that
// thread starts or on it. The gate is empty before the server is destroyed.
// Errors: listen() names the flag or file that is wrong; a connection's errors end that connection.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "async/gate.h"
#include "base/clock.h"
#include "base/result.h"
#include "server/exchange.h"
#include "server/listener.h"
#include "server/serving_certificate.h"

namespace podium::server {

struct ServerOptions {
  ListenOptions listen;
  TlsOptions tls;
  std::size_t connections = 64;
  std::size_t connections_per_peer = 32;
  std::set<std::string> probes;            // paths that are answered however many requests are under way
  std::chrono::milliseconds step{10'000};  // for a handshake, a request to arrive, a part of a reply
  std::chrono::milliseconds idle{60'000};  // between two requests
  std::chrono::milliseconds longest_write{120'000};  // for a whole reply
};

class HttpsServer {
 public:
  // The handler is asked for each request, whatever its path and method.
  HttpsServer(async::Gate& gate, boost::asio::any_io_executor executor, Clock& clock, ServerOptions options,
              Handler handler);
  ~HttpsServer();
  Result<std::uint16_t> listen();  // the port; serving starts
  void close();                    // no further connection; those that are open end

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::server
