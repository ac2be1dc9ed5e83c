// CowMap: a hash map in shards that copies share until one writes; a write copies one shard of about 64 entries.
//
// Pointers to values hold until the next write to this copy. Threads: as Cow.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "scheduler/cluster/cow.h"
#include "scheduler/cluster/hash.h"

namespace podium::cluster {

template <typename Key, typename Value, typename Hash = TextHash>
class CowMap {
 public:
  std::size_t size() const { return size_; }

  template <typename K>
  const Value* find(const K& key) const {
    if (size_ == 0) return nullptr;
    const auto& shard = *(*shards_)[shard_of(key)];
    const auto it = shard.find(key);
    return it == shard.end() ? nullptr : &it->second;
  }
  template <typename K>
  Value* find_for_write(const K& key) {
    if (!find(key)) return nullptr;
    return &shards_.write()[shard_of(key)].write().find(key)->second;
  }
  // The value of a key, made as Value{} where there is none.
  Value& operator[](Key key) {
    if (auto* value = find_for_write(key)) return *value;
    if (size_ >= shards_->size() * kPerShard) spread();
    ++size_;
    auto& shard = shards_.write()[shard_of(key)].write();
    return shard.try_emplace(std::move(key)).first->second;
  }
  template <typename K>
  void erase(const K& key) {
    if (!find(key)) return;
    auto& shard = shards_.write()[shard_of(key)].write();
    shard.erase(shard.find(key));
    --size_;
  }
  // f(key, value), in no order.
  template <typename F>
  void each(F&& f) const {
    for (const auto& shard : *shards_) {
      for (const auto& [key, value] : *shard) f(key, value);
    }
  }
  template <typename F>
  void each_for_write(F&& f) {
    for (auto& shard : shards_.write()) {
      for (auto& [key, value] : shard.write()) f(key, value);
    }
  }

 private:
  using Map = boost::unordered_flat_map<Key, Value, Hash, std::equal_to<>>;
  static constexpr std::size_t kPerShard = 64;

  // The map inside a shard is placed by the hash's uppermost and lowermost bits; these are others.
  template <typename K>
  std::size_t shard_of(const K& key) const { return (Hash{}(key) >> 24) & (shards_->size() - 1); }

  void spread() {
    auto old = std::move(shards_.write());
    shards_.write().assign(old.empty() ? 1 : old.size() * 4, Cow<Map>());
    auto& shards = shards_.write();
    for (auto& shard : old) {
      for (auto& [key, value] : shard.write()) {
        auto& to = shards[shard_of(key)].write();
        to.try_emplace(key, std::move(value));
      }
    }
  }

  Cow<std::vector<Cow<Map>>> shards_;  // a power of two of them, or none
  std::size_t size_ = 0;
};

}  // namespace podium::cluster
