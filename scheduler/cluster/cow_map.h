// CowMap and CowIndex: hash tables in shards that copies share until one writes; a write copies the shard it
// touches.
//
// Pointers to values hold until the next write to this copy. Threads: as Cow.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "scheduler/cluster/cow.h"
#include "scheduler/cluster/hash.h"

namespace podium::cluster {

// kPerShard is how many entries it takes to have another shard: few where they are dear to copy.
template <typename Key, typename Value, typename Hash = TextHash, std::size_t kPerShard = 64>
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

  // The map inside a shard is placed by the hash's uppermost and lowermost bits; these are others.
  template <typename K>
  std::size_t shard_of(const K& key) const {
    return (Hash{}(key) >> 24) & (shards_->size() - 1);
  }

  void spread() {
    auto old = std::move(shards_.write());
    shards_.write().assign(old.empty() ? 1 : old.size() * 2, Cow<Map>());
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

// From the hashes of names to small values (ids, pointers) whose owner can tell their names: so the table
// holds no names, and a shard is copied as plain bytes. `same(value)` says whether a value has the name that
// is looked for.
template <typename Value>
class CowIndex {
 public:
  std::size_t size() const { return values_.size() + clashes_->size(); }

  template <typename Same>
  const Value* find(std::uint64_t hash, Same&& same) const {
    const auto* value = values_.find(hash);
    if (!value || same(*value)) return value;
    for (const auto& clash : *clashes_) {
      if (clash.first == hash && same(clash.second)) return &clash.second;
    }
    return nullptr;
  }
  // Of a name that is not in it.
  void insert(std::uint64_t hash, Value value) {
    if (values_.find(hash)) {
      clashes_.write().emplace_back(hash, value);
    } else {
      values_[hash] = value;
    }
  }
  // Takes out a value that was put in under this hash.
  void erase(std::uint64_t hash, Value value) {
    const auto clash = std::ranges::find(*clashes_, hash, &Clash::first);
    if (clash == clashes_->end()) return values_.erase(hash);
    auto& clashes = clashes_.write();
    auto it = std::ranges::find(clashes, Clash(hash, value));
    if (it == clashes.end()) {  // the one in the table goes, and a clashing one takes its place
      it = std::ranges::find(clashes, hash, &Clash::first);
      values_[hash] = it->second;
    }
    clashes.erase(it);
  }

 private:
  using Clash = std::pair<std::uint64_t, Value>;
  CowMap<std::uint64_t, Value, HashOfHash, 1024> values_;
  Cow<std::vector<Clash>> clashes_;  // whose hash another has taken; practically none
};

}  // namespace podium::cluster
