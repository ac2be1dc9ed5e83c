#include "server/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/ascii.h"
#include "log/log.h"
#include "server/status.h"

namespace podium::server {

namespace json = boost::json;
using async::Task;

namespace {

constexpr auto kAuthenticated = "system:authenticated", kMasters = "system:masters";

// The token of "Bearer TOKEN"; empty if there is none.
std::string bearer_token(std::string_view header) {
  while (header.starts_with(' ')) header.remove_prefix(1);
  const auto space = header.find(' ');
  if (space == std::string_view::npos || !equal_fold(header.substr(0, space), "bearer")) return {};
  const auto rest = header.substr(space + 1);
  return std::string(rest.substr(0, rest.find(' ')));
}

// Escapes the text so that no browser interprets it as HTML.
std::string sanitized(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

std::string quoted(const std::string& text) { return json::serialize(json::string(text)); }

Reply unauthorized() { return status_reply(401, "Unauthorized"); }

Reply busy(const Error& error) {
  auto out = status_reply(503, error.text());
  out.headers.emplace_back("Retry-After", "1");
  return out;
}

std::string what_is_forbidden(const User& user, const Attributes& what) {
  if (!what.is_resource()) {
    return "forbidden: " + sanitized(fmt::format("User {} cannot {} path {}", quoted(user.name), what.verb,
                                                 quoted(what.path)));
  }
  const auto where =
      what.ns.empty() ? std::string("at the cluster scope") : fmt::format("in the namespace \"{}\"", what.ns);
  const auto of_group = what.group.empty() ? std::string() : "." + what.group;
  return fmt::format("{}{} is forbidden: User {} cannot {} resource \"{}\" in API group \"{}\" {}",
                     what.resource, of_group, quoted(user.name), what.verb, what.resource, what.group, where);
}

Reply forbidden(const User& user, const Attributes& what, const std::string& reason) {
  auto message = what_is_forbidden(user, what);
  if (!reason.empty()) message += ": " + reason;
  json::object details;
  if (what.is_resource()) details = {{"group", what.group}, {"kind", what.resource}};
  return status_reply(403, "Forbidden", std::move(message), std::move(details));
}

Reply failed(const Request& request, const Attributes& what, const Error& error) {
  if (what.is_resource()) return status_reply(500, "access cannot be reviewed: " + error.text());
  const auto target = request.query.empty() ? request.path : request.path + "?" + request.query;
  return Reply(500,
               sanitized(fmt::format("Internal Server Error: {}: {}", quoted(target), error.text())) + "\n");
}

}  // namespace

Result<OpenPaths> OpenPaths::parse(const std::vector<std::string>& paths) {
  OpenPaths out;
  for (const auto& one : paths) {
    auto path = one.starts_with('/') ? one.substr(1) : one;
    const auto star = path.find('*');
    if (star != std::string::npos && star + 1 != path.size())
      return invalid(
          fmt::format("--authorization-always-allow-paths: only trailing * allowed in \"{}\"", one));
    if (star == std::string::npos) {
      out.exact_.push_back(std::move(path));
    } else {
      path.pop_back();
      out.prefixes_.push_back(std::move(path));
    }
  }
  return out;
}

bool OpenPaths::contains(std::string_view path) const {
  if (path.starts_with('/')) path.remove_prefix(1);
  return std::ranges::find(exact_, path) != exact_.end() ||
         std::ranges::any_of(prefixes_, [&](const auto& prefix) { return path.starts_with(prefix); });
}

Task<Result<User>> Access::authenticate(const Request* request) {
  std::optional<Error> refused;
  const auto ca = parts_.client_ca ? parts_.client_ca->current() : nullptr;
  if (ca && !request->certificates->empty()) {
    auto user = ca->user(*request->certificates);
    if (user && *user) co_return Result<User>(std::move(**user));
    if (!user) refused = std::move(user.error());
  }
  auto token = parts_.tokens ? bearer_token(request->authorization) : std::string();
  if (!token.empty()) {
    auto user = co_await parts_.tokens->user(std::move(token), request->peer);
    if (user) co_return user;
    refused = std::move(user.error());
  }
  if (refused) co_return std::unexpected(std::move(*refused));
  co_return Result<User>(anonymous());
}

// At most once a minute, because anyone can send requests.
void Access::log_failure(const char* what, const Request& request, const Error& error) {
  if (!log_.allows(what, parts_.clock.now())) return;
  log::warn("request not {}, the review failed verb={} resource={} path={:?} error={:?}", what,
            error.request.verb, error.request.resource, request.path, error.text());
}

Task<std::optional<Reply>> Access::refusal(Request request) {
  auto what = Attributes::of_path(to_lower(request.method), request.path);
  auto admission = co_await admit(std::move(request), std::move(what));
  co_return std::move(admission.refusal);
}

Task<AccessDecision> Access::admit(Request request, Attributes what) {
  AccessDecision out;
  auto user = co_await authenticate(&request);
  if (!user && too_many_reviews(user.error())) {
    out.refusal = busy(user.error());
    co_return out;
  }
  if (!user) {
    // Kind::invalid is the client's error; all other kinds are failures of the reviewer.
    if (user.error().kind != Error::Kind::invalid) {
      log_failure("authenticated", request, user.error());
    } else {
      log::debug("request not authenticated path={:?} error={:?}", request.path, user.error().text());
    }
    out.refusal = unauthorized();
    co_return out;
  }
  out.user = *user;
  auto& groups = user->groups;
  const bool known = std::ranges::find(groups, "system:unauthenticated") == groups.end();
  if (known && std::ranges::find(groups, kAuthenticated) == groups.end()) groups.emplace_back(kAuthenticated);
  const bool is_open = !what.is_resource() && parts_.open.contains(what.path);
  if (is_open || std::ranges::find(groups, kMasters) != groups.end()) co_return out;
  if (!parts_.reviews) {
    out.refusal = forbidden(*user, what, "");
    co_return out;
  }
  const auto verdict = co_await parts_.reviews->may(*user, what, request.peer);
  if (!verdict && too_many_reviews(verdict.error())) {
    out.refusal = busy(verdict.error());
  } else if (!verdict) {
    log_failure("authorized", request, verdict.error());
    out.refusal = failed(request, what, verdict.error());
  } else if (!verdict->allowed) {
    out.refusal = forbidden(*user, what, verdict->reason);
  }
  co_return out;
}

}  // namespace podium::server
