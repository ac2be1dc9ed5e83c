#include "api/validate/selector_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <string>
#include <utility>
#include <vector>

#include "api/text/json_view.h"
#include "api/validate/validate.h"
#include "api/values/decimal.h"
#include "base/ascii.h"

namespace podium::api {
namespace {

using Op = Requirement::Op;

// Splits at the commas that are not in parentheses.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') inside = true;
    if (i < text.size() && text[i] == ')') inside = false;
    if (i < text.size() && (text[i] != ',' || inside)) continue;
    out.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return out;
}

std::unexpected<Error> wrong(std::string_view part, std::string_view why) {
  return invalid(fmt::format("\"{}\" {}", part, why));
}

Result<Requirement> checked(Requirement out, std::string_view part) {
  if (!is_qualified_name(out.key)) return wrong(part, "has no label key; try app=web");
  for (const auto& value : out.values) {
    if (!is_label_value(value)) return wrong(part, "has a value that no label may have");
    if ((out.op == Op::gt || out.op == Op::lt) && !parse_integer(value))
      return wrong(part, "needs a whole number after > and <");
  }
  return out;
}

// "env in (prod, stage)", without its key.
Result<Requirement> parse_set(std::string_view part, std::string_view key, std::string_view rest) {
  Requirement out{.key = std::string(key)};
  out.op = rest.starts_with("notin") ? Op::not_in : Op::in;
  rest = trimmed(rest.substr(out.op == Op::in ? 2 : 5));
  if (!rest.starts_with('(') || !rest.ends_with(')')) return wrong(part, "needs values in parentheses");
  for (const auto value : split(rest.substr(1, rest.size() - 2))) out.values.emplace_back(value);
  return checked(std::move(out), part);
}

Result<Requirement> parse_part(std::string_view part) {
  if (part.empty()) return invalid("a selector between two commas is empty");
  if (part.starts_with('!'))
    return checked({.key = std::string(trimmed(part.substr(1))), .op = Op::does_not_exist}, part);
  const auto end = std::min(part.find_first_of(" =!<>("), part.size());
  const auto key = part.substr(0, end);
  const auto rest = trimmed(part.substr(end));
  if (rest.empty()) return checked({.key = std::string(key), .op = Op::exists}, part);
  if (rest.starts_with("in") || rest.starts_with("notin")) return parse_set(part, key, rest);
  constexpr std::pair<std::string_view, Op> kOperators[] = {
      {"==", Op::in}, {"!=", Op::not_in}, {"=", Op::in}, {">", Op::gt}, {"<", Op::lt}};
  for (const auto& [text, op] : kOperators) {
    if (rest.starts_with(text))
      return checked(
          {.key = std::string(key), .op = op, .values = {std::string(trimmed(rest.substr(text.size())))}},
          part);
  }
  return wrong(part, "is not a selector; try app=web, app!=web, app, !app or \"app in (a, b)\"");
}

}  // namespace

Labels labels_of(const boost::json::value& object) {
  const auto* labels = find_at(object, "/metadata/labels");
  if (!labels || !labels->is_object()) return {};
  std::vector<Labels::Entry> out;
  for (const auto& [key, value] : labels->get_object()) {
    if (value.is_string())
      out.emplace_back(std::string(std::string_view(key)), std::string(std::string_view(value.get_string())));
  }
  return Labels(std::move(out));
}

boost::json::object selector_json(const LabelSelector& selector) {
  namespace json = boost::json;
  json::array expressions;
  for (const auto& [key, value] : selector.match_labels)
    expressions.push_back(json::object{{"key", key}, {"operator", "In"}, {"values", json::array{value}}});
  for (const auto& each : selector.match_expressions) {
    json::object one{{"key", each.key}, {"operator", each.op_text()}};
    if (!each.values.empty()) one["values"] = json::array(each.values.begin(), each.values.end());
    expressions.push_back(std::move(one));
  }
  return {{"matchExpressions", std::move(expressions)}};
}

Result<LabelSelector> parse_selector(std::string_view text) {
  LabelSelector out;
  if (trimmed(text).empty()) return out;
  for (const auto part : split(text)) {
    auto requirement = parse_part(part);
    if (!requirement) return std::unexpected(requirement.error());
    out.match_expressions.push_back(std::move(*requirement));
  }
  return out;
}

}  // namespace podium::api
