// Request and Reply: one HTTP request and its reply, as handlers see them.
//
// Threads: values. A Handler runs on the server's executor; long work belongs on another one.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "async/task.h"
#include "base/result.h"

struct x509_st;

namespace podium::server {

// The client's certificate chain, its own certificate first. Not verified.
using Certificates = std::vector<std::shared_ptr<x509_st>>;

// Reads a request's body of at most `limit` bytes. A larger one is Kind::invalid with code 413 and is not
// read; one that does not arrive in time ends the connection (Kind::unavailable). If too many are in
// progress, it is not read: Kind::unavailable with code 503.
using ReadBody = std::function<async::Task<Result<std::string>>(std::size_t limit)>;

// Waits until this time has passed: true; or until the client has left or sends more, or its connection is
// closed: false. From the first call on the request has no slot, and its connection may be closed for others.
using Rest = std::function<async::Task<bool>(std::chrono::milliseconds)>;

struct Request {
  Request() {}  // not an aggregate: GCC 12 destroys one that is made inside a co_await twice

  std::string method;         // "GET"
  std::string path, query;    // as sent, without the '?' between them
  std::string authorization;  // the header
  std::string accept;         // the header
  std::string content_type;   // the header
  std::string if_none_match;  // the header
  std::string peer;           // the client's address
  // Never empty. Called at most once, before the reply, so that no body is read before access is checked.
  ReadBody read_body = no_body;
  Rest rest = nap;  // never empty; for a handler that waits for something to happen
  std::shared_ptr<const Certificates> certificates = std::make_shared<Certificates>();

  // Whether the query has the parameter, and the parameter's values in order.
  bool asks_for(std::string_view parameter) const;
  std::vector<std::string> values(std::string_view parameter) const;

 private:
  static async::Task<Result<std::string>> no_body(std::size_t limit);
  static async::Task<bool> nap(std::chrono::milliseconds time);
};

struct Reply {
  Reply() {}
  Reply(int status, std::string body, std::string content_type = "text/plain; charset=utf-8")
      : status(status), body(std::move(body)), content_type(std::move(content_type)) {}

  int status = 200;
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
  std::vector<std::pair<std::string, std::string>> headers;  // further ones, such as Allow and Retry-After
};

using Handler = std::function<async::Task<Reply>(Request)>;

}  // namespace podium::server
