#include "api/text/json_string.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace podium::api {
namespace {

TEST(JsonString, IsAsBoostWritesIt) {
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  for (const auto& text : {all, std::string(), std::string("plain"), std::string("\"at both ends\\"),
                           std::string("ä\u2028\U0001F600")}) {
    std::string out = "[";
    append_json(out, text);
    EXPECT_EQ(out, "[" + boost::json::serialize(boost::json::value(text)));
    EXPECT_EQ(boost::json::parse(out.substr(1)).as_string(), text);
  }
}

TEST(JsonString, IsAsBoostWritesItWhereverAnEscapeIs) {
  for (std::size_t size = 1; size < 20; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (const char c : {'"', '\\', '\x1f', '\0', ' ', '\x7f', '!', '#', '[', ']'}) {
        std::string text(size, 'x'), out;
        text[at] = c;
        append_json(out, text);
        EXPECT_EQ(out, boost::json::serialize(boost::json::value(text))) << size << " " << at;
      }
    }
  }
}

TEST(JsonString, KeepsBytesThatAreNotUtf8) {
  std::string out;
  append_json(out, "a\xff");
  EXPECT_EQ(out, "\"a\xff\"");
}

}  // namespace
}  // namespace podium::api
