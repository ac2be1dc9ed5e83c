// CowOrderedMap: a sorted map in copy-on-write leaves; a write copies one leaf and the list of leaves.
//
// Iterators and pointers to values stay valid until the next write to this copy. Threads: as Cow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "base/cow.h"

namespace podium::cluster {

// Less must be transparent; a lookup takes any key that it compares.
template <typename Key, typename Value, typename Less = std::less<>>
class CowOrderedMap {
 public:
  using value_type = std::pair<Key, Value>;
  using Leaf = std::vector<value_type>;
  using Leaves = std::vector<Cow<Leaf>>;  // in order; none is empty

  class const_iterator {
   public:
    using value_type = CowOrderedMap::value_type;
    using difference_type = std::ptrdiff_t;
    using reference = const value_type&;
    using pointer = const value_type*;
    using iterator_category = std::forward_iterator_tag;

    const_iterator() = default;
    reference operator*() const { return (*(*leaves_)[leaf_])[at_]; }
    pointer operator->() const { return &**this; }
    const_iterator& operator++() {
      if (++at_ == (*leaves_)[leaf_]->size()) {
        ++leaf_;
        at_ = 0;
      }
      return *this;
    }
    const_iterator operator++(int) {
      auto before = *this;
      ++*this;
      return before;
    }
    bool operator==(const const_iterator&) const = default;

   private:
    friend class CowOrderedMap;
    const_iterator(const Leaves& leaves, std::size_t leaf, std::size_t at)
        : leaves_(&leaves), leaf_(leaf), at_(at) {}
    const Leaves* leaves_ = nullptr;
    std::size_t leaf_ = 0, at_ = 0;
  };

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // True if both share all their entries.
  bool is(const CowOrderedMap& other) const { return leaves_.is(other.leaves_); }
  // A copy of a leaf keeps it as it is. So what was made from it need not be made again while it is here.
  const Leaves& leaves() const { return *leaves_; }
  const_iterator begin() const { return {*leaves_, 0, 0}; }
  const_iterator end() const { return {*leaves_, leaves_->size(), 0}; }

  template <typename K = Key>
  const_iterator lower_bound(const K& key) const {
    const auto& leaves = *leaves_;
    const auto leaf = std::ranges::partition_point(
        leaves, [&](const Cow<Leaf>& each) { return Less{}(each->back().first, key); });
    if (leaf == leaves.end()) return end();
    const auto at =
        std::ranges::partition_point(**leaf, [&](const value_type& each) { return Less{}(each.first, key); });
    return {leaves, static_cast<std::size_t>(leaf - leaves.begin()),
            static_cast<std::size_t>(at - (*leaf)->begin())};
  }
  template <typename K = Key>
  const_iterator find(const K& key) const {
    const auto at = lower_bound(key);
    return at != end() && !Less{}(key, at->first) ? at : end();
  }
  template <typename K = Key>
  bool contains(const K& key) const {
    return find(key) != end();
  }

  void insert_or_assign(Key key, Value value) {
    auto place = lower_bound(key);
    auto& leaves = leaves_.write();
    if (place.leaf_ < leaves.size() && !Less{}(key, (*leaves[place.leaf_])[place.at_].first)) {
      leaves[place.leaf_].write()[place.at_].second = std::move(value);
      return;
    }
    ++size_;
    if (leaves.empty()) leaves.emplace_back();
    if (place.leaf_ == leaves.size()) {  // after all others
      --place.leaf_;
      place.at_ = leaves.back()->size();
    }
    auto& leaf = leaves[place.leaf_].write();
    leaf.emplace(leaf.begin() + static_cast<std::ptrdiff_t>(place.at_), std::move(key), std::move(value));
    if (leaf.size() > kLeaf) split(leaves, place.leaf_);
  }
  template <typename K>
  void erase(const K& key) {
    const auto place = find(key);
    if (place == end()) return;
    --size_;
    auto& leaves = leaves_.write();
    auto& leaf = leaves[place.leaf_].write();
    leaf.erase(leaf.begin() + static_cast<std::ptrdiff_t>(place.at_));
    const auto next = place.leaf_ + 1;
    if (leaf.empty()) {
      leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(place.leaf_));
    } else if (next < leaves.size() && leaf.size() + leaves[next]->size() <= kLeaf / 2) {
      leaf.insert(leaf.end(), leaves[next]->begin(), leaves[next]->end());
      leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(next));
    }
  }

 private:
  static constexpr std::size_t kLeaf = 64;  // the most entries of a leaf

  // Lists arrive in order, so a leaf that grows at its end stays full.
  static void split(Leaves& leaves, std::size_t at) {
    auto& leaf = leaves[at].write();
    const auto kept = static_cast<std::ptrdiff_t>(at + 1 == leaves.size() ? kLeaf : kLeaf / 2);
    Leaf rest(std::make_move_iterator(leaf.begin() + kept), std::make_move_iterator(leaf.end()));
    leaf.resize(static_cast<std::size_t>(kept));
    leaves.insert(leaves.begin() + static_cast<std::ptrdiff_t>(at) + 1, Cow<Leaf>(std::move(rest)));
  }

  Cow<Leaves> leaves_;
  std::size_t size_ = 0;
};

}  // namespace podium::cluster
