// HttpsServer: a small HTTP/1.1 server over TLS, for probes, scrapes and configuration dumps.
//
// Bounds connections, in total and per peer, header sizes, and the time of each step. A handler reads the
// body itself, with a limit. When all slots are taken, connections that are idle or do not read are closed
// (ConnectionTable). Requests other than probes, and bodies in progress, are shared by peer (Shares) and
// leave a third of the slots, so probes always find one. A request has its slot until its reply is known.
// Without file descriptors it closes a connection and pauses. Reloads its certificate (ServingCertificate).
// Owner: DiagnosticsServer. Threads: everything on the executor, which is one thread; listen() before it
// runs, as it reads files. The gate has to be empty before the server is destroyed.
// Errors: listen() names the invalid flag or file. A connection's error ends that connection.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "async/gate.h"
#include "base/clock.h"
#include "base/result.h"
#include "server/listener.h"
#include "server/messages.h"
#include "server/serving_certificate.h"

namespace podium::server {

struct ServerOptions {
  ListenOptions listen;
  TlsOptions tls;
  std::size_t connections = 64;
  std::size_t connections_per_peer = 32;
  std::set<std::string> probes;            // paths that are always answered, under any load
  std::chrono::milliseconds step{10'000};  // for a handshake, for a request to arrive, for a part of a reply
  std::chrono::milliseconds idle{60'000};  // between two requests
  std::chrono::milliseconds longest_write{120'000};  // for a whole reply
};

class HttpsServer {
 public:
  // The handler gets every request, with any path and method. `files` reads a changed certificate.
  HttpsServer(async::Gate& gate, boost::asio::any_io_executor executor, boost::asio::any_io_executor files,
              Clock& clock, ServerOptions options, Handler handler);
  ~HttpsServer();
  Result<std::uint16_t> listen();  // starts to serve; returns the port
  void close();                    // stops accepting and ends open connections

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::server
