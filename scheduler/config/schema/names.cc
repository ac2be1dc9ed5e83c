#include "scheduler/config/schema/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/validate/name_forms.h"

namespace podium::config {
namespace {

using api::kLongestName;
using api::kLongestSubdomain;

std::string too_long(std::size_t limit) { return fmt::format("must be no more than {} bytes", limit); }

constexpr std::string_view kNameError =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kLongSubdomainError =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kLabelError =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
    "and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

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
      if (prefix.size() > kLongestSubdomain) errors.push_back("prefix part " + too_long(kLongestSubdomain));
      if (!api::has_form_of_dns_subdomain(prefix))
        errors.push_back(fmt::format("prefix part {}", kLongSubdomainError));
    }
    key.remove_prefix(slash + 1);
  }
  if (key.empty()) {
    errors.push_back("name part must be non-empty");
  } else if (key.size() > kLongestName) {
    errors.push_back("name part " + too_long(kLongestName));
  }
  if (!api::has_form_of_name(key)) errors.push_back(fmt::format("name part {}", kNameError));
  return errors;
}

std::vector<std::string> check_label_value(std::string_view value) {
  std::vector<std::string> errors;
  if (value.size() > kLongestName) errors.push_back(too_long(kLongestName));
  if (!value.empty() && !api::has_form_of_name(value)) errors.emplace_back(api::kLabelValueError);
  return errors;
}

std::vector<std::string> check_dns_label(std::string_view name) {
  std::vector<std::string> errors;
  if (name.size() > kLongestName) errors.push_back(too_long(kLongestName));
  if (!api::has_form_of_dns_label(name)) errors.emplace_back(kLabelError);
  return errors;
}

std::vector<std::string> check_dns_subdomain(std::string_view name) {
  std::vector<std::string> errors;
  if (name.size() > kLongestSubdomain) errors.push_back(too_long(kLongestSubdomain));
  if (!api::has_form_of_dns_subdomain(name)) errors.emplace_back(kLongSubdomainError);
  return errors;
}

}  // namespace podium::config
