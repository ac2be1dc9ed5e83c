// Access: who may ask for what, as kube-scheduler decides it.
//
// A client certificate of the cluster's CA or a bearer token names a user; credentials that are not good are
// refused with 401, and who has none is system:anonymous. Some paths are open, system:masters may do
// everything, and the API server reviews all else; what it does not allow is refused with 403.
// Threads: one at a time, on the executor. Errors: replies with kube-scheduler's codes and bodies.
// Source: k8s.io/apiserver's delegating authentication and authorization.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "server/client_ca_source.h"
#include "server/exchange.h"
#include "server/review.h"
#include "server/user.h"

namespace podium::server {

// Paths that need no authorization: each one path, or a prefix where it ends in '*'. A leading '/' is
// optional.
class OpenPaths {
 public:
  static Result<OpenPaths> parse(const std::vector<std::string>& paths);
  bool contains(std::string_view path) const;

 private:
  std::vector<std::string> exact_, prefixes_;
};

class Access {
 public:
  // What it asks; all outlive it.
  struct Parts {
    Clock& clock;
    OpenPaths open;
    ClientCaSource* client_ca = nullptr;  // null: client certificates say nothing
    TokenReviews* tokens = nullptr;       // null: tokens say nothing
    AccessReviews* reviews = nullptr;     // null: nobody but system:masters is let
  };
  explicit Access(Parts parts) : parts_(std::move(parts)) {}

  // nullopt: go on.
  async::Task<std::optional<Reply>> refusal(Request request);

 private:
  async::Task<Result<User>> authenticate(const Request* request);
  void log_failure(const Request& request, const Error& error);

  Parts parts_;
  std::optional<Steady> next_log_;
};

}  // namespace podium::server
