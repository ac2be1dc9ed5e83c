#include "scheduler/cluster/resources.h"

#include <algorithm>
#include <limits>

#include "api/validate/validate.h"
#include "api/values/pod.h"
#include "api/values/resource_names.h"

namespace podium::cluster {
namespace {

constexpr std::string_view kAttachableVolumes = "attachable-volumes-";

}  // namespace

std::vector<ScalarAmounts::Entry> ScalarAmounts::sorted(std::vector<Entry> entries) {
  if (!std::ranges::is_sorted(entries)) std::ranges::sort(entries);
  entries.shrink_to_fit();
  return entries;
}

std::int64_t Resources::scalar(std::string_view name) const {
  const auto name_of = [](const auto& entry) { return std::string_view(entry.first); };
  const auto it = std::ranges::lower_bound(scalars, name, {}, name_of);
  return it != scalars.end() && it->first == name ? it->second : 0;
}

std::int64_t Resources::get(std::string_view name) const {
  if (name == kCpu) return milli_cpu;
  if (name == kMemory) return memory;
  if (name == kEphemeralStorage) return ephemeral_storage;
  return scalar(name);
}

// Source: pkg/apis/core/v1/helper IsExtendedResourceName; the name must be valid with the quota prefix.
bool is_extended_resource(std::string_view name) {
  if (!name.contains('/') || name.contains("kubernetes.io/") || name.starts_with("requests.")) return false;
  return api::is_qualified_name(std::string("requests.").append(name));
}

bool is_scalar_resource(std::string_view name) {
  return api::is_huge_page(name) || name.starts_with(kAttachableVolumes) || name.contains("kubernetes.io/") ||
         is_extended_resource(name);
}

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

}  // namespace podium::cluster
