#include "client/request_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace podium::client {
namespace {

constexpr std::array<std::string_view, 5> kMethods{"GET", "POST", "PUT", "PATCH", "DELETE"};

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    if (end > 0) out.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

std::string verb_of(std::string_view method, bool has_name, bool is_watch) {
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return has_name ? "delete" : "deletecollection";
  return is_watch ? "watch" : has_name ? "get" : "list";
}

bool asks_to_watch(std::string_view query) {
  for (const std::string_view wanted : {"watch=true", "watch=1"}) {
    const auto at = query.find(wanted);
    if (at == 0 || (at != std::string_view::npos && query[at - 1] == '&')) return true;
  }
  return false;
}

}  // namespace

RequestInfo request_info(std::string_view method, std::string_view target) {
  const auto mark = std::min(target.find('?'), target.size());
  const auto path = target.substr(0, mark), query = target.substr(mark);
  auto parts = segments_of(path);
  const std::size_t prefix = parts.empty() ? 0 : parts[0] == "api" ? 2 : parts[0] == "apis" ? 3 : 0;
  if (prefix == 0 || parts.size() <= prefix) {
    std::string verb(method);
    std::ranges::transform(verb, verb.begin(), [](unsigned char c) { return std::tolower(c); });
    return {std::move(verb), std::string(path)};
  }
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(prefix));
  const bool in_namespace =
      parts.size() > 2 && parts[0] == "namespaces" && parts[2] != "status" && parts[2] != "finalize";
  if (in_namespace) parts.erase(parts.begin(), parts.begin() + 2);
  RequestInfo out;
  out.resource = std::string(parts[0]);
  if (parts.size() > 2) out.resource += fmt::format("/{}", parts[2]);
  out.verb = verb_of(method, parts.size() > 1, asks_to_watch(query.substr(query.empty() ? 0 : 1)));
  return out;
}

std::string request_fields(const Error& error) {
  const std::string_view text = error.message;
  const auto space = text.find(' ');
  if (space == std::string_view::npos || std::ranges::find(kMethods, text.substr(0, space)) == kMethods.end())
    return "";
  const auto target = text.substr(space + 1, std::min(text.find(": "), text.size()) - space - 1);
  if (!target.starts_with('/')) return "";
  const auto info = request_info(text.substr(0, space), target);
  return fmt::format("verb={} resource={} ", info.verb, info.resource);
}

bool lacks_right(const Error& error) {
  if (error.kind != Error::Kind::status) return false;
  if (error.code == 401) return true;
  return error.code == 403 && error.message.find("\" cannot ") != std::string::npos;
}

}  // namespace podium::client
