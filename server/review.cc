#include "server/review.h"

#include <openssl/sha.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "api/text/json_view.h"
#include "async/nap.h"

namespace podium::server {

namespace json = boost::json;
using async::Task;

namespace {

constexpr std::chrono::milliseconds kDeadline{10'000}, kPause{200};
constexpr int kTries = 3;
constexpr auto kTooMany = "TooManyReviews";

const client::Resource& token_reviews() {
  static const client::Resource resource("authentication.k8s.io", "v1", "tokenreviews", false);
  return resource;
}

const client::Resource& access_reviews() {
  static const client::Resource resource("authorization.k8s.io", "v1", "subjectaccessreviews", false);
  return resource;
}

std::string hash_of(const std::string& text) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  return {reinterpret_cast<const char*>(digest), sizeof digest};
}

bool passing(const Error& error) {
  const int code = error.status.code;
  return error.maybe_applied ||
         (client::is_answer(error) && (code == 429 || code == 500 || code == 503 || code == 504));
}

std::unexpected<Error> no_slot() {
  auto out = fail(Error::Kind::unavailable, "too many reviews are in progress");
  out.error().status.code = 503;
  out.error().status.reason = kTooMany;
  return out;
}

// A review changes nothing, so it is resent when its reply was lost.
Task<Result<json::value>> review(client::Api* api, client::Resource kind, json::object body) {
  const auto end = api->clock().now() + kDeadline;
  client::CallOptions options;
  options.retry = false;
  for (int i = 1;; ++i) {
    options.deadline = std::chrono::duration_cast<std::chrono::milliseconds>(end - api->clock().now());
    json::value copy = body;
    auto answer = co_await api->create(kind, "", std::move(copy), options);
    if (answer || i == kTries || !passing(answer.error()) || api->clock().now() + i * kPause >= end)
      co_return answer;
    co_await async::nap(i * kPause);
  }
}

const json::object* status_of(const json::value& review) {
  const auto* object = review.if_object();
  const auto* status = object ? object->if_contains("status") : nullptr;
  return status ? status->if_object() : nullptr;
}

bool truth(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_bool() && value->get_bool();
}

std::vector<std::string> texts(const json::value* list) {
  std::vector<std::string> out;
  if (!list || !list->is_array()) return out;
  for (const auto& one : list->get_array()) {
    if (one.is_string()) out.emplace_back(one.get_string());
  }
  return out;
}

User user_of(const json::object& status) {
  User out;
  const auto* value = status.if_contains("user");
  const auto* user = value ? value->if_object() : nullptr;
  if (!user) return out;
  out.name = api::text_of(user->if_contains("username"));
  out.uid = api::text_of(user->if_contains("uid"));
  out.groups = texts(user->if_contains("groups"));
  const auto* extra = user->if_contains("extra");
  if (!extra || !extra->is_object()) return out;
  for (const auto& [name, values] : extra->get_object()) out.extra[std::string(name)] = texts(&values);
  return out;
}

json::array array_of(const std::vector<std::string>& texts) {
  json::array out;
  for (const auto& one : texts) out.emplace_back(one);
  return out;
}

json::object access_review_of(const User& user, const Attributes& what) {
  json::object spec{{"user", user.name}};
  if (what.is_resource()) {
    spec["resourceAttributes"] = json::object{{"namespace", what.ns},
                                              {"verb", what.verb},
                                              {"group", what.group},
                                              {"version", what.version},
                                              {"resource", what.resource}};
  } else {
    spec["nonResourceAttributes"] = json::object{{"path", what.path}, {"verb", what.verb}};
  }
  if (!user.uid.empty()) spec["uid"] = user.uid;
  if (!user.groups.empty()) spec["groups"] = array_of(user.groups);
  json::object extra;
  for (const auto& [name, values] : user.extra) extra[name] = array_of(values);
  if (!extra.empty()) spec["extra"] = std::move(extra);
  return {
      {"apiVersion", "authorization.k8s.io/v1"}, {"kind", "SubjectAccessReview"}, {"spec", std::move(spec)}};
}

}  // namespace

bool too_many_reviews(const Error& error) { return error.status.reason == kTooMany; }

Task<Result<User>> TokenReviews::user(std::string token, std::string peer) {
  const auto key = hash_of(token);
  if (auto known = known_.find(key, api_.clock().now())) co_return std::move(*known);
  if (auto why = refused_.find(key, api_.clock().now())) co_return std::unexpected(std::move(*why));
  const auto slot = shares_.take(peer);
  if (!slot) co_return no_slot();
  json::object body{{"apiVersion", "authentication.k8s.io/v1"},
                    {"kind", "TokenReview"},
                    {"spec", json::object{{"token", token}}}};
  auto answer = co_await review(&api_, token_reviews(), std::move(body));
  if (!answer) co_return std::unexpected(std::move(answer.error()));
  const auto* status = status_of(*answer);
  if (!status) co_return fail(Error::Kind::internal, "TokenReview: the reply has no status");
  const auto why = std::string(api::text_of(status->if_contains("error")));
  Result<User> user = user_of(*status);
  if (!truth(*status, "authenticated") || user->name.empty())
    user = invalid(why.empty() ? "invalid bearer token" : why);
  // As upstream: a failure with a reason may be a transient one of the reviewer, so it is not cached.
  const auto until = api_.clock().now() + ttl_;
  if (user) {
    known_.put(key, *user, until);
  } else if (why.empty()) {
    refused_.put(key, user.error(), until);
  }
  co_return user;
}

Task<Result<Verdict>> AccessReviews::may(User user, Attributes what, std::string peer) {
  auto body = access_review_of(user, what);
  const auto key = hash_of(json::serialize(body));
  for (auto* cache : {&allowed_, &denied_}) {
    auto known = cache->find(key, api_.clock().now());
    if (!known) continue;
    Result<Verdict> out = std::move(*known);
    co_return out;
  }
  const auto slot = shares_.take(peer);
  if (!slot) co_return no_slot();
  auto answer = co_await review(&api_, access_reviews(), std::move(body));
  if (!answer) co_return std::unexpected(std::move(answer.error()));
  const auto* status = status_of(*answer);
  if (!status) co_return fail(Error::Kind::internal, "SubjectAccessReview: the reply has no status");
  Verdict verdict;
  verdict.allowed = truth(*status, "allowed") && !truth(*status, "denied");
  verdict.reason = api::text_of(status->if_contains("reason"));
  auto& cache = verdict.allowed ? allowed_ : denied_;
  cache.put(key, verdict, api_.clock().now() + (verdict.allowed ? allowed_ttl_ : denied_ttl_));
  Result<Verdict> out = std::move(verdict);
  co_return out;
}

}  // namespace podium::server
