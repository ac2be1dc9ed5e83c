// Labels: a sorted map of texts. Copies share its lists, and labels with equal keys share these.
#include "api/values/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/heap_bytes.h"

namespace podium::api {
namespace {

using testing::ElementsAre;
using testing::Pair;
using Entries = std::vector<Labels::Entry>;

Entries all(const Labels& labels) { return {labels.begin(), labels.end()}; }
const std::string* key_of(const Labels& labels) { return &(*labels.begin()).first; }
const std::string* value_of(const Labels& labels) { return &(*labels.begin()).second; }

TEST(Labels, AreSortedAndOfEqualKeysTheLastWins) {
  const Labels labels{{"b", "1"}, {"a", "2"}, {"b", "3"}, {"b", "4"}};
  EXPECT_THAT(all(labels), ElementsAre(Pair("a", "2"), Pair("b", "4")));
  EXPECT_EQ(labels.size(), 2u);
  EXPECT_EQ(*labels.find("b"), "4");
  EXPECT_EQ(labels.find("c"), nullptr);
  EXPECT_TRUE(Labels().empty());
  EXPECT_EQ(Labels().begin(), Labels().end());
  EXPECT_EQ(Labels(Entries()), Labels());
}

TEST(Labels, SetAddsInOrderOrReplaces) {
  Labels labels;
  for (const auto* key : {"m", "z", "a", "m"}) labels.set(key, std::string(key) + "!");
  labels.set("m", "new");
  EXPECT_THAT(all(labels), ElementsAre(Pair("a", "a!"), Pair("m", "new"), Pair("z", "z!")));
}

TEST(Labels, ContainAllOthersWithTheirValues) {
  const Labels labels{{"a", "1"}, {"b", "2"}};
  EXPECT_TRUE(labels.contains_all({}));
  EXPECT_TRUE(labels.contains_all({{"b", "2"}}));
  EXPECT_TRUE(labels.contains_all(labels));
  EXPECT_FALSE(labels.contains_all({{"b", "1"}}));
  EXPECT_FALSE(labels.contains_all({{"b", "2"}, {"c", "3"}}));
}

TEST(Labels, CopiesShareUntilOneWrites) {
  const Labels first{{"b", "2"}, {"a", "1"}};
  auto second = first;
  EXPECT_EQ(value_of(first), value_of(second));
  second.set("a", "3");
  EXPECT_EQ(key_of(first), key_of(second)) << "its keys are the same";
  second.set("c", "4");
  EXPECT_EQ(first, Labels({{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(second, Labels({{"a", "3"}, {"b", "2"}, {"c", "4"}}));
}

TEST(Labels, ShareTheListsThatAreEqual) {
  const Labels first{{"a", "1"}, {"b", "2"}};
  Labels equal = {{"a", "1"}, {"b", "2"}}, other_value{{"a", "1"}, {"b", "3"}},
         other_key{{"a", "1"}, {"c", "2"}}, none;
  EXPECT_TRUE(equal.share(first));
  EXPECT_EQ(value_of(equal), value_of(first));
  EXPECT_FALSE(other_value.share(first));
  EXPECT_EQ(key_of(other_value), key_of(first));
  EXPECT_EQ(other_value, Labels({{"a", "1"}, {"b", "3"}}));
  EXPECT_FALSE(other_key.share(first));
  EXPECT_EQ(other_key, Labels({{"a", "1"}, {"c", "2"}}));
  auto copy = other_key;
  EXPECT_FALSE(copy.share(Labels{{"a", "3"}, {"c", "4"}}));
  EXPECT_EQ(value_of(copy), value_of(other_key)) << "it stays one with the other copy";
  EXPECT_FALSE(none.share(first));
  EXPECT_TRUE(none.empty());
}

TEST(Labels, KeysAndValuesCountAsMemory) {
  const std::string key(500, 'k'), value(300, 'v');
  EXPECT_GE(heap_bytes(Labels{{key, value}}), sizeof(Labels::Entry) + key.size() + value.size());
  EXPECT_EQ(heap_bytes(Labels()), 0u);
}

}  // namespace
}  // namespace podium::api
