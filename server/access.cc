#include "server/access.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cctype>

namespace podium::server {

namespace json = boost::json;
using async::Task;

namespace {

constexpr auto kAuthenticated = "system:authenticated", kMasters = "system:masters";
constexpr std::chrono::minutes kLogEvery{1};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The token of "Bearer TOKEN"; empty where there is none.
std::string bearer_token(std::string_view header) {
  while (header.starts_with(' ')) header.remove_prefix(1);
  const auto space = header.find(' ');
  if (space == std::string_view::npos || lower(std::string(header.substr(0, space))) != "bearer") return {};
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

Reply status(int code, std::string reason, std::string message) {
  json::object body{{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", json::object()},
                    {"status", "Failure"}, {"message", message}, {"reason", reason}};
  if (code == 403) body["details"] = json::object();
  body["code"] = code;
  return Reply(code, json::serialize(body) + "\n", "application/json");
}

Reply unauthorized() { return status(401, "Unauthorized", "Unauthorized"); }

Reply forbidden(const User& user, const std::string& verb, const std::string& path,
                const std::string& reason) {
  auto message = "forbidden: " +
                 sanitized(fmt::format("User {} cannot {} path {}", quoted(user.name), verb, quoted(path)));
  if (!reason.empty()) message += ": " + reason;
  return status(403, "Forbidden", std::move(message));
}

Reply failed(const Request& request, const Error& error) {
  const auto target = request.query.empty() ? request.path : request.path + "?" + request.query;
  return Reply(500,
               sanitized(fmt::format("Internal Server Error: {}: {}", quoted(target), error.message)) + "\n");
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
    auto user = co_await parts_.tokens->user(std::move(token));
    if (user) co_return user;
    refused = std::move(user.error());
  }
  if (refused) co_return std::unexpected(std::move(*refused));
  co_return Result<User>(anonymous());
}

// At most once a minute, because anyone can send requests.
void Access::log_failure(const Request& request, const Error& error) {
  const auto now = parts_.clock.now();
  if (next_log_ && now < *next_log_) return;
  next_log_ = now + kLogEvery;
  spdlog::warn("request not authorized, the review failed path={} error=\"{}\"", request.path, error.message);
}

Task<std::optional<Reply>> Access::refusal(Request request) {
  auto user = co_await authenticate(&request);
  if (!user) {
    spdlog::debug("request not authenticated path={} error=\"{}\"", request.path, user.error().message);
    co_return std::optional<Reply>(unauthorized());
  }
  auto& groups = user->groups;
  const bool known = std::ranges::find(groups, "system:unauthenticated") == groups.end();
  if (known && std::ranges::find(groups, kAuthenticated) == groups.end()) groups.emplace_back(kAuthenticated);
  if (std::ranges::find(groups, kMasters) != groups.end() || parts_.open.contains(request.path))
    co_return std::nullopt;
  const auto verb = lower(request.method);
  if (!parts_.reviews) co_return std::optional<Reply>(forbidden(*user, verb, request.path, ""));
  const auto verdict = co_await parts_.reviews->may(*user, verb, request.path);
  if (!verdict) {
    log_failure(request, verdict.error());
    co_return std::optional<Reply>(failed(request, verdict.error()));
  }
  if (verdict->allowed) co_return std::nullopt;
  co_return std::optional<Reply>(forbidden(*user, verb, request.path, verdict->reason));
}

}  // namespace podium::server
