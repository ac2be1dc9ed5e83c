#include "scheduler/cluster/resources.h"

#include <algorithm>
#include <limits>

#include "api/values/resource_names.h"

namespace podium::cluster {
namespace {

constexpr std::string_view kAttachableVolumes = "attachable-volumes-";

bool lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool alphanumeric(char c) { return lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

// A DNS-1123 subdomain: dot-separated labels of lower case letters, digits and inner dashes.
bool is_subdomain(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool edge = i == 0 || i + 1 == text.size() || text[i - 1] == '.' || text[i + 1] == '.';
    if (!lower_or_digit(c) && (edge || (c != '-' && c != '.'))) return false;
  }
  return true;
}

bool is_qualified_name_part(std::string_view text) {
  if (text.empty() || text.size() > 63) return false;
  if (!alphanumeric(text.front()) || !alphanumeric(text.back())) return false;
  return std::ranges::all_of(text,
                             [](char c) { return alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

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
  const auto slash = name.find('/');
  if (slash == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos) return false;
  if (name.starts_with("requests.")) return false;
  return is_subdomain(std::string("requests.").append(name.substr(0, slash))) &&
         is_qualified_name_part(name.substr(slash + 1));
}

bool is_scalar_resource(std::string_view name) {
  return api::is_huge_page(name) || name.starts_with(kAttachableVolumes) ||
         name.find("kubernetes.io/") != std::string_view::npos || is_extended_resource(name);
}

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

}  // namespace podium::cluster
