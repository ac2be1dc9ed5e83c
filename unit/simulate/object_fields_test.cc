#include "simulate/base/object_fields.h"

#include <gtest/gtest.h>

#include <string>

namespace podium::simulate {
namespace {

TEST(FindWords, IsThatOfStrings) {
  const std::string text = R"({"uid":"1","nodeName":"n","uid":"2"})";
  for (const char* words : {"\"uid\":\"", "\"nodeName\":\"", "\"", "no", "}",
                            "{\"uid\":\"1\",\"nodeName\":\"n\",\"uid\":\"2\"}?"}) {
    for (std::size_t from = 0; from <= text.size() + 1; ++from)
      EXPECT_EQ(find_words(text, words, from), text.find(words, from)) << words << " from " << from;
  }
  EXPECT_EQ(find_words("", "a"), std::string::npos);
}

}  // namespace
}  // namespace podium::simulate
