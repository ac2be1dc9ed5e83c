// Fields of JSON by name and by pointer: a missing field, null and a field of another type are empty.
#include "api/text/json_view.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace podium::api {
namespace {

const boost::json::value kPod = boost::json::parse(
    R"({"metadata": {"name": "a", "generation": 3, "labels": null}, "spec": {"paused": true, "list": [1]}})");

TEST(JsonView, ByPointer) {
  EXPECT_EQ(text_at(kPod, "/metadata/name"), "a");
  EXPECT_EQ(text_at(kPod, "/metadata/generation"), "");
  EXPECT_EQ(text_at(kPod, "/metadata/none"), "");
  EXPECT_EQ(integer_at(kPod, "/metadata/generation"), 3);
  EXPECT_EQ(integer_at(kPod, "/spec/list/0"), 1);
  EXPECT_EQ(integer_at(kPod, "/metadata/name"), std::nullopt);
  EXPECT_TRUE(is_true_at(kPod, "/spec/paused"));
  EXPECT_FALSE(is_true_at(kPod, "/metadata/name"));
  EXPECT_EQ(find_at(kPod, "/metadata/labels"), nullptr) << "null";
}

TEST(JsonView, ByAnyPointerAsBoostFindsIt) {
  const auto value = boost::json::parse(
      R"({"a": {"b/c": 1, "d~e": {"f": 2}, "": 3, "g": [[4], {"h": 5}]}, "": {"": 6}, "i": null, "j": "k"})");
  for (const auto* pointer :
       {"",           "/",    "//",       "/a",         "/a/",     "/a/b~1c",   "/a/d~0e/f",
        "/a/d~0e/f/", "/a/g", "/a/g/0/0", "/a/g/1/h",   "/a/g/2",  "/a/g/00",   "/a/g/-",
        "/i",         "/i/x", "/j/0",     "/none",      "/none/x", "/a/none/x", "a",
        "a/",         "/a~",  "/a~2",     "/a/g/1/none"}) {
    boost::system::error_code failure;
    EXPECT_EQ(value_at(value, pointer), value.find_pointer(pointer, failure)) << pointer;
  }
}

TEST(JsonView, ByName) {
  const auto* metadata = member(&kPod, "metadata");
  ASSERT_TRUE(metadata);
  EXPECT_EQ(text_of(member(metadata, "name")), "a");
  EXPECT_EQ(text_of(member(metadata, "generation")), "");
  EXPECT_EQ(member(metadata, "labels"), nullptr) << "null";
  EXPECT_EQ(member(member(metadata, "none"), "name"), nullptr);
  EXPECT_EQ(member(member(metadata, "name"), "name"), nullptr) << "of a text";
  EXPECT_EQ(text_of(nullptr), "");
}

}  // namespace
}  // namespace podium::api
