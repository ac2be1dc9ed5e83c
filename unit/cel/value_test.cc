// Value: what its functions require.
#include "cel/value.h"

#include <gtest/gtest.h>

namespace podium::cel {
namespace {

TEST(Value, OfAnotherKindIsNotReadAsThisOne) {
  const auto number = Value::integer(4);
  const auto duration = Value::duration(4);
  EXPECT_EQ(number.as_int(), 4);
  EXPECT_EQ(duration.as_int(), 4);
  EXPECT_EQ(Value::error("no").text(), "no");
  EXPECT_EQ(Value::bytes("b").text(), "b");
  EXPECT_DEATH((void)number.text(), "check failed at .*value.h");
  EXPECT_DEATH((void)Value::string("[]").as_list(), "check failed at .*value.h");
  EXPECT_DEATH((void)Value::list({}).as_map(), "check failed at .*value.h");
  EXPECT_DEATH((void)duration.as_timestamp(), "check failed at .*value.h");
  EXPECT_DEATH((void)Value::string("1Gi").as_quantity(), "check failed at .*value.h");
  EXPECT_DEATH((void)Value::none().unwrapped(), "check failed at .*data_");
}

}  // namespace
}  // namespace podium::cel
