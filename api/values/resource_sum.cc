#include "api/values/resource_sum.h"

#include <algorithm>

namespace podium::api {

ResourceList ResourceSum::list() const {
  ResourceList::Items out(entries_.begin(), entries_.end());
  std::ranges::sort(out, {}, &ResourceList::value_type::first);
  return out;
}

Quantity* ResourceSum::find_of_many(std::string_view name) {
  for (auto i = places_.size(); i < entries_.size(); ++i) places_.emplace(entries_[i].first, i);
  const auto it = places_.find(name);
  return it == places_.end() ? nullptr : &entries_[it->second].second;
}

void Initialisation::add_sidecar(const ResourceSum& amounts) {
  sidecars_.add(amounts);
  for (const auto& entry : amounts) news_.insert(entry.first);
}

void Initialisation::add(ResourceSum& amounts) {
  Names left;
  for (const auto name : news_) {
    if (amounts.has(name)) {
      left.insert(name);
    } else {
      peak_.max(name, sidecars_.get(name));
    }
  }
  news_ = std::move(left);
  for (const auto& [name, amount] : amounts) peak_.max(name, amount + sidecars_.get(name));
}

}  // namespace podium::api
