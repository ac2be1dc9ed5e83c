// IndexedHeap: the order of its elements, and calls that violate its preconditions.
#include "scheduler/queue/heap.h"

#include <gtest/gtest.h>

#include <vector>

namespace podium::queue {
namespace {

struct Item {
  int value = 0;
  std::size_t heap_index = 0;
};
struct Before {
  bool operator()(const Item& a, const Item& b) const { return a.value < b.value; }
};

TEST(IndexedHeap, PopsInOrderAfterAMoveAndARemoval) {
  std::vector<Item> items{{5}, {1}, {4}, {2}, {3}};
  IndexedHeap<Item, Before> heap;
  for (auto& item : items) heap.push(&item);
  items[0].value = 0;
  heap.moved(&items.front());
  heap.erase(&items[2]);
  std::vector<int> popped;
  while (!heap.empty()) popped.push_back(heap.pop()->value);
  EXPECT_EQ(popped, (std::vector<int>{0, 1, 2, 3}));
}

TEST(IndexedHeapDeathTest, TakesOnlyItsOwnItems) {
  Item own, other;
  IndexedHeap<Item, Before> heap;
  EXPECT_DEATH(heap.top(), "check failed at .*!items_.empty\\(\\)");
  EXPECT_DEATH(heap.erase(&other), "check failed at .*\\(index, items_.size\\(\\) = 0, 0\\)");
  heap.push(&own);
  EXPECT_DEATH(heap.moved(&other), "check failed at .*\\(index, items_.size\\(\\) = 0, 1\\)");
}

}  // namespace
}  // namespace podium::queue
