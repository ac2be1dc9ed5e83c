// HttpsServer: podium's own small HTTPS door: health for probes, metrics for Prometheus, the configuration in
// force.
//
// Bounded: connections, header and body sizes, and the time that a request may take. Only GET and HEAD. Where
// no certificate is given, one is made for this process, as kube-scheduler does.
// Threads: connections and handlers run on the executor given, which one thread runs; close() from any thread.
// Errors: listen() says what is wrong (a port in use, a certificate that does not match its key); a connection's errors end
// that connection.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"

namespace podium::server {

struct Reply {
  int status = 200;
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
};

using Handler = std::function<Reply()>;

struct ServerOptions {
  std::string address = "0.0.0.0";
  std::uint16_t port = 10259;              // 0: any free one
  std::string certificate_file, key_file;  // PEM; both or none
  std::size_t connections = 64;
};

class HttpsServer {
 public:
  HttpsServer(boost::asio::any_io_executor executor, ServerOptions options,
              std::map<std::string, Handler> routes);
  ~HttpsServer();
  Result<std::uint16_t> listen();  // the port; serving starts
  void close();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace podium::server
