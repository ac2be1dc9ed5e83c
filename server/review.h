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

struct Verdict {
  bool allowed = false;
  std::string reason;
};

class AccessReviews {
 public:
  AccessReviews(client::Api& api, std::chrono::milliseconds allowed_ttl, std::chrono::milliseconds denied_ttl)
      : api_(api), allowed_ttl_(allowed_ttl), denied_ttl_(denied_ttl) {}

  // Whether the user may do this to a non-resource path.
  async::Task<Result<Verdict>> may(User user, std::string verb, std::string path);

 private:
  client::Api& api_;
  const std::chrono::milliseconds allowed_ttl_, denied_ttl_;
  ExpiringCache<Verdict> known_{8192};
};

}  // namespace podium::server
