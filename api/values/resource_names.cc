#include "api/values/resource_names.h"

namespace podium::api {

bool is_huge_page(std::string_view resource) { return resource.starts_with(kHugePages); }

bool is_in_bytes(std::string_view resource) {
  return resource == "memory" || resource == "storage" || resource == "ephemeral-storage" ||
         is_huge_page(resource);
}

bool is_native_resource(std::string_view resource) {
  return !resource.contains('/') || resource.contains("kubernetes.io/");
}

bool is_overcommit_allowed(std::string_view resource) {
  return is_native_resource(resource) && !is_huge_page(resource);
}

bool is_supported_pod_level_resource(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || is_huge_page(resource);
}

}  // namespace podium::api
