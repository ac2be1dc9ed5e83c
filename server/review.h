// TokenReviews and AccessReviews: who a token belongs to, and what a user may do, asked of the API server.
//
// Answers are cached for a short time, by a hash, so that scrapes do not cost a review each.
// Owner: Delegation. Threads: one at a time, on the coroutines' executor. The Api outlives both and writes
// even if this process does not lead.
// Errors: Kind::invalid for an unknown token; other kinds where the API server did not answer.
// Source: k8s.io/apiserver, webhook authenticator and authorizer.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <string>
#include <utility>

#include "base/clock.h"
#include "client/api.h"
#include "server/expiring_cache.h"
#include "server/user.h"

namespace podium::server {

class TokenReviews {
 public:
  TokenReviews(client::Api& api, std::chrono::milliseconds ttl) : api_(api), ttl_(ttl) {}

  async::Task<Result<User>> user(std::string token);

 private:
  client::Api& api_;
  const std::chrono::milliseconds ttl_;
  ExpiringCache<Result<User>> known_{4096};
};

// What a user wants to do: a verb on a path, or on a resource in a namespace or in all.
struct Attributes {
  Attributes() {}  // not an aggregate: see Request
  static Attributes of_path(std::string verb, std::string path) {
    Attributes out;
    out.verb = std::move(verb);
    out.path = std::move(path);
    return out;
  }
  bool is_resource() const { return !resource.empty(); }

  std::string verb;
  std::string path;                          // empty for a resource
  std::string ns, group, version, resource;  // empty for a path; ns: empty for all namespaces
};

struct Verdict {
  bool allowed = false;
  std::string reason;
};

class AccessReviews {
 public:
  AccessReviews(client::Api& api, std::chrono::milliseconds allowed_ttl, std::chrono::milliseconds denied_ttl)
      : api_(api), allowed_ttl_(allowed_ttl), denied_ttl_(denied_ttl) {}

  // Whether the user may do this.
  async::Task<Result<Verdict>> may(User user, Attributes what);

 private:
  client::Api& api_;
  const std::chrono::milliseconds allowed_ttl_, denied_ttl_;
  ExpiringCache<Verdict> known_{8192};
};

}  // namespace podium::server
