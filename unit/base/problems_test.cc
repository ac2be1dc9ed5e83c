#include "base/problems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace podium {
namespace {

TEST(Problems, AreALineEach) {
  Problems problems;
  EXPECT_FALSE(problems);
  EXPECT_EQ(problems.value_of(Result<int>(3)), 3);
  EXPECT_FALSE(problems);
  EXPECT_EQ(problems.value_of(Result<int>(invalid("a: is not a number"))), std::nullopt);
  problems.add("b: is missing");
  EXPECT_TRUE(problems);
  EXPECT_EQ(problems.error().kind, Error::Kind::invalid);
  EXPECT_EQ(problems.error().message, "a: is not a number\nb: is missing");
}

TEST(Problems, HaveABound) {
  Problems problems;
  for (std::size_t i = 0; i < Problems::kMostShown + 7; ++i) problems.add("wrong");
  const auto message = problems.error().message;
  EXPECT_EQ(std::ranges::count(message, '\n'), Problems::kMostShown);
  EXPECT_TRUE(message.ends_with("wrong\nand 7 more")) << message;
}

TEST(Problems, HaveTheWordsOfTheAPIServer) {
  Problems problems;
  problems.required("a");
  problems.required("a", "must be set");
  problems.invalid("b", "x", "must be y");
  problems.invalid("b", 7, "must be 8");
  problems.invalid("b", ShownValue::as_is("[7]"), "must be ordered");
  problems.duplicate("c[1]", "x");
  problems.not_supported("d", "x", {"y", "z"});
  problems.not_supported("d", "must be y or z");
  problems.forbidden("e", "not with f");
  problems.too_many("f", 9, 8);
  problems.warn("g", "has no effect");
  EXPECT_EQ(problems.error().message, R"(a: Required value
a: Required value: must be set
b: Invalid value: "x": must be y
b: Invalid value: 7: must be 8
b: Invalid value: [7]: must be ordered
c[1]: Duplicate value: "x"
d: Unsupported value: "x": supported values: "y", "z"
d: Unsupported value: must be y or z
e: Forbidden: not with f
f: Too many: 9: must have at most 8 items)");
  EXPECT_THAT(problems.warnings(), testing::ElementsAre(Finding{"g", "has no effect"}));
}

TEST(Problems, HaveNoConsequencesOfWhatIsUnreadable) {
  Problems problems;
  problems.add("a.b[0]", "is reported before");
  problems.unreadable("a.b", "expected list");
  problems.add("a.b", "is required");
  problems.add("a.b[1].c", "is required");
  problems.add("a.bc", "is another field");
  EXPECT_EQ(problems.error().message,
            "a.b[0]: is reported before\na.b: expected list\na.bc: is another field");
}

TEST(Problems, InALineAreAllOfThem) {
  Problems problems;
  EXPECT_TRUE(problems.result_in_line());
  for (std::size_t i = 0; i < Problems::kMostShown; ++i) problems.add("wrong");
  problems.add_all(invalid(std::vector<Finding>{{"a", "is wrong"}, {"b", "is wrong"}}).error());
  const auto error = problems.error_in_line();
  EXPECT_EQ(error.findings, problems.findings());
  EXPECT_TRUE(error.message.ends_with("wrong; a: is wrong; b: is wrong")) << error.message;
  EXPECT_FALSE(problems.result_in_line());
}

TEST(FieldPath, NamesWhatIsBelow) {
  EXPECT_EQ((FieldPath("spec") / "containers")[1].text(), "spec.containers[1]");
  EXPECT_EQ((FieldPath::document("manifest") / "kind").text(), "kind");
  EXPECT_EQ(below("spec", Finding{"a", "is wrong"}), (Finding{"spec.a", "is wrong"}));
  EXPECT_EQ(below("spec", Finding{"", "is wrong"}), (Finding{"spec", "is wrong"}));
  EXPECT_EQ(parent_path("a.b[1].c"), "a.b[1]");
  EXPECT_EQ(parent_path("a.b[1]"), "a.b");
  EXPECT_EQ(parent_path("a"), "");
}

}  // namespace
}  // namespace podium
