// SharedList: copies share one array; a copy never sees what another writes.
#include "api/values/shared_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/heap_bytes.h"

namespace podium::api {
namespace {

using testing::ElementsAre;
using Names = SharedList<std::string>;

const void* array_of(const Names& names) { return names.empty() ? nullptr : &names.front(); }

TEST(SharedList, CopiesShareUntilOneWrites) {
  const Names first{"a", "b"};
  auto second = first;
  EXPECT_EQ(array_of(first), array_of(second));
  second.push_back("c");
  second.write()[0] = "z";
  EXPECT_THAT(first, ElementsAre("a", "b"));
  EXPECT_THAT(second, ElementsAre("z", "b", "c"));
  const auto* before = array_of(second);
  second.write()[1] = "y";
  EXPECT_EQ(array_of(second), before) << "not shared: written in place";
  second.change_each([](std::string& name) { name += "!"; });
  EXPECT_THAT(second, ElementsAre("z!", "y!", "c!"));
}

TEST(SharedList, AnEmptyListIsAListOnceItIsWritten) {
  Names names, moved = Names(std::vector<std::string>());
  EXPECT_EQ(names, moved);
  EXPECT_TRUE(names.empty());
  EXPECT_EQ(names.begin(), names.end());
  names.change_each([](std::string&) { FAIL(); });
  const auto copy = names;
  names.emplace_back("a");
  moved = std::move(names);
  EXPECT_THAT(moved, ElementsAre("a"));
  EXPECT_TRUE(copy.empty());
  moved.clear();
  EXPECT_EQ(moved, copy);
  moved.write();
  EXPECT_EQ(moved, copy) << "an empty array";
  EXPECT_EQ(heap_bytes(moved), 0u);
}

TEST(SharedList, EqualListsBecomeOne) {
  const Names first{"a"};
  Names equal{"a"}, other{"b"};
  EXPECT_NE(array_of(first), array_of(equal));
  EXPECT_TRUE(equal.share(first));
  EXPECT_EQ(array_of(first), array_of(equal));
  EXPECT_FALSE(other.share(first));
  EXPECT_THAT(other, ElementsAre("b"));
}

}  // namespace
}  // namespace podium::api
