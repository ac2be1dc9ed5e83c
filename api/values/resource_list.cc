#include "api/values/resource_list.h"

#include <algorithm>
#include <iterator>

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

void set_if_absent(ResourceList& list, const ResourceList& defaults) {
  const auto known = static_cast<std::ptrdiff_t>(list.size());
  ResourceList absent;
  for (const auto& entry : defaults) {
    if (!find_resource(list, entry.first)) absent.push_back(entry);
  }
  list.insert(list.end(), std::make_move_iterator(absent.begin()), std::make_move_iterator(absent.end()));
  const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::inplace_merge(list.begin(), list.begin() + known, list.end(), before);
}

}  // namespace podium::api
