#include "api/values/selector.h"

#include <algorithm>

#include "api/values/decimal.h"

namespace podium::api {

std::string_view Requirement::op_text() const {
  switch (op) {
    case Op::in:
      return "In";
    case Op::not_in:
      return "NotIn";
    case Op::exists:
      return "Exists";
    case Op::does_not_exist:
      return "DoesNotExist";
    case Op::gt:
      return "Gt";
    case Op::lt:
      return "Lt";
    case Op::unknown:
      break;
  }
  return "";
}

bool Requirement::matches(const std::string* value) const {
  const auto listed = [&] {
    return is_sorted ? std::ranges::binary_search(values, *value)
                     : std::ranges::find(values, *value) != values.end();
  };
  switch (op) {
    case Op::in:
      return value != nullptr && listed();
    case Op::not_in:
      return value == nullptr || !listed();
    case Op::exists:
      return value != nullptr;
    case Op::does_not_exist:
      return value == nullptr;
    case Op::gt:
    case Op::lt: {
      if (value == nullptr || values.size() != 1) return false;
      const auto have = parse_integer(*value);
      const auto bound = parse_integer(values.front());
      if (!have || !bound) return false;
      return op == Op::gt ? *have > *bound : *have < *bound;
    }
    case Op::unknown:
      return false;
  }
  return false;
}

void Requirement::sort_values() {
  constexpr std::size_t kFew = 16;  // a linear search is as fast in these
  if (values.size() <= kFew) return;
  std::ranges::sort(values);
  is_sorted = true;
}

bool LabelSelector::matches(const Labels& labels) const {
  const auto holds = [&](const Requirement& requirement) {
    return requirement.matches(labels.find(requirement.key));
  };
  return labels.contains_all(match_labels) && std::ranges::all_of(match_expressions, holds);
}

}  // namespace podium::api
