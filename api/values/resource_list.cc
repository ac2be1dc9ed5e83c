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
  if (find_resource(list, name)) return;
  auto& entries = list.write();
  entries.emplace(place_of(entries, name), name, amount);
}

void set_if_absent(ResourceList& list, const ResourceList& defaults) {
  ResourceList::Items absent;
  for (const auto& entry : defaults) {
    if (!find_resource(list, entry.first)) absent.push_back(entry);
  }
  if (absent.empty()) return;
  auto& all = list.write();
  const auto known = static_cast<std::ptrdiff_t>(all.size());
  all.insert(all.end(), std::make_move_iterator(absent.begin()), std::make_move_iterator(absent.end()));
  const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::inplace_merge(all.begin(), all.begin() + known, all.end(), before);
}

}  // namespace podium::api
