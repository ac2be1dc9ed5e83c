#include "controller/what_if/runtime_class_cache.h"

#include <algorithm>
#include <utility>

namespace podium::controller {

const api::RuntimeClass* RuntimeClassCache::find(std::string_view name, Steady now) const {
  const auto it = entries_.find(name);
  return it == entries_.end() || it->second.until <= now ? nullptr : &it->second.read;
}

void RuntimeClassCache::keep(std::string name, api::RuntimeClass read, Steady now) {
  std::erase_if(entries_, [&](const auto& each) { return each.second.until <= now || each.first == name; });
  if (entries_.size() == kMost) {
    entries_.erase(
        std::ranges::min_element(entries_, {}, [](const auto& each) { return each.second.until; }));
  }
  entries_.emplace(std::move(name), Entry{std::move(read), now + kTtl});
}

}  // namespace podium::controller
