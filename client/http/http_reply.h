// HttpReply: an HTTP/1.1 response, parsed as its bytes arrive.
//
// Only the headers that the client acts on are kept. Threads: belongs to one request. Errors:
// Kind::unavailable for what is not HTTP or was cut short, Kind::internal for a body over the limit.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace podium::client {

class HttpReply {
 public:
  explicit HttpReply(std::size_t body_limit);
  ~HttpReply();
  HttpReply(HttpReply&&) noexcept;

  Result<void> feed(std::string_view bytes);
  Result<void> feed_end();  // the connection has ended: fine only where that ends the body

  bool started() const;   // any byte has arrived
  bool has_head() const;  // the status and headers are there
  bool done() const;
  bool keep_alive() const;  // done, and the server keeps the connection open
  bool reusable() const;    // and nothing has arrived that does not belong to this reply
  std::string take_rest();  // what has arrived after this reply: the beginning of the next one

  int status() const;
  int retry_after() const;
  const std::string& warning() const;
  std::string take_body();  // what has arrived since the last call

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
  std::size_t body_limit_;
  std::string pending_;  // bytes that the parser can't use before more arrive; once it is done, what is left
  bool started_ = false;
};

}  // namespace podium::client
