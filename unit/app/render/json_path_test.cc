// JSONPath as kubectl's -o jsonpath and --sort-by take it.
#include "app/render/json_path.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace podium::render {
namespace {

const boost::json::value& document() {
  static const auto value = boost::json::parse(R"({"kind": "List", "items": [
    {"name": "a", "count": 3, "labels": {"example.com/x": "1"}, "on": true},
    {"name": "b", "count": 5, "tags": ["t1", "t2", "t3"]}], "empty": [], "o": {"k": null}})");
  return value;
}

TEST(JsonPathTest, PrintsAsKubectlDoes) {
  struct Case {
    const char* path;
    const char* text;
  };
  const Case cases[] = {
      {"{.kind}", "List"},
      {"{ .kind }", "List"},
      {"{$.kind}", "List"},
      {"kinds: {.kind}!", "kinds: List!"},
      {"{.items[*].name}", "a b"},
      {"{.items[0].name}{\"\\n\"}{.items[-1].name}", "a\nb"},
      {"{.items[1].tags[0:2]}", "t1 t2"},
      {"{.items[1].tags[1:]}", "t2 t3"},
      {"{range .items[*]}{.name}={.count}{\"\\t\"}{end}", "a=3\tb=5\t"},
      {"{.items[?(@.count>3)].name}", "b"},
      {"{.items[?(@.name==\"a\")].count}", "3"},
      {"{.items[?(@.name=='a')].count}", "3"},
      {"{.items[?(@.on==true)].name}", "a"},
      {"{.items[?(@.tags)].name}", "b"},
      {"{.items[0].labels.example\\.com/x}", "1"},
      {"{.items[0].labels['example.com/x']}", "1"},
      {"{..name}", "a b"},
      {"{.items[1].tags}", R"(["t1","t2","t3"])"},
      {"{.missing}", ""},
      {"{.items[7].name}", ""},
      {"{.empty[*]}", ""},
      {"{.kind} {.items[0].count}", "List 3"},
      {"{.kind .items[0].count}", "List3"},
  };
  for (const auto& c : cases) {
    const auto path = JsonPath::parse(c.path);
    ASSERT_TRUE(path) << c.path << ": " << path.error().message;
    EXPECT_EQ(path->print(document()), c.text) << c.path;
  }
}

TEST(JsonPathTest, NamesThePlaceThatIsWrong) {
  for (const char* text : {"", "{", "{.a", "{.a[}", "{.a[0}", "{range .a}", "{end}", "{a}", "{.a[?(x)]}",
                           "{'a}", "{.a[?(@.x==)]}", "{.a[]}", "{..}"})
    EXPECT_FALSE(JsonPath::parse(text)) << text;
  EXPECT_EQ(JsonPath::parse("{.a[x]}").error().message,
            "[] takes a number, a range, *, a quoted key or ?( ) at character 5 of \"{.a[x]}\"");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "{range .a}";
  EXPECT_FALSE(JsonPath::parse(deep));
}

TEST(JsonPathTest, AFieldToSortByNeedsNoBraces) {
  for (const char* text : {"count", ".count", "{.count}"}) {
    const auto path = JsonPath::parse_field(text);
    ASSERT_TRUE(path) << text;
    const auto found = path->find(document().at("items").at(0));
    ASSERT_EQ(found.size(), 1u) << text;
    EXPECT_EQ(*found.front(), 3) << text;
  }
  EXPECT_FALSE(JsonPath::parse_field("count: {.count}"));
}

}  // namespace
}  // namespace podium::render
