#include "client/decode/managed_fields.h"

#include <gtest/gtest.h>

namespace podium::client {
namespace {

std::string left_of(std::string_view text) {
  std::string buffer;
  return std::string(without_managed_fields(text, buffer));
}

TEST(ManagedFields, GoWithOneComma) {
  EXPECT_EQ(left_of(R"({"metadata":{"name":"a","managedFields":[{"x":["]\\\"]"]}]},"spec":{}})"),
            R"({"metadata":{"name":"a"},"spec":{}})");
  EXPECT_EQ(left_of(R"({"metadata":{"managedFields":[{}],"name":"a"}})"), R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(left_of(R"({"metadata":{"a":1,"managedFields":[],"name":"a"}})"),
            R"({"metadata":{"a":1,"name":"a"}})");
  EXPECT_EQ(left_of(R"({"type":"ADDED","object":{"metadata":{"a":1,"managedFields":[[1],[2]]},"spec":{}}})"),
            R"({"type":"ADDED","object":{"metadata":{"a":1},"spec":{}}})");
}

TEST(ManagedFields, AnyOtherTextStays) {
  for (const auto* text : {
           R"({})",
           R"({"metadata":{"name":"a"}})",
           R"({"metadata":{"managedFields":[{}]}})",
           R"({"metadata":{"annotations":{"a":"\"managedFields\":[1]"}}})",
           R"({"metadata":{"a":1,"x\"managedFields":[1]}})",
           R"({"metadata":{"name":"a"},"spec":{"template":{"a":1,"managedFields":[1],"b":2}}})",
           R"({"metadata":{"a":1,"managedFields":"[]"}})",
           R"({"metadata":{"a":1,"managedFields":[{"b":"]})",
           R"({"metadata":{"a":1,"managedFields":[1])",
           R"({"metadata":{"a":1, "managedFields":[1]}})",
           R"("managedFields":[1])",
           R"(managedFields":[1])",
       }) {
    EXPECT_EQ(left_of(text), text);
  }
}

}  // namespace
}  // namespace podium::client
