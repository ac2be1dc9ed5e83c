#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "unit/support/builders.h"

namespace podium::api {
namespace {

using namespace test;

TEST(Labels, SortAndKeepTheLastOfEqualKeys) {
  const Labels labels({{"b", "1"}, {"a", "2"}, {"b", "3"}, {"c", "4"}, {"a", "5"}});
  EXPECT_EQ(labels, (Labels{{"a", "5"}, {"b", "3"}, {"c", "4"}}));
  EXPECT_EQ(labels.size(), 3u);
  EXPECT_EQ(*labels.find("b"), "3");
  EXPECT_EQ(labels.find("d"), nullptr);
}

TEST(Labels, SetReplaces) {
  Labels labels;
  labels.set("b", "1");
  labels.set("a", "2");
  labels.set("b", "3");
  EXPECT_EQ(labels, (Labels{{"a", "2"}, {"b", "3"}}));
}

TEST(Requirement, Matches) {
  struct Case {
    const char* name;
    Requirement requirement;
    std::optional<std::string> value;  // of the label; nullopt where it is absent
    bool want;
  };
  const Case cases[] = {
      {"In holds", in("k", {"a", "b"}), "b", true},
      {"In, another value", in("k", {"a"}), "b", false},
      {"In, absent", in("k", {"a"}), std::nullopt, false},
      {"In, no values", in("k", {}), "a", false},
      {"In, empty value", in("k", {""}), "", true},
      {"NotIn, another value", not_in("k", {"a"}), "b", true},
      {"NotIn, listed", not_in("k", {"a"}), "a", false},
      {"NotIn, absent", not_in("k", {"a"}), std::nullopt, true},
      {"Exists", exists("k"), "", true},
      {"Exists, absent", exists("k"), std::nullopt, false},
      {"DoesNotExist", does_not_exist("k"), std::nullopt, true},
      {"DoesNotExist, present", does_not_exist("k"), "a", false},
      {"Gt holds", gt("k", "5"), "6", true},
      {"Gt, equal", gt("k", "5"), "5", false},
      {"Gt, leading zeros are decimal", gt("k", "9"), "010", true},
      {"Gt, signs", gt("k", "-5"), "+1", true},
      {"Gt, no integer in the label", gt("k", "5"), "6.5", false},
      {"Gt, no integer in the requirement", gt("k", "five"), "6", false},
      {"Gt, beyond int64", gt("k", "5"), "9223372036854775808", false},
      {"Gt, absent", gt("k", "5"), std::nullopt, false},
      {"Gt, two values", {"k", Requirement::Op::gt, {"1", "2"}}, "6", false},
      {"Lt holds", lt("k", "5"), "-6", true},
      {"Lt, empty label", lt("k", "5"), "", false},
      {"Lt, two signs", lt("k", "5"), "+-6", false},
      {"unknown", {"k", Requirement::Op::unknown, {"a"}}, "a", false},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(test.requirement.matches(test.value ? &*test.value : nullptr), test.want) << test.name;
  }
}

TEST(LabelSelector, NeedsEverything) {
  const Labels labels = {{"app", "web"}, {"tier", "front"}};
  struct Case {
    const char* name;
    LabelSelector selector;
    bool want;
  };
  const Case cases[] = {
      {"empty matches everything", select_all(), true},
      {"labels", select_labels({{"app", "web"}, {"tier", "front"}}), true},
      {"one label differs", select_labels({{"app", "web"}, {"tier", "back"}}), false},
      {"label absent", select_labels({{"zone", "a"}}), false},
      {"expressions", select_where({in("app", {"web", "db"}), does_not_exist("zone")}), true},
      {"one expression fails", select_where({in("app", {"web"}), exists("zone")}), false},
      {"both kinds", {{{"app", "web"}}, {not_in("tier", {"front"})}}, false},
      {"unknown operator", select_where({{"app", Requirement::Op::unknown, {"web"}}}), false},
  };
  for (const auto& test : cases) EXPECT_EQ(test.selector.matches(labels), test.want) << test.name;
}

TEST(Toleration, Tolerates) {
  using Op = Toleration::Op;
  const Taint taint{"dedicated", "gpu", TaintEffect::no_schedule};
  struct Case {
    const char* name;
    Toleration toleration;
    bool want;
  };
  const Case cases[] = {
      {"equal", {"dedicated", "gpu", Op::equal, TaintEffect::no_schedule}, true},
      {"equal, any effect", {"dedicated", "gpu", Op::equal, TaintEffect::none}, true},
      {"equal, another value", {"dedicated", "cpu", Op::equal, TaintEffect::none}, false},
      {"equal, another effect", {"dedicated", "gpu", Op::equal, TaintEffect::no_execute}, false},
      {"equal, another key", {"other", "gpu", Op::equal, TaintEffect::none}, false},
      {"equal, any key", {"", "gpu", Op::equal, TaintEffect::none}, true},
      {"exists ignores the value", {"dedicated", "cpu", Op::exists, TaintEffect::none}, true},
      {"exists for everything", {"", "", Op::exists, TaintEffect::none}, true},
      {"exists, another effect", {"", "", Op::exists, TaintEffect::prefer_no_schedule}, false},
      {"comparison operators are off", {"dedicated", "gpu", Op::other, TaintEffect::none}, false},
  };
  for (const auto& test : cases) EXPECT_EQ(test.toleration.tolerates(taint), test.want) << test.name;
}

TEST(ResourceList, Finds) {
  ResourceList list;
  set_resource(list, "memory", "1Gi");
  set_resource(list, "cpu", "2");
  set_resource(list, "cpu", "3");
  ASSERT_NE(find_resource(list, "cpu"), nullptr);
  EXPECT_EQ(*find_resource(list, "cpu"), Quantity::from_units(3));
  EXPECT_EQ(find_resource(list, "pods"), nullptr);
}

}  // namespace
}  // namespace podium::api
