#include "api/node.h"

#include <algorithm>

namespace podium::api {

namespace {

template <typename List>
auto place_of(List& list, std::string_view name) {
  return std::lower_bound(list.begin(), list.end(), name,
                          [](const auto& entry, std::string_view key) { return entry.first < key; });
}

}  // namespace

const Quantity* find_resource(const ResourceList& list, std::string_view name) {
  const auto at = place_of(list, name);
  return at != list.end() && at->first == name ? &at->second : nullptr;
}

void set_if_absent(ResourceList& list, const std::string& name, Quantity amount) {
  const auto at = place_of(list, name);
  if (at == list.end() || at->first != name) list.emplace(at, name, amount);
}

}  // namespace podium::api
