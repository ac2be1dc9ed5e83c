// Transport: HTTP requests to one API server; the seam that tests replace.
//
// The real one (make_transport) keeps a bounded pool of TLS connections, renews them when they fail or their credentials
// rotate, and puts a deadline on every step. It never retries: see Api.
// Threads: send() and open() may be called from any executor; the coroutine resumes on its caller's.
// Errors: Kind::unavailable (refused, cut), Kind::timeout, Kind::cancelled; an HTTP status is not an error here.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/config.h"

namespace podium::client {

template <typename T>
using Task = boost::asio::awaitable<T>;

struct Request {
  std::string method = "GET";
  std::string target;        // path and query
  std::string body;
  std::string content_type = "application/json";
  std::chrono::milliseconds timeout{30'000};
};

struct Response {
  int status = 0;
  std::string body;
  int retry_after = 0;       // seconds; 0 where the header is absent
  std::string warning;       // the Warning headers' texts
};

// A response that goes on: a watch. read() returns the next piece of the body as it arrives; an empty string is the end.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual int status() const = 0;
  virtual Task<Result<std::string>> read(std::chrono::milliseconds silence) = 0;
  virtual void close() = 0;  // from the stream's own executor; a pending read returns Kind::cancelled
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual Task<Result<Response>> send(Request request) = 0;
  virtual Task<Result<std::unique_ptr<Stream>>> open(Request request) = 0;
  virtual void close() = 0;  // cancels what is under way; everything after fails with Kind::cancelled
};

struct TransportLimits {
  std::size_t connections = 32;            // besides streams
  std::size_t body_bytes = 256u << 20;
  std::chrono::milliseconds connect{10'000};
};

std::shared_ptr<Transport> make_transport(boost::asio::any_io_executor executor, ClientConfig config,
                                          TransportLimits limits = {});

}  // namespace podium::client
