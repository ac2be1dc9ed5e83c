#include "scheduler/config/schema/redaction.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>

namespace podium::config {
namespace json = boost::json;
namespace {

constexpr std::string_view kRedacted = "REDACTED";
constexpr auto kSecrets = std::to_array<std::string_view>({"keyData", "token", "bearerToken", "password"});

// Replaces the user part of a URL: "https://user:password@host/path" → "https://REDACTED@host/path".
std::string without_user(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  const auto begin = scheme + 3;
  const auto end = std::min(url.find_first_of("/?#", begin), url.size());
  const auto at = url.substr(begin, end - begin).rfind('@');
  if (at == std::string_view::npos) return std::string(url);
  return std::string(url.substr(0, begin)) + std::string(kRedacted) + std::string(url.substr(begin + at));
}

}  // namespace

json::value redacted(const json::value& view) {
  if (const auto* array = view.if_array()) {
    json::array out;
    for (const auto& one : *array) out.push_back(redacted(one));
    return out;
  }
  if (const auto* text = view.if_string()) return json::value(without_user(*text));
  const auto* object = view.if_object();
  if (!object) return view;
  json::object out;
  for (const auto& [name, value] : *object) {
    const bool secret = std::ranges::find(kSecrets, std::string_view(name)) != kSecrets.end();
    const bool set = !value.is_null() && !(value.is_string() && value.get_string().empty());
    out[name] = secret && set ? json::value(kRedacted) : redacted(value);
  }
  return out;
}

}  // namespace podium::config
