#include "scheduler/plugins/shared/node_selector_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

#include "api/values/decimal.h"

namespace podium::plugins {
namespace {

using api::Requirement;
using Op = api::Requirement::Op;

constexpr std::string_view kTooLong = "must be no more than 63 bytes";
constexpr std::string_view kNoLabelValue =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
    "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

bool has_form_of_label(std::string_view text) {
  const auto alphanumeric = [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const auto inner = [&](char c) { return alphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  if (text.empty()) return true;
  return alphanumeric(text.front()) && alphanumeric(text.back()) && std::ranges::all_of(text, inner);
}

// Checks one requirement. Formats paths only for errors.
class Checker {
 public:
  Checker(const Requirement& requirement, std::string_view path, std::string_view list, std::size_t index,
          std::vector<std::string>& errors)
      : requirement_(requirement), path_(path), list_(list), index_(index), errors_(errors) {}

  void check_label() {
    const auto& values = requirement_.values;
    switch (requirement_.op) {
      case Op::in:
      case Op::not_in:
        if (values.empty()) bad_values("for 'in', 'notin' operators, values set can't be empty");
        break;
      case Op::exists:
      case Op::does_not_exist:
        if (!values.empty()) bad_values("values set must be empty for exists and does not exist");
        break;
      case Op::gt:
      case Op::lt:
        if (values.size() != 1) bad_values("for 'Gt', 'Lt' operators, exactly one value is required");
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (!api::parse_integer(values[i]))
            bad_value(i, "", "for 'Gt', 'Lt' operators, the value must be an integer");
        }
        break;
      case Op::unknown:
        return unsupported("\"DoesNotExist\", \"Exists\", \"Gt\", \"In\", \"Lt\", \"NotIn\"");
    }
    for (std::size_t i = 0; i < values.size(); ++i) check_label_value(i);
  }

  void check_field() {
    if (requirement_.op != Op::in && requirement_.op != Op::not_in) return unsupported("\"In\", \"NotIn\"");
    if (requirement_.values.size() != 1) bad_values("must have one element");
  }

 private:
  void check_label_value(std::size_t i) {
    const auto& value = requirement_.values[i];
    std::vector<std::string_view> problems;
    if (value.size() > 63) problems.push_back(kTooLong);
    if (!has_form_of_label(value)) problems.push_back(kNoLabelValue);
    if (problems.empty()) return;
    bad_value(i, fmt::format("[{}]", requirement_.key), fmt::format("{}", fmt::join(problems, "; ")));
  }
  void bad_values(std::string_view detail) {
    const auto& values = requirement_.values;
    add("values", "Invalid value",
        values.empty() ? "null" : boost::json::serialize(boost::json::value_from(values)), detail);
  }
  void bad_value(std::size_t i, std::string_view key, std::string_view detail) {
    add(fmt::format("values[{}]{}", i, key), "Invalid value",
        boost::json::serialize(boost::json::string(requirement_.values[i])), detail);
  }
  void unsupported(std::string_view supported) {
    errors_.push_back(fmt::format("{}.{}[{}].operator: Unsupported value: supported values: {}", path_, list_,
                                  index_, supported));
  }
  void add(std::string_view field, std::string_view problem, std::string_view value,
           std::string_view detail) {
    errors_.push_back(
        fmt::format("{}.{}[{}].{}: {}: {}: {}", path_, list_, index_, field, problem, value, detail));
  }

  const Requirement& requirement_;
  const std::string_view path_, list_;
  const std::size_t index_;
  std::vector<std::string>& errors_;
};

}  // namespace

std::vector<std::string> parse_errors(const api::NodeSelectorTerm& term, std::string_view path) {
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    Checker(term.match_expressions[i], path, "matchExpressions", i, errors).check_label();
  }
  for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
    Checker(term.match_fields[i], path, "matchFields", i, errors).check_field();
  }
  return errors;
}

// As Go's aggregate error: each text once, in brackets if there are several.
std::string parse_error(std::span<const api::PreferredNodeTerm> terms) {
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].weight == 0) continue;
    for (auto& error : parse_errors(terms[i].preference, fmt::format("[{}]", i))) {
      if (std::ranges::find(errors, error) == errors.end()) errors.push_back(std::move(error));
    }
  }
  if (errors.size() < 2) return errors.empty() ? std::string() : std::move(errors.front());
  return fmt::format("[{}]", fmt::join(errors, ", "));
}

}  // namespace podium::plugins
