// HttpReply: incremental parser of one HTTP/1.1 response.
//
// Keeps only the headers that the client uses, and at most 64 KiB that are not parsed yet. Threads: belongs
// to one request. Errors: Kind::unavailable for bytes that are not HTTP or a reply cut short, Kind::too_large
// for a body over the limit, or without room in the budget of all replies.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/http/body_budget.h"

namespace podium::client {

class HttpReply {
 public:
  explicit HttpReply(std::size_t body_limit, std::shared_ptr<BodyBudget> budget = nullptr);
  ~HttpReply();
  HttpReply(HttpReply&&) noexcept;

  Result<void> feed(std::string_view bytes);
  Result<void> feed_end();  // the connection has ended; an error unless that delimits the body

  bool started() const;   // at least one byte has arrived
  bool has_head() const;  // status and headers are complete
  bool done() const;
  bool keep_alive() const;  // done, and the server keeps the connection open
  bool reusable() const;    // keep_alive(), and no bytes after this reply
  std::string take_rest();  // bytes after this reply: the beginning of the next one

  int status() const;
  int retry_after() const;
  const std::string& warning() const;
  std::string take_body();  // the part of the body that arrived since the last call

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
  std::size_t body_limit_;
  std::string pending_;  // bytes not parsed yet; once done: the bytes after the reply
  bool started_ = false;
  unsigned informational_ = 0;  // replies before this one
};

}  // namespace podium::client
