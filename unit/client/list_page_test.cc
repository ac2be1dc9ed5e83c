#include "client/decode/list_page.h"
#include "api/text/parse_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <utility>
#include <vector>

#include "client/decode/json_skim.h"
#include "client/decode/watch_lines.h"

namespace podium::client {
namespace {

namespace json = boost::json;
using Members = std::vector<std::pair<std::string, std::string>>;
using Items = std::vector<std::string>;

std::string deep(int levels) {
  std::string text;
  for (int i = 0; i < levels; ++i) text += R"({"a":[)";
  return text + std::string("1");
}

TEST(Skim, FindsTheMembers) {
  struct Case {
    const char* text;
    bool whole;
    Members expect;
  } cases[] = {
      {"{}", true, {}},
      {" { } ", true, {}},
      {R"({"a":1,"b" : {"c":"}"} , "d":[1,{"e":"\"]"}]})",
       true,
       {{"a", "1"}, {"b", R"({"c":"}"})"}, {"d", R"([1,{"e":"\"]"}])"}}},
      {R"({"a":"\\","b":null})", true, {{"a", R"("\\")"}, {"b", "null"}}},
      {R"({"a":1} x)", false, {{"a", "1"}}},
      {R"({"a":1,"b":{"c":)", false, {{"a", "1"}, {"b", R"({"c":)"}}},
      {R"({"a":"x\)", false, {{"a", R"("x\)"}}},
      {R"({"a)", false, {}},
      {R"({"a" 1})", false, {}},
      {R"({"a":})", false, {}},
      {R"({"a":1 "b":2})", false, {{"a", "1"}}},
      {"", false, {}},
      {"[1]", false, {}},
  };
  for (const auto& test : cases) {
    Members got;
    const bool whole = skim_members(test.text, [&](auto key, auto value) { got.emplace_back(key, value); });
    EXPECT_EQ(whole, test.whole) << test.text;
    EXPECT_EQ(got, test.expect) << test.text;
  }
}

TEST(Skim, FindsTheItems) {
  struct Case {
    const char* text;
    bool whole;
    Items expect;
  } cases[] = {
      {"[]", true, {}},
      {R"([1, {"a":"]"},[2,3] , "x"])", true, {"1", R"({"a":"]"})", "[2,3]", R"("x")"}},
      {"[1,[2", false, {"1", "[2"}},
      {"[1", false, {"1"}},
      {"[,]", false, {}},
      {"{}", false, {}},
  };
  for (const auto& test : cases) {
    Items got;
    EXPECT_EQ(skim_items(test.text, [&](auto item) { got.emplace_back(item); }), test.whole) << test.text;
    EXPECT_EQ(got, test.expect) << test.text;
  }
}

TEST(Skim, FindsTheEndOfAValue) {
  constexpr auto npos = std::string_view::npos;
  struct Case {
    const char* text;
    std::size_t at, end;
  } cases[] = {
      {R"([1,"]\"]",{"a":[2]}],3)", 0, 20},
      {R"({"a":"}"},3)", 0, 9},
      {R"(x"a\\",)", 1, 6},
      {"12,3", 0, 2},
      {"[[1]", 0, npos},
      {R"("a\")", 0, npos},
      {"", 0, npos},
      {R"(["\)", 0, npos},
  };
  for (const auto& test : cases) EXPECT_EQ(end_of_value(test.text, test.at), test.end) << test.text;
}

TEST(Skim, GoesAsDeepAsTheTextDoes) {
  const int levels = 1'000'000;
  std::string text = deep(levels);
  for (int i = 0; i < levels; ++i) text += "]}";
  Items got;
  EXPECT_TRUE(skim_items("[" + text + ",2]", [&](auto item) { got.emplace_back(item); }));
  ASSERT_EQ(got.size(), 2u);
  EXPECT_TRUE(got[0] == text);
}

TEST(ListPage, IsCutIntoItsItems) {
  const std::string body =
      R"({"kind":"PodList","metadata":{"resourceVersion":"9","continue":"t"},"items":[{"a":1},{"b":2}]})";
  const auto page = split_list(body);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->resource_version, "9");
  EXPECT_EQ(page->token, "t");
  EXPECT_EQ(page->items, (std::vector<std::string_view>{R"({"a":1})", R"({"b":2})"}));
  const auto empty = split_list(R"({"metadata":{"resourceVersion":"9"},"items":null})");
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->items.empty());
  for (const char* bad : {"", "[]", "{}", R"({"metadata":5})", R"({"metadata":{},"items":[{"a":1})",
                          R"({"metadata":{},"items":{}})", R"({"metadata":{},"items":[]} x)"}) {
    EXPECT_FALSE(split_list(bad)) << bad;
  }
}

TEST(Outline, IsWhatCanBeReadOfAnObject) {
  const std::string head =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns","labels":{"a":"b"},)";
  const auto expect = json::parse(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns","labels":{"a":"b"},"uid":"u"}})");
  const std::string text = head + R"("managedFields":[)" + deep(500) + R"(],"uid":"u"},"spec":)" + deep(500);
  EXPECT_NE(read_outline(text, {}), expect) << "the brackets in it do not match";
  std::string closed = deep(500);
  for (int i = 0; i < 500; ++i) closed += "]}";
  const auto whole = head + R"("managedFields":[)" + closed + R"(],"uid":"u"},"spec":)" + closed + "}";
  EXPECT_FALSE(api::parse_json(whole));
  EXPECT_EQ(read_outline(whole, {}), expect);
  EXPECT_EQ(name_of(read_outline(whole, {})), "ns/p");
  // Cut short in the spec, and within the labels.
  EXPECT_EQ(read_outline(head + R"("uid":"u"},"spec":{"containers":[{"na)", {}), expect);
  EXPECT_EQ(name_of(read_outline(head.substr(0, head.size() - 5), {})), "ns/p");
  EXPECT_EQ(read_outline("nonsense", {}), json::parse(R"({"metadata":{}})"));
  EXPECT_EQ(name_of(json::parse("3")), "");
}

}  // namespace
}  // namespace podium::client
