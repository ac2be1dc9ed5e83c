#include "scheduler/config/schema/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace podium::config {
namespace {

constexpr std::size_t kMaxName = 63;
constexpr std::size_t kMaxSubdomain = 253;

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alnum(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
bool is_name(std::string_view text) {
  return !text.empty() && is_alnum(text.front()) && is_alnum(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

// [a-z0-9]([-a-z0-9]*[a-z0-9])?
bool is_label(std::string_view text) {
  return !text.empty() && is_lower_or_digit(text.front()) && is_lower_or_digit(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_subdomain(std::string_view text) {
  while (true) {
    const auto dot = text.find('.');
    if (!is_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string too_long(std::size_t limit) { return fmt::format("must be no more than {} bytes", limit); }

constexpr std::string_view kNameError =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kSubdomainError =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kLabelError =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
    "and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kLabelValueError =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
    "start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
    "validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

}  // namespace

std::vector<std::string> check_label_key(std::string_view key) {
  if (std::ranges::count(key, '/') > 1) {
    return {fmt::format(
        "a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
        kNameError)};
  }
  std::vector<std::string> errors;
  if (const auto slash = key.find('/'); slash != std::string_view::npos) {
    const auto prefix = key.substr(0, slash);
    if (prefix.empty()) {
      errors.push_back("prefix part must be non-empty");
    } else {
      if (prefix.size() > kMaxSubdomain) errors.push_back("prefix part " + too_long(kMaxSubdomain));
      if (!is_subdomain(prefix)) errors.push_back(fmt::format("prefix part {}", kSubdomainError));
    }
    key.remove_prefix(slash + 1);
  }
  if (key.empty()) {
    errors.push_back("name part must be non-empty");
  } else if (key.size() > kMaxName) {
    errors.push_back("name part " + too_long(kMaxName));
  }
  if (!is_name(key)) errors.push_back(fmt::format("name part {}", kNameError));
  return errors;
}

std::vector<std::string> check_label_value(std::string_view value) {
  std::vector<std::string> errors;
  if (value.size() > kMaxName) errors.push_back(too_long(kMaxName));
  if (!value.empty() && !is_name(value)) errors.emplace_back(kLabelValueError);
  return errors;
}

std::vector<std::string> check_dns_label(std::string_view name) {
  std::vector<std::string> errors;
  if (name.size() > kMaxName) errors.push_back(too_long(kMaxName));
  if (!is_label(name)) errors.emplace_back(kLabelError);
  return errors;
}

std::vector<std::string> check_dns_subdomain(std::string_view name) {
  std::vector<std::string> errors;
  if (name.size() > kMaxSubdomain) errors.push_back(too_long(kMaxSubdomain));
  if (!is_subdomain(name)) errors.emplace_back(kSubdomainError);
  return errors;
}

bool is_extended_resource(std::string_view name) {
  constexpr std::string_view kQuotaPrefix = "requests.";
  if (!name.contains('/') || name.contains("kubernetes.io/") || name.starts_with(kQuotaPrefix)) return false;
  return check_label_key(fmt::format("{}{}", kQuotaPrefix, name)).empty();
}

}  // namespace podium::config
