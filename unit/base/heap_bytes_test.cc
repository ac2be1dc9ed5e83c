// What a value owns on the heap.
#include "base/heap_bytes.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace podium {
namespace {

struct Inner {
  int number = 0;
  std::string text;
};
struct Outer {
  std::vector<Inner> list;
  std::optional<Inner> maybe;
  std::variant<int, std::string> either;
  std::shared_ptr<std::string> others;
  std::map<int, std::string> by_number;
};

std::string text_of(std::size_t size) { return std::string(size, 'x'); }

TEST(HeapBytes, CountsWhatTheFieldsOwn) {
  Outer value;
  EXPECT_EQ(heap_bytes(value), 0u);
  value.list.reserve(4);
  EXPECT_EQ(heap_bytes(value), 4 * sizeof(Inner)) << "room that is not used counts";
  value.list.push_back({.text = text_of(1000)});
  const auto with_list = heap_bytes(value);
  EXPECT_GT(with_list, 4 * sizeof(Inner) + 1000);
  EXPECT_LT(with_list, 4 * sizeof(Inner) + 1100);
  value.others = std::make_shared<std::string>(text_of(5000));
  EXPECT_EQ(heap_bytes(value), with_list) << "it is not this value's alone";
  value.maybe = Inner{.text = text_of(1000)};
  value.either = text_of(1000);
  value.by_number[1] = text_of(1000);
  EXPECT_GT(heap_bytes(value), with_list + 3000);
  EXPECT_LT(heap_bytes(value), with_list + 3300);
}

TEST(HeapBytes, AShortTextOwnsNothing) { EXPECT_EQ(heap_bytes(Inner{.text = "short"}), 0u); }

}  // namespace
}  // namespace podium
