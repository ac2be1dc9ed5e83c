// Checks label keys, label values and DNS labels, with upstream's error texts.
//
// Source: apimachinery pkg/api/validate/content (IsLabelKey, IsLabelValue).
// Threads: pure functions. Errors: a list of texts; empty: valid.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace podium::config {

std::vector<std::string> check_label_key(std::string_view key);  // "name", "example.com/name"
std::vector<std::string> check_label_value(std::string_view value);
std::vector<std::string> check_dns_label(std::string_view name);      // namespace names
std::vector<std::string> check_dns_subdomain(std::string_view name);  // names of pods

}  // namespace podium::config
