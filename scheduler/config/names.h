// What a label key and a label value may look like, and what to say where one does not.
//
// Source: apimachinery pkg/api/validate/content (IsLabelKey, IsLabelValue).
// Threads: pure functions. An empty list means that the name is fine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace podium::config {

std::vector<std::string> check_label_key(std::string_view key);  // "name", "example.com/name"
std::vector<std::string> check_label_value(std::string_view value);
std::vector<std::string> check_dns_label(std::string_view name);  // of a namespace
// example.com/gpu: qualified, outside of kubernetes.io, and no "requests." name.
bool is_extended_resource(std::string_view name);

}  // namespace podium::config
