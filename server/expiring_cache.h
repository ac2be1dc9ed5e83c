// ExpiringCache: an LRU cache whose entries expire.
//
// Threads: one at a time. The caller passes the time.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/text_hash.h"

namespace podium::server {

template <typename T>
class ExpiringCache {
 public:
  explicit ExpiringCache(std::size_t limit) : limit_(limit) {}

  std::optional<T> find(const std::string& key, Steady now) {
    const auto it = by_key_.find(key);
    if (it == by_key_.end()) return std::nullopt;
    if (now >= it->second->until) {
      entries_.erase(it->second);
      by_key_.erase(it);
      return std::nullopt;
    }
    entries_.splice(entries_.begin(), entries_, it->second);
    return it->second->value;
  }

  void put(const std::string& key, T value, Steady until) {
    if (const auto it = by_key_.find(key); it != by_key_.end()) {
      entries_.erase(it->second);
      by_key_.erase(it);
    }
    entries_.push_front({key, std::move(value), until});
    by_key_[key] = entries_.begin();
    if (entries_.size() <= limit_) return;
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string key;
    T value;
    Steady until;
  };
  const std::size_t limit_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string, typename std::list<Entry>::iterator, TextHash> by_key_;
};

}  // namespace podium::server
