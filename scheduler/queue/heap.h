// IndexedHeap: a binary heap whose elements store their index, so that any element can be removed or moved
// in O(log n).
//
// Owner: one queue, which also owns the elements. Threads: not thread-safe.
// An element is in at most one heap at a time.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/check.h"

namespace podium::queue {

// T has a member `std::size_t heap_index`. Before(a, b) is true if a is popped before b.
template <typename T, typename Before>
class IndexedHeap {
 public:
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  T* top() const {  // of a heap that is not empty
    PODIUM_CHECK(!items_.empty());
    return items_.front();
  }
  const std::vector<T*>& items() const { return items_; }  // unordered

  void push(T* item) {
    item->heap_index = items_.size();
    items_.push_back(item);
    rise(item->heap_index);
  }

  // The item is in this heap.
  void erase(T* item) {
    const auto index = index_of(item);
    place(items_.back(), index);
    items_.pop_back();
    if (index < items_.size()) settle(index);
  }

  // Must be called after a change that affects the order of `item`, which is in this heap.
  void moved(T* item) { settle(index_of(item)); }

  T* pop() {
    auto* item = top();
    erase(item);
    return item;
  }

 private:
  std::size_t index_of(const T* item) const {
    const auto index = item->heap_index;
    PODIUM_CHECK(index < items_.size() && items_[index] == item, index, items_.size());
    return index;
  }

  void place(T* item, std::size_t index) {
    items_[index] = item;
    item->heap_index = index;
  }

  void settle(std::size_t index) {
    auto* item = items_[index];
    rise(index);
    if (item->heap_index == index) sink(index);
  }

  void rise(std::size_t index) {
    auto* item = items_[index];
    while (index > 0) {
      const auto parent = (index - 1) / 2;
      if (!Before()(*item, *items_[parent])) break;
      place(items_[parent], index);
      index = parent;
    }
    place(item, index);
  }

  void sink(std::size_t index) {
    auto* item = items_[index];
    while (2 * index + 1 < items_.size()) {
      auto first = 2 * index + 1;
      if (first + 1 < items_.size() && Before()(*items_[first + 1], *items_[first])) ++first;
      if (!Before()(*items_[first], *item)) break;
      place(items_[first], index);
      index = first;
    }
    place(item, index);
  }

  std::vector<T*> items_;
};

}  // namespace podium::queue
