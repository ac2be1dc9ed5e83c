// Access: authenticates and authorizes a request, like kube-scheduler.
//
// A client certificate of the cluster's CA or a bearer token names the user; invalid credentials get 401; a
// request without credentials is system:anonymous. Open paths and members of system:masters are allowed. A
// request may need a path, or a resource of a namespace; open paths do not apply to resources.
// For all others it asks the API server for a SubjectAccessReview; a denied request gets 403.
// Owner: Delegation. Threads: one at a time, on the executor. Errors: replies with kube-scheduler's codes
// and bodies. Source: k8s.io/apiserver, delegating authentication and authorization.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "log/limit.h"
#include "server/client_ca_source.h"
#include "server/messages.h"
#include "server/review.h"
#include "server/user.h"

namespace podium::server {

// Paths that need no authorization. A trailing '*' makes a path a prefix. A leading '/' is optional.
class OpenPaths {
 public:
  static Result<OpenPaths> parse(const std::vector<std::string>& paths);
  bool contains(std::string_view path) const;

 private:
  std::vector<std::string> exact_, prefixes_;
};

// A user, and the reply that refuses the request; nullopt: it is allowed.
struct AccessDecision {
  AccessDecision() {}  // not an aggregate: see Request
  User user;
  std::optional<Reply> refusal;
};

class Access {
 public:
  // Collaborators; all outlive the Access.
  struct Parts {
    Clock& clock;
    OpenPaths open;
    ClientCaSource* client_ca = nullptr;  // null: ignores client certificates
    TokenReviews* tokens = nullptr;       // null: ignores tokens
    AccessReviews* reviews = nullptr;     // null: allows system:masters only
  };
  explicit Access(Parts parts) : parts_(std::move(parts)) {}

  // Whether the request's user has this right.
  async::Task<AccessDecision> admit(Request request, Attributes what);
  // As above, for the request's own method and path: the reply that refuses it; nullopt: it is allowed.
  async::Task<std::optional<Reply>> refusal(Request request);

 private:
  async::Task<Result<User>> authenticate(const Request* request);
  // `what`: "authenticated" or "authorized".
  void log_failure(const char* what, const Request& request, const Error& error);

  Parts parts_;
  LogLimit log_;
};

}  // namespace podium::server
