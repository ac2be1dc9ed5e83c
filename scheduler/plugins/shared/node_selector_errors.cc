#include "scheduler/plugins/shared/node_selector_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

#include "api/validate/name_forms.h"
#include "api/values/decimal.h"
#include "api/values/pod.h"

namespace podium::plugins {
namespace {

using api::Requirement;
using Op = api::Requirement::Op;

constexpr std::string_view kTooLong = "must be no more than 63 bytes";

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
        if (values.empty()) bad_values(api::kNoValuesError);
        break;
      case Op::exists:
      case Op::does_not_exist:
        if (!values.empty()) bad_values(api::kValuesOfExistsError);
        break;
      case Op::gt:
      case Op::lt:
        if (values.size() != 1) bad_values(api::kOneValueError);
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (!api::parse_integer(values[i])) bad_value(i, "", api::kIntegerError);
        }
        break;
      case Op::unknown:
        return unsupported("\"DoesNotExist\", \"Exists\", \"Gt\", \"In\", \"Lt\", \"NotIn\"");
    }
    for (std::size_t i = 0; i < values.size(); ++i) check_label_value(i);
  }

  void check_field() {
    if (requirement_.op != Op::in && requirement_.op != Op::not_in) return unsupported("\"In\", \"NotIn\"");
    if (requirement_.values.size() != 1) bad_values(api::kOneElementError);
  }

 private:
  void check_label_value(std::size_t i) {
    const auto& value = requirement_.values[i];
    std::vector<std::string_view> problems;
    if (value.size() > api::kLongestName) problems.push_back(kTooLong);
    if (!value.empty() && !api::has_form_of_name(value)) problems.push_back(api::kLabelValueError);
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

// Joins them as Go's aggregate error does: each text once, in brackets if there are several.
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
