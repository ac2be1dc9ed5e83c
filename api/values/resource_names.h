// Kinds of resources, by their names.
//
// Source: pkg/apis/core/v1/helper/helpers.go. Threads: pure functions.
#pragma once

#include <string_view>

namespace podium::api {

inline constexpr std::string_view kHugePages = "hugepages-";  // begins the name; the size of a page ends it

bool is_huge_page(std::string_view resource);
bool is_in_bytes(std::string_view resource);                      // memory, storage, huge pages
bool is_native_resource(std::string_view resource);               // no domain, or kubernetes.io
bool is_overcommit_allowed(std::string_view resource);            // native, but not hugepages-*
bool is_supported_pod_level_resource(std::string_view resource);  // cpu, memory, hugepages-*

}  // namespace podium::api
