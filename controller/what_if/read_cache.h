// ReadCache: objects of one kind that questions read, each for kTtl: questions share the reads.
//
// Has only objects that exist: a user who makes a missing one and asks again gets the new answer. The path
// has the namespace, so a question gets no object that it would not read itself.
// Memory: of objects of at most kMostBytes of JSON.
// Owner: AdmissionReader. Threads: the caller's. Errors: none.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"

namespace podium::controller {

// `most`: objects.
template <typename T, std::size_t most = 64>
class ReadCache {
 public:
  static constexpr std::size_t kMost = most, kMostBytes = 1 << 20;
  static constexpr std::chrono::seconds kTtl{2};

  struct Entry {
    T object;
    std::size_t bytes = 0;  // of its JSON
    Steady until{};
  };

  // Null: to be read. Valid until the next keep().
  const Entry* find(std::string_view path, Steady now) const {
    const auto it = entries_.find(path);
    return it == entries_.end() || it->second.until <= now ? nullptr : &it->second;
  }

  void keep(std::string path, T object, std::size_t bytes, Steady now) {
    std::erase_if(entries_, [&](const auto& each) { return each.second.until <= now || each.first == path; });
    if (bytes > kMostBytes) return;
    while (entries_.size() == kMost || bytes_of_all() + bytes > kMostBytes) drop_oldest();
    entries_.emplace(std::move(path), Entry{std::move(object), bytes, now + kTtl});
  }

 private:
  std::size_t bytes_of_all() const {
    std::size_t out = 0;
    for (const auto& [path, entry] : entries_) out += entry.bytes;
    return out;
  }
  void drop_oldest() {
    entries_.erase(
        std::ranges::min_element(entries_, {}, [](const auto& each) { return each.second.until; }));
  }

  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace podium::controller
