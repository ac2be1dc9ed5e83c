// Request and Reply: one HTTP request and its reply, as handlers see them.
//
// Threads: values. A Handler runs on the server's executor; long work belongs on another one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"

struct x509_st;

namespace podium::server {

// The client's certificate chain, its own certificate first. Not verified.
using Certificates = std::vector<std::shared_ptr<x509_st>>;

struct Request {
  Request() {}  // not an aggregate: GCC 12 destroys one that is made inside a co_await twice

  std::string method;         // "GET"
  std::string path, query;    // as sent, without the '?' between them
  std::string authorization;  // the header
  std::shared_ptr<const Certificates> certificates = std::make_shared<Certificates>();

  // Whether the query has the parameter; its values in order.
  bool asks_for(std::string_view parameter) const;
  std::vector<std::string> values(std::string_view parameter) const;
};

struct Reply {
  Reply() {}
  Reply(int status, std::string body, std::string content_type = "text/plain; charset=utf-8")
      : status(status), body(std::move(body)), content_type(std::move(content_type)) {}

  int status = 200;
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
};

using Handler = std::function<async::Task<Reply>(Request)>;

}  // namespace podium::server
