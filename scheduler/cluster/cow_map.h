// CowMap and CowIndex: hash tables in copy-on-write shards; a write copies only its shard.
//
// Pointers to values stay valid until the next write to this copy. Threads: as Cow.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/cow.h"
#include "scheduler/cluster/hash.h"

namespace podium::cluster {

// kPerShard: entries per shard before the table grows; fewer for entries that are expensive to copy.
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
  // True if both share the values of the key's shard; false says nothing.
  template <typename K>
  bool shares(const K& key, const CowMap& other) const {
    const auto &mine = *shards_, &others = *other.shards_;
    if (mine.size() != others.size()) return false;
    if (mine.empty()) return true;
    const auto shard = shard_of(key);
    return mine[shard].is(others[shard]);
  }
  template <typename K>
  Value* find_for_write(const K& key) {
    if (!find(key)) return nullptr;
    return &shards_.write()[shard_of(key)].write().find(key)->second;
  }
  // Inserts Value{} if the key is absent.
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
    auto& place = shards_.write()[shard_of(key)];
    auto& shard = place.write();
    shard.erase(shard.find(key));
    --size_;
    // Frees the memory of a shard that has become empty.
    if (shard.empty()) place = {};
    if (size_ == 0) shards_ = {};
  }
  // Calls f(key, value) in unspecified order.
  template <typename F>
  void each(F&& f) const {
    for (const auto& shard : *shards_) {
      for (const auto& [key, value] : *shard) f(key, value);
    }
  }

 private:
  using Map = boost::unordered_flat_map<Key, Value, Hash, std::equal_to<>>;

  // The map inside a shard uses the hash's highest and lowest bits, so this uses others.
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

  Cow<std::vector<Cow<Map>>> shards_;  // a power of two, or empty
  std::size_t size_ = 0;
};

// Maps hashes of names to small values (ids, pointers) whose owner stores the names. The table holds no
// names, so copying a shard copies plain bytes. `same(value)` is true if the value has the wanted name.
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
  // The name must not be present.
  void insert(std::uint64_t hash, Value value) {
    if (const auto* other = values_.find(hash)) {
      PODIUM_CHECK(*other != value, hash);
      clashes_.write().emplace_back(hash, value);
    } else {
      values_[hash] = value;
    }
  }
  // The value must have been inserted under this hash.
  void erase(std::uint64_t hash, Value value) {
    const auto clash = std::ranges::find(*clashes_, hash, &Clash::first);
    if (clash == clashes_->end()) {
      const auto* found = values_.find(hash);
      PODIUM_CHECK(found && *found == value, hash);
      return values_.erase(hash);
    }
    auto& clashes = clashes_.write();
    auto it = std::ranges::find(clashes, Clash(hash, value));
    if (it == clashes.end()) {  // it is the one in values_: a clashing one replaces it
      it = std::ranges::find(clashes, hash, &Clash::first);
      values_[hash] = it->second;
    }
    clashes.erase(it);
  }

 private:
  using Clash = std::pair<std::uint64_t, Value>;
  CowMap<std::uint64_t, Value, HashOfHash, 1024> values_;
  Cow<std::vector<Clash>> clashes_;  // values whose hash another has; practically none
};

}  // namespace podium::cluster
