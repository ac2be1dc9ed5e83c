// Transport: HTTP requests to one API server; the seam that tests replace.
//
// The real one (make_transport) keeps a bounded pool of connections, renews them when they fail or their
// credentials rotate, and puts a deadline on every step. It sends a request a second time in two cases only:
// an idle connection turned out to be dead before any byte of a reply, and the request is a GET or could not
// be sent whole; or the reply is 401 and the token source has a new token. All other retries are Api's.
//
// A transport may have a right to write (MayWrite), which it asks right before the bytes of any request that
// is no GET go out, whatever they have waited for before. Without it the request is not sent.
// Threads: send() and open() may be called from any executor, several at once; the coroutine does its I/O and
// resumes on its caller's. A Stream is used by one coroutine at a time. close() may be called from any
// thread; it must be called before the executor's context can run out of work, and the context must outlive
// the transport.
// Errors: Kind::unavailable (refused, cut; reason "Untrusted" where the server's certificate is not trusted),
// Kind::timeout, Kind::cancelled (reason "NotLeader" where the right to write is lost), Kind::invalid (the
// credentials), Kind::internal (a body over the limit);
// maybe_applied where a request that changes something was sent and its reply never came. An HTTP status is
// not an error here.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/task.h"
#include "base/result.h"
#include "client/auth/config.h"

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
  std::optional<int> retries;  // the status of the try before this one, 0 where no reply came; for metrics
};

struct Response {
  int status = 0;
  std::string body;
  int retry_after = 0;  // seconds; 0 where the header is absent
  std::string warning;  // the Warning headers' texts
};

// A response that goes on: a watch. read() returns the next piece of the body as it arrives; an empty string
// is the end.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual int status() const = 0;
  virtual Task<Result<std::string>> read(std::chrono::milliseconds silence) = 0;
  virtual void close() = 0;  // from any thread; a pending read returns Kind::cancelled
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual Task<Result<Response>> send(Request request) = 0;
  // Several requests that change something, written at once on one connection, which the server does in their
  // order (HTTP pipelining): a request costs a fraction of one that is sent alone. One answer for each, in
  // order. Where the connection fails, the rest get its error. For small requests with small replies: neither
  // side reads while it writes. The first one's timeout holds for all.
  virtual Task<std::vector<Result<Response>>> send_all(std::vector<Request> requests);  // here: one after the
                                                                                        // other
  virtual Task<Result<std::unique_ptr<Stream>>> open(Request request) = 0;
  virtual void close() = 0;  // cancels what is under way; everything after fails with Kind::cancelled
};

struct TransportLimits {
  std::size_t connections = 32;               // besides streams
  std::size_t body_bytes = 256u << 20;        // of a reply; of a stream: what it may hold at once
  std::chrono::milliseconds connect{10'000};  // to resolve, connect and shake hands
  // Then an idle connection is not used again. The server would keep it for 90 s, but a connection can lead
  // nowhere and not say so; a binding that is sent on such a one is in doubt for a minute, and a new one
  // costs milliseconds.
  std::chrono::milliseconds idle{15'000};
  std::chrono::milliseconds reload{1'000};  // how often credential files are looked at
};

// Whether requests that change something may be sent now; from any thread. Empty: always.
using MayWrite = std::function<bool()>;

// The error of a request that was not sent, or not whole, since the right to write is lost.
std::unexpected<Error> not_leader();
bool is_not_leader(const Error& error);

// A config without a usable server URL makes a transport whose every request fails with Kind::invalid.
std::shared_ptr<Transport> make_transport(boost::asio::any_io_executor executor, ClientConfig config,
                                          TransportLimits limits = {}, MayWrite may_write = {});

}  // namespace podium::client
