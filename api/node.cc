#include "api/node.h"

#include <algorithm>

namespace podium::api {

const Quantity* find_resource(const ResourceList& list, std::string_view name) {
  const auto at = std::lower_bound(list.begin(), list.end(), name,
                                   [](const auto& entry, std::string_view key) { return entry.first < key; });
  return at != list.end() && at->first == name ? &at->second : nullptr;
}

}  // namespace podium::api
