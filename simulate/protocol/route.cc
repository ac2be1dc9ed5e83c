#include "simulate/protocol/route.h"

#include <algorithm>
#include <utility>

#include "api/text/json_view.h"
#include "base/ascii.h"

namespace podium::simulate {

namespace json = boost::json;

namespace {

// The segments of a path, one by one; empty ones after its end.
class Segments {
 public:
  explicit Segments(std::string_view path) : left_(path) {}
  std::string_view next() {
    const auto end = left_.find('/');
    const auto segment = left_.substr(0, end);
    ended_ = end == left_.npos;
    left_ = ended_ ? std::string_view() : left_.substr(end + 1);
    return segment;
  }
  std::string_view left() const { return left_; }
  bool ended() const { return ended_; }

 private:
  std::string_view left_;
  bool ended_ = false;
};

std::string decoded(std::string_view text) {
  if (text.find('%') == text.npos) return std::string(text);
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '%' && at + 2 < text.size()) {
      out += static_cast<char>(std::stoi(std::string(text.substr(at + 1, 2)), nullptr, 16));
      at += 2;
    } else {
      out += text[at];
    }
  }
  return out;
}

// The value that a selector compares with: a bool is "true" or "false", an absent field is empty.
std::string selected_text(const json::value& object, std::string_view pointer) {
  const auto* found = api::value_at(object, pointer);
  if (!found) return {};
  if (found->is_bool()) return found->get_bool() ? "true" : "false";
  return found->is_string() ? std::string(found->get_string()) : std::string();
}

std::string pointer_of_label(std::string_view label) {
  std::string out = "/metadata/labels/";
  for (const char c : label) out += c == '/' ? "~1" : std::string(1, c);
  return out;
}

std::string pointer_of_field(std::string_view field) {
  std::string out = "/" + std::string(field);
  std::ranges::replace(out, '.', '/');
  return out;
}

}  // namespace

std::optional<Route> parse_route(std::string_view target) {
  Route route;
  const auto question = target.find('?');
  if (question != std::string_view::npos) {
    for (const auto pair : split(target.substr(question + 1), "&")) {
      if (pair.empty()) continue;  // "?" without a query
      const auto equals = pair.find('=');
      if (equals == std::string_view::npos) return std::nullopt;
      route.query[std::string(pair.substr(0, equals))] = decoded(pair.substr(equals + 1));
    }
  }
  Segments path(target.substr(0, question));
  path.next();  // before the first slash
  const auto root = path.next();
  if (root == "apis") {
    route.group = decoded(path.next());
  } else if (root != "api") {
    return std::nullopt;
  }
  path.next();  // the version
  if (path.left().starts_with("namespaces/") && std::ranges::count(path.left(), '/') > 1) {
    path.next();
    route.ns = decoded(path.next());
  }
  route.plural = decoded(path.next());
  route.name = decoded(path.next());
  route.subresource = decoded(path.next());
  if (route.plural.empty() || !path.ended()) return std::nullopt;
  return route;
}

std::optional<RouteSelector> RouteSelector::of(const Route& route) {
  RouteSelector out;
  for (const bool labels : {false, true}) {
    const auto text = route.parameter(labels ? "labelSelector" : "fieldSelector");
    if (text.empty()) continue;
    for (const auto term : split(text, ",")) {
      const auto equals = term.find('=');
      if (equals == std::string_view::npos || equals == 0) return std::nullopt;
      const bool equal = term[equals - 1] != '!';
      const auto name = term.substr(0, equal ? equals : equals - 1);
      const auto value = term.substr(equals + (term.substr(equals).starts_with("==") ? 2 : 1));
      out.terms_.push_back(
          {labels ? pointer_of_label(name) : pointer_of_field(name), std::string(value), equal});
    }
  }
  return out;
}

Key key_of(std::string_view plural, const json::value& object) {
  return {std::string(plural), api::text_at(object, "/metadata/namespace"),
          api::text_at(object, "/metadata/name")};
}

bool RouteSelector::matches(const json::value& object) const {
  return std::ranges::all_of(terms_, [&](const Term& term) {
    // A bool that is absent is false.
    auto there = selected_text(object, term.pointer);
    if (there.empty() && (term.value == "true" || term.value == "false")) there = "false";
    return (there == term.value) == term.equal;
  });
}

}  // namespace podium::simulate
