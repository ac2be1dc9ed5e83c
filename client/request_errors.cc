#include "client/request_errors.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace podium::client {
namespace {

// Reads the message. Only for what the API server has neither a code nor a reason or cause for. The functions
// that call this name the source of the text.
bool says(const Error& error, std::string_view text) { return error.message.contains(text); }

// A webhook chooses the code and the reason of its refusal. Source: apiserver webhook/errors ToStatusErr.
bool is_of_a_webhook(const Error& error) {
  return says(error, "admission webhook \"") || says(error, "failed calling webhook");
}

// An authorizer and an admission plugin answer with the same code, reason and details. Source: apiserver
// endpoints/handlers/responsewriters Forbidden and admission NewForbidden.
bool is_of_an_authorizer(const Error& error) {
  return says(error, "User \"") && says(error, "\" cannot ") && !is_of_a_webhook(error);
}

// An etcd error is an InternalError. Source: apiserver storage/etcd3 and etcd's rpctypes.
bool is_of_etcd(const Error& error) { return error.status.code == 500 && says(error, "etcdserver"); }

bool has_cause(const Error& error, std::string_view reason) {
  return std::ranges::any_of(error.status.causes, [&](const auto& cause) { return cause.reason == reason; });
}

// The answer is about the request's object or its namespace. One without details also counts.
bool is_of_request(const Error& error) {
  const auto& [kind, name] = std::tie(error.status.kind, error.status.name);
  const auto& request = error.request;
  if (kind.empty() || name.empty() || request.line.empty()) return true;
  if (kind == "namespaces" && name == request.namespace_) return true;
  return name == request.name && kind == request.resource.substr(0, request.resource.find('/'));
}

}  // namespace

bool is_answer(const Error& error) { return error.kind == Error::Kind::status; }

bool is_unreachable(const Error& error) {
  return error.kind == Error::Kind::unavailable || error.kind == Error::Kind::untrusted;
}

bool is_not_leader(const Error& error) { return error.kind == Error::Kind::not_leader; }

bool is_cancelled(const Error& error) {
  return error.kind == Error::Kind::cancelled || error.kind == Error::Kind::not_leader;
}

bool may_pass(const Error& error) {
  return is_unreachable(error) || is_not_leader(error) || error.kind == Error::Kind::timeout ||
         error.status.code == 429 || error.status.code == 503;
}

bool is_not_found(const Error& error) { return error.status.code == 404; }
bool is_conflict(const Error& error) { return error.status.code == 409; }
bool is_forbidden(const Error& error) { return error.status.code == 403; }
bool is_invalid(const Error& error) { return error.status.code == 400 || error.status.code == 422; }

bool is_too_large(const Error& error) {
  return error.kind == Error::Kind::too_large || error.status.code == 413;
}

bool is_expired(const Error& error) {
  const auto& [code, reason] = std::tie(error.status.code, error.status.reason);
  return code == 410 || reason == "Expired" || reason == "Gone";
}

bool object_is_gone(const Error& error) {
  return is_answer(error) && is_not_found(error) && error.status.reason == "NotFound" && is_of_request(error);
}

bool namespace_is_going(const Error& error) {
  return (is_forbidden(error) && has_cause(error, "NamespaceTerminating")) ||
         (is_not_found(error) && error.status.kind == "namespaces");
}

bool lacks_right(const Error& error) {
  if (!is_answer(error)) return false;
  return error.status.code == 401 || (is_forbidden(error) && is_of_an_authorizer(error));
}

// Source: apiserver admission/plugin/resourcequota controller.go checkRequest.
bool exceeds_quota(const Error& error) { return is_forbidden(error) && says(error, " exceeded quota: "); }

bool is_ahead_of_server(const Error& error) { return has_cause(error, "ResourceVersionTooLarge"); }

bool leaves_doubt(const Error& error) {
  const auto& status = error.status;
  const bool gave_up =
      status.code == 502 || status.code == 504 || (status.code == 503 && status.retry_after == 0);
  return error.maybe_applied || gave_up || is_of_etcd(error);
}

Concern concern_of(const Error& error) {
  // With a webhook that hangs, the writes of its namespace run into their deadline.
  if (error.kind == Error::Kind::timeout) return Concern::of_namespace;
  // The lease may be renewed late: then all writes are sent that were held back in between.
  if (is_unreachable(error) || is_not_leader(error)) return Concern::all;
  if (!is_answer(error)) return Concern::object;
  if (namespace_is_going(error) || is_of_a_webhook(error)) return Concern::of_namespace;
  switch (error.status.code) {
    case 401:
    case 429:
    case 503:
      return Concern::all;
    case 403:
      return Concern::of_namespace;
    case 404:
      // If the resource is not served, the reply does not name an object.
      return object_is_gone(error) || !error.status.name.empty() ? Concern::object : Concern::all;
    default:
      return Concern::object;
  }
}

async::Outcome classify(const Error& error, async::Outcome object) {
  switch (concern_of(error)) {
    case Concern::all:
      return async::Outcome::retry_all;
    case Concern::of_namespace:
      return async::Outcome::retry_namespace;
    case Concern::object:
      break;
  }
  return object;
}

}  // namespace podium::client
