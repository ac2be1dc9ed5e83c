// HttpScript: a scripted but real HTTP/1.1 server, plain or with TLS, for tests of wire faults.
//
// Listens on a free loopback port. A request goes to the next handler of the script (then(), in order of
// arrival), else to the standing handler (always()), else gets a 404. The handler answers through
// HttpExchange on the connection's own thread, and may block. If it returns without a reply, the server
// closes the connection. The destructor cuts each connection, which wakes waiting handlers; it joins threads.
// Threads: every member from any thread; an HttpExchange belongs to its handler.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "unit/support/test_tls.h"

namespace podium::unit {

struct HttpRequest {
  std::string method, target, body;
  std::map<std::string, std::string> headers;  // names in lower case
  int connection = 0;                          // which connection it came over, counted from 0
  std::string client;                          // the client certificate's common name; empty without one
};

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  virtual const HttpRequest& request() const = 0;
  virtual void reply(int status, std::string_view body, const HttpHeaders& headers = {}) = 0;
  // A reply in chunks, as a watch is. chunk() returns false once the client has gone.
  virtual void start_chunks(int status = 200, const HttpHeaders& headers = {}) = 0;
  virtual bool chunk(std::string_view data) = 0;
  virtual void end_chunks() = 0;
  virtual void raw(std::string_view bytes) = 0;  // as they are, after or instead of all of the above
  virtual void hang_up() = 0;                    // an orderly close
  virtual void cut() = 0;                        // a TCP reset
  virtual void wait_closed() = 0;                // until the client closes, or the server is destroyed
};

using HttpHandler = std::function<void(HttpExchange&)>;

// Handlers for the usual cases.
HttpHandler replying(int status, std::string body, HttpHeaders headers = {});

struct HttpScriptOptions {
  bool tls = false;
  PemPair certificate;    // for TLS
  std::string client_ca;  // PEM: ask for a client certificate and verify it against this
};

class HttpScript {
 public:
  explicit HttpScript(HttpScriptOptions options = {});
  ~HttpScript();
  HttpScript(const HttpScript&) = delete;

  HttpScript& then(HttpHandler handler);
  HttpScript& always(HttpHandler handler);

  int port() const;
  std::string url() const;                             // http(s)://127.0.0.1:port
  std::vector<HttpRequest> requests() const;           // those that arrived whole, in order
  std::size_t wait_requests(std::size_t count) const;  // until so many arrived (10 s at most); how many did
  bool wait_open(std::size_t count) const;  // until at most so many connections are open (10 s at most)
  int connections() const;                  // accepted so far
  void cut_all();                           // resets every connection that is open now

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A bound loopback port without a server: refused (not listening) or silent (accepts, sends nothing).
class DeadPort {
 public:
  enum class Kind { refused, silent };
  explicit DeadPort(Kind kind);
  ~DeadPort();
  DeadPort(const DeadPort&) = delete;
  int port() const { return port_; }

 private:
  int fd_ = -1, port_ = 0;
};

}  // namespace podium::unit
