#include "client/request_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/ascii.h"

namespace podium::client {
namespace {

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

std::string decoded(std::string_view segment) {
  std::string out;
  for (; !segment.empty(); segment.remove_prefix(1)) {
    unsigned char byte = 0;
    const char* end = segment.data() + std::min<std::size_t>(segment.size(), 3);
    const bool is_escape = segment[0] == '%' && segment.size() > 2 &&
                           std::from_chars(segment.data() + 1, end, byte, 16).ptr == end;
    out += is_escape ? static_cast<char>(byte) : segment[0];
    if (is_escape) segment.remove_prefix(2);
  }
  return out;
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
  auto line = fmt::format("{} {}", method, path);
  auto parts = segments_of(path);
  const std::size_t prefix = parts.empty() ? 0 : parts[0] == "api" ? 2 : parts[0] == "apis" ? 3 : 0;
  if (prefix == 0 || parts.size() <= prefix) {
    return {.verb = to_lower(std::string(method)), .resource = std::string(path), .line = std::move(line)};
  }
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(prefix));
  const bool in_namespace =
      parts.size() > 2 && parts[0] == "namespaces" && parts[2] != "status" && parts[2] != "finalize";
  RequestInfo out;
  out.line = std::move(line);
  if (in_namespace) {
    out.namespace_ = decoded(parts[1]);
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  if (parts.size() > 1) out.name = decoded(parts[1]);
  out.resource = std::string(parts[0]);
  if (parts.size() > 2) out.resource += fmt::format("/{}", parts[2]);
  out.verb = verb_of(method, parts.size() > 1, asks_to_watch(query.substr(query.empty() ? 0 : 1)));
  return out;
}

}  // namespace podium::client
