#include "api/validate/validate_names.h"

#include <algorithm>

#include "api/validate/name_forms.h"
#include "api/validate/validate.h"
#include "api/values/defaults.h"
#include "api/values/meta.h"
#include "api/values/resource_names.h"
#include "base/ascii.h"

namespace podium::api {
namespace {

bool is_lower_or_digit(char c) { return is_lower(c) || is_digit(c); }

bool is_name_part(std::string_view text) { return text.size() <= kLongestName && has_form_of_name(text); }

}  // namespace

bool has_form_of_name(std::string_view text) {
  const auto inner = [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; };
  return !text.empty() && is_letter_or_digit(text.front()) && is_letter_or_digit(text.back()) &&
         std::ranges::all_of(text, inner);
}

bool has_form_of_dns_label(std::string_view text) {
  return !text.empty() && is_lower_or_digit(text.front()) && is_lower_or_digit(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool has_form_of_dns_subdomain(std::string_view text) {
  while (true) {
    const auto dot = text.find('.');
    if (!has_form_of_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_dns_label(std::string_view name) {
  return name.size() <= kLongestName && has_form_of_dns_label(name);
}

bool is_dns_subdomain(std::string_view name) {
  return name.size() <= kLongestSubdomain && has_form_of_dns_subdomain(name);
}

bool is_qualified_name(std::string_view name) {
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return is_name_part(name);
  return is_dns_subdomain(name.substr(0, slash)) && is_name_part(name.substr(slash + 1));
}

bool is_label_value(std::string_view value) { return value.empty() || is_name_part(value); }

namespace detail {

std::string item(const std::string& path, std::size_t index) {
  return path + '[' + std::to_string(index) + ']';
}

void check_label_key(std::string_view key, const std::string& path, Problems& problems) {
  if (!is_qualified_name(key)) problems.invalid(path, key, "must be a qualified name: [prefix/]name");
}

void check_label_value(std::string_view value, const std::string& path, Problems& problems) {
  if (is_label_value(value)) return;
  problems.invalid(path, value, "must be empty or at most 63 letters, digits, '-', '_' and '.'");
}

void check_labels(const Labels& labels, const std::string& path, Problems& problems) {
  for (const auto& [key, value] : labels) {
    check_label_key(key, path, problems);
    check_label_value(value, path, problems);
  }
}

void check_metadata(const ObjectMeta& meta, Problems& problems) {
  if (meta.name.empty()) {
    problems.required("metadata.name");
  } else if (!is_dns_subdomain(meta.name)) {
    problems.invalid("metadata.name", meta.name, kSubdomainError);
  }
  if (!meta.namespace_.empty() && !is_dns_label(meta.namespace_)) {
    problems.invalid("metadata.namespace", meta.namespace_, kDnsLabelError);
  }
  check_labels(meta.labels, "metadata.labels", problems);
}

void check_amounts(const ResourceList& list, const std::string& path, Problems& problems) {
  for (const auto& [name, amount] : list) {
    const auto at = path + '[' + name + ']';
    if (!is_qualified_name(name)) problems.invalid(at, name, "must be a qualified name: [prefix/]name");
    if (amount.is_negative()) problems.invalid(at, amount.text(), kNegativeError);
    const bool whole = amount == Quantity::from_units(amount.value());
    if (!whole && (name == "pods" || !is_native_resource(name))) {
      problems.invalid(at, amount.text(), "must be an integer");
    }
  }
}

}  // namespace detail
}  // namespace podium::api
