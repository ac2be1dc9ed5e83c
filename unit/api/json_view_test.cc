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
