// Transport: HTTP requests to one API server; the seam that tests replace.
//
// make_transport() keeps a bounded pool of connections, replaces them when they fail or their credentials
// rotate, and puts a deadline on every step. send() repeats a request in two cases only: a reused
// connection was dead before any byte of a reply, and the request is a GET or was not sent completely; or
// the reply is 401 and the token source has a new token (open() also does that, send_all() does not). All
// other retries are Api's.
//
// With MayWrite, the transport asks for permission right before the bytes of any request but a GET go out,
// however long it has waited. Without permission it does not send.
// Threads: send() and open() from any executor, concurrently; the coroutine resumes on its caller's
// executor. A Stream is used by one coroutine at a time. close() from any thread, before the executor's
// context runs out of work; the context outlives the transport.
// Errors: Kind::unavailable (refused, cut), Kind::untrusted, Kind::timeout, Kind::cancelled, Kind::not_leader
// (no permission to write), Kind::invalid (credentials), Kind::too_large. maybe_applied: a write was sent and
// its reply never came. An HTTP error status is a Response, not an Error.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"
#include "base/result.h"
#include "client/auth/client_config.h"

namespace podium::client {

using async::Task;

struct Request {
  Request() {}  // not an aggregate: GCC 12 destroys one that is made inside a co_await twice

  std::string method = "GET";
  std::string target;  // path and query
  std::string body;
  std::string content_type = "application/json";
  std::string accept = "application/json";
  std::chrono::milliseconds timeout{30'000};
  std::optional<int> retries;  // for metrics: the status of the previous try, 0: no reply; nullopt: first try
};

struct Response {
  int status = 0;
  std::string body;
  int retry_after = 0;  // seconds; 0 if the header is absent
  std::string warning;  // the texts of the Warning headers
};

// An open-ended response: a watch. read() returns the next chunk of the body; empty: the end. It fails with
// Kind::timeout when nothing arrives for `silence`.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual int status() const = 0;
  virtual Task<Result<std::string>> read(std::chrono::milliseconds silence) = 0;
  virtual void close() = 0;  // from any thread; a pending read() returns Kind::cancelled
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual Task<Result<Response>> send(Request request) = 0;
  // HTTP pipelining: writes all requests together on one connection; the server handles them in order. Much
  // cheaper per request than send(). One result per request, in order; when the connection fails, the rest
  // get its error. For small requests with small replies, since neither side reads while it writes. The first
  // request's timeout applies to the batch. The default implementation calls send() for each.
  virtual Task<std::vector<Result<Response>>> send_all(std::vector<Request> requests);
  virtual Task<Result<std::unique_ptr<Stream>>> open(Request request) = 0;
  virtual void close() = 0;  // cancels all requests; later ones fail with Kind::cancelled
};

// True if the target can be part of a request line. No transport sends another one.
bool is_request_target(std::string_view target);

struct TransportLimits {
  std::size_t connections = 32;               // streams not included
  std::size_t body_bytes = 256u << 20;        // of a reply; for a stream: of its buffer
  std::size_t bodies_bytes = 256u << 20;      // of all replies together, beyond the first 4 MiB of each
  std::chrono::milliseconds connect{10'000};  // to resolve, connect and shake hands
  // Idle connections are closed after this. The server keeps them for 90 s, but one may have died silently,
  // and a binding sent on it is in doubt for a minute. A new connection costs milliseconds.
  std::chrono::milliseconds idle{15'000};
  std::chrono::milliseconds reload{1'000};  // how often credential files are checked
};

// Whether writes may be sent now. Called from any thread. Empty: always.
using MayWrite = std::function<bool()>;

// The error of a request that was not sent, or not completely, because MayWrite returned false.
std::unexpected<Error> not_leader();

// With an invalid server URL in the config, every request fails with Kind::invalid.
std::shared_ptr<Transport> make_transport(boost::asio::any_io_executor executor, ClientConfig config,
                                          TransportLimits limits = {}, MayWrite may_write = {});

}  // namespace podium::client
