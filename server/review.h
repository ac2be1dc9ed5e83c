// TokenReviews and AccessReviews: ask the API server for the user of a token, and for the rights of a user.
//
// Answers are cached for a short time, by a hash, so that scrapes do not cost a review each. Refusals have a
// cache of their own: random tokens and paths push out no known one. Reviews in progress are shared by peer;
// what is cached does not wait behind them.
// Owner: Delegation. Threads: one at a time, on the coroutines' executor. The Api outlives both and writes
// even if this process does not lead.
// Errors: Kind::invalid for an unknown token; Kind::unavailable with code 503 if the peer has too many
// reviews in progress (too_many_reviews()); other kinds if the API server did not answer.
// Source: k8s.io/apiserver, webhook authenticator and authorizer.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/shares.h"
#include "client/api.h"
#include "server/expiring_cache.h"
#include "server/user.h"

namespace podium::server {

bool too_many_reviews(const Error& error);

// The reviews in progress, of tokens and of access, by the peer that asks: a modest peer waits for a few
// others at most. Less than the requests of a peer and of all (https_server.cc), so that known tokens find a
// slot; as many as a browser sends in parallel.
inline constexpr Shares::Bounds kReviewShares{.in_all = 12, .of_one = 8, .reserve = 4};

class TokenReviews {
 public:
  TokenReviews(client::Api& api, Shares& shares, std::chrono::milliseconds ttl)
      : api_(api), shares_(shares), ttl_(ttl) {}

  async::Task<Result<User>> user(std::string token, std::string peer);

 private:
  client::Api& api_;
  Shares& shares_;
  const std::chrono::milliseconds ttl_;
  ExpiringCache<User> known_{4096};
  ExpiringCache<Error> refused_{4096};
};

// The requested action: a verb on a path, or on a resource in a namespace or in all.
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
  AccessReviews(client::Api& api, Shares& shares, std::chrono::milliseconds allowed_ttl,
                std::chrono::milliseconds denied_ttl)
      : api_(api), shares_(shares), allowed_ttl_(allowed_ttl), denied_ttl_(denied_ttl) {}

  // Whether the user has this right.
  async::Task<Result<Verdict>> may(User user, Attributes what, std::string peer);

 private:
  client::Api& api_;
  Shares& shares_;
  const std::chrono::milliseconds allowed_ttl_, denied_ttl_;
  ExpiringCache<Verdict> allowed_{8192}, denied_{4096};
};

}  // namespace podium::server
