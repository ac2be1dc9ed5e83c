#include "api/text/yaml.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>

#include "unit/support/cost.h"

namespace podium::api {
namespace {

std::string parsed(std::string_view text) {
  const auto documents = parse_documents(text, "in.yaml");
  if (!documents) return "error: " + documents.error().message;
  std::string out;
  for (const auto& document : *documents) {
    if (!out.empty()) out += ' ';
    out += boost::json::serialize(document.value);
  }
  return out;
}

TEST(ParseDocuments, Reads) {
  struct Case {
    const char* name;
    std::string_view text, want;
  };
  const Case cases[] = {
      {"nothing", "", ""},
      {"only a comment", "# nothing\n", ""},
      {"documents", "# first\n---\na: 1\n---\n---\nb: 2\n...\n", R"({"a":1} {"b":2})"},
      {"after the end of a document", "a: 1\n...\nb: 2\n", R"({"a":1} {"b":2})"},
      {"JSON", " {\"a\": 1}\n\n{\"b\": [true, null]} ", R"({"a":1} {"b":[true,null]})"},
      {"JSON between separators", "{\"a\": \"\\ud83d\\ude00\"}\n---\n{\"b\":\n\t1}\n---\n",
       R"({"a":"😀"} {"b":1})"},
      {"JSON of kubectl cluster-info dump",
       "{\"a\": 1}\n==== START logs for container c of pod shop/web ====\n{\n---\n==== END logs for "
       "container c of "
       "pod shop/web ====\n{\"b\": 2}\n==== START logs for container d of pod shop/web ====\n==== END logs "
       "for "
       "container d of pod shop/web ====",
       R"({"a":1} {"b":2})"},
      {"JSON and YAML", "{\"a\": 1}\n---\nb: 2\n", R"({"a":1} {"b":2})"},
      {"JSON-like YAML", "{a: 1, b: [x, 'y']}", R"({"a":1,"b":["x","y"]})"},
      {"quoted stay strings", "[\"1\", '2', \"true\", '~', '']", R"(["1","2","true","~",""])"},
      {"integers", "[1, -1, +1, 0x10, 0b11, 010, 0o17, 1_000]", "[1,-1,1,16,3,8,15,1000]"},
      {"large integers", "[9223372036854775807, 18446744073709551615]",
       "[9223372036854775807,18446744073709551615]"},
      {"floats", "[0.5, 250e-3, 1e3, .5, 08]", "[5E-1,2.5E-1,1E3,5E-1,8E0]"},
      {"booleans of YAML 1.1", "[true, False, yes, No, on, OFF, y, n]",
       "[true,false,true,false,true,false,true,false]"},
      {"nulls", "[~, null, NULL, ]", "[null,null,null]"},
      {"strings", "[1.2.3, 10Gi, 2024-01-01, 1:30, 0x, e3, inf, +, -.]",
       R"(["1.2.3","10Gi","2024-01-01","1:30","0x","e3","inf","+","-."])"},
      {"tags", "[!!str 1, !!int \"2\", !custom 3]", R"(["1",2,"3"])"},
      {"keys become strings", "{1: a, true: b, 0x10: c, \"~\": d}",
       R"({"1":"a","true":"b","16":"c","~":"d"})"},
      {"block scalars", "a: |\n  x\n  y\nb: >-\n  x\n  y\n", R"({"a":"x\ny\n","b":"x y"})"},
      {"aliases", "a: &x {b: [1]}\nc: *x\nd: *x\n", R"({"a":{"b":[1]},"c":{"b":[1]},"d":{"b":[1]}})"},
      {"merge keys", "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n",
       R"({"a":{"b":1,"c":2},"d":{"c":3,"b":1}})"},
      {"a list of merges", "- &x {a: 1}\n- &y {a: 2, b: 2}\n- {<<: [*x, *y], c: 3}\n",
       R"([{"a":1},{"a":2,"b":2},{"c":3,"a":1,"b":2}])"},
      {"UTF-8", "a: \"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"",
       "{\"a\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"}"},
      {"escapes of characters beyond ASCII", R"("\Nx\_": ["\xe4\N", "\u20ac\_", "\L\P"])",
       "{\"\xc2\x85x\xc2\xa0\":[\"\xc3\xa4\xc2\x85\",\"\xe2\x82\xac\xc2\xa0\",\"\xe2\x80\xa8\xe2\x80\xa9\"]"
       "}"},
  };
  for (const auto& test : cases) EXPECT_EQ(parsed(test.text), test.want) << test.name;
}

TEST(ParseDocuments, TakesTheNearestNumberOfJson) {
  const std::string many_digits = "123456789012345678" + std::string(96, '7');
  for (const std::string& text :
       {many_digits, "0." + many_digits, many_digits + "e-99", std::string("8.5e-300"),
        std::string("1.7976931348623157e308"), std::string("5e-324")}) {
    const auto read = parse_documents("{\"a\": " + text + "}", "in.json");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->front().value.at("a").as_double(), std::strtod(text.c_str(), nullptr)) << text;
    const auto again = parse_documents(to_json(read->front().value), "again");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->front().value, read->front().value) << text;
  }
  EXPECT_EQ(parsed("{\"a\": [1e-400, -0.0, 12, 1]}"), R"({"a":[0E0,-0E0,12,1]})");
}

TEST(ParseDocuments, ReadsByteOrderMarks) {
  struct Case {
    const char* name;
    std::string_view text, want;
  };
  const Case cases[] = {
      {"YAML",
       "\xEF\xBB\xBF"
       "a: é",
       R"({"a":"é"})"},
      {"JSON",
       "\xEF\xBB\xBF"
       "{\"a\": 1}",
       R"({"a":1})"},
      {"UTF-16, as PowerShell writes it",
       {"\xFF\xFE"
        "a\0:\0 \0\xE9\0\r\0\n\0",
        14},
       R"({"a":"é"})"},
      {"UTF-16, the other order", {"\xFE\xFF\0a\0:\0 \0b", 10}, R"({"a":"b"})"},
      {"JSON in UTF-16",
       {"\xFF\xFE{\0\"\0a\0\"\0:\0"
        "1\0}\0",
        16},
       R"({"a":1})"},
      {"a character of two units",
       {"\xFF\xFE"
        "a\0:\0 \0\x3D\xD8\x00\xDE",
        12},
       R"({"a":"😀"})"},
      {"half a character",
       {"\xFF\xFE"
        "a\0:\0 \0\x3D\xD8",
        10},
       "error: in.yaml:1:4: the input is not valid UTF-8"},
      {"half a unit",
       {"\xFF\xFE"
        "a\0:\0 \0b",
        9},
       "error: in.yaml:1:4: the input is not valid UTF-8"},
  };
  for (const auto& test : cases) EXPECT_EQ(parsed(test.text), test.want) << test.name;
}

TEST(ParseDocuments, IsStrict) {
  const auto tar = "d.yaml" + std::string(251, '\0') + "ustar";
  struct Case {
    const char* name;
    std::string_view text, want;
  };
  const Case cases[] = {
      {"duplicate key", "a: 1\nb: 2\na: 3\n", "in.yaml:3:1: key \"a\" is set twice"},
      {"duplicate key below", "x:\n- a: 1\n  a: 2\n", "in.yaml:3:3: key \"a\" is set twice"},
      {"duplicate key in JSON", "{\"a\": 1}\n{\"b\": {\"c\": 1, \"c\": 1}}",
       "in.yaml:2:16: key \"c\" is set twice"},
      {"list as key", "? [a]\n: b\n", "in.yaml:1:3: a key must be a scalar"},
      {"null as key", "~: b\n", "in.yaml:1:1: null is not a valid key"},
      {"an escape that is none", "\"\\\xc2\x85\"", "in.yaml:1:4: unknown escape character: \\xc2"},
      {"not closed", "a: [1, 2\n", "in.yaml:2:1: end of sequence flow not found"},
      {"JSON cut off", "{\"a\": [1,", "in.yaml:1:10: incomplete JSON"},
      {"JSON number that is infinite", "{\"a\": -1E400}", "in.yaml:1:13: the number is over 1.8e308"},
      {"JSON with a comma too much", "{\"a\": 1,}", "in.yaml:1:9: syntax error"},
      {"map and list", "a: 1\n- b\n", "in.yaml:2:1: end of map not found"},
      {"no separator", "{a: 1}\n{b: 1}\n", "in.yaml:2:1: expected the end of the document or '---'"},
      {"unknown alias", "a: *x\n", "in.yaml:1:4: the referenced anchor is not defined"},
      {"alias of itself", "a: &x [*x]\n", "in.yaml:1:8: an alias is inside of its own anchor"},
      {"merge of a scalar", "<<: 1\n", "in.yaml:1:5: only maps can be merged"},
      {"a comma after the document", "--- {a: 1}, true\n",
       "in.yaml:1:11: expected the end of the document or '---'"},
      {"a comma after the end", "a: 1\n...\n, true\n",
       "in.yaml:3:1: expected the end of the document or '---'"},
      {"NUL", std::string_view("-\0\0\0a: 1", 8), "in.yaml:1:2: control characters are not allowed"},
      {"control character", "a: 1\nb: \x1b[1m", "in.yaml:2:4: control characters are not allowed"},
      {"C1 control character",
       "a: \xc2\x9b"
       "1m",
       "in.yaml:1:4: control characters are not allowed"},
      {"control character of a key", R"({"a\rb": 1, "a\rb": 2})", R"(in.yaml:1:13: key "a\rb" is set twice)"},
      {"invalid UTF-8", "a: 1\nb: \xff\n", "in.yaml:2:4: the input is not valid UTF-8"},
      {"overlong UTF-8", "a: \xc0\x80", "in.yaml:1:4: the input is not valid UTF-8"},
      {"surrogate", "a: \xed\xa0\x80", "in.yaml:1:4: the input is not valid UTF-8"},
      {"a tab", "a:\n  - b: 1\n\t- c: 2\n",
       "in.yaml:3:1: illegal tab when looking for indentation; YAML does not allow tabs for indentation"},
      {"a template", "kind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n",
       "in.yaml:3:10: a key must be a scalar; a template must be rendered first, such as with helm template"},
      {"gzip", "\x1f\x8b\x08", "in.yaml: the input is compressed: unpack it first, with gunzip or tar xzf"},
      {"tar", tar, "in.yaml: the input is a tar archive: unpack it first, with tar xf"},
      {"zip", "PK\x03\x04", "in.yaml: the input is a zip archive: unpack it first"},
      {"cut UTF-8", "a: \xe2\x82", "in.yaml:1:4: the input is not valid UTF-8"},
  };
  for (const auto& test : cases)
    EXPECT_EQ(parsed(test.text), "error: " + std::string(test.want)) << test.name;
}

TEST(ParseDocuments, LimitsAliases) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const auto before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += before + (j < 9 ? ", " : "]\n");
  }
  EXPECT_EQ(parsed(bomb).substr(0, 7), "error: ");
  EXPECT_NE(parsed(bomb).find("the document has excessive aliasing"), std::string::npos);
}

std::string times(int count, std::string_view text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST(ParseDocuments, LimitsWhatAliasesCopy) {
  const std::string text(100'000, 'x');
  const auto document = "---\na: &a " + text.substr(0, 1'000) + "\nb: [" + times(100, "*a, ") + "]\n";
  const std::string bombs[] = {
      "a: &a " + text + "\nb:\n" + times(1'000, "- *a\n"),
      times(1'000, document),
      times(190, "&a [") + text + times(190, "]"),
  };
  for (const auto& bomb : bombs)
    EXPECT_TRUE(parsed(bomb).contains("the document has excessive aliasing")) << bomb.substr(0, 40);
  EXPECT_TRUE(parsed(document).starts_with("{\"a\":"));
}

// yaml-cpp decodes these escapes to bytes that are not UTF-8.
TEST(ParseDocuments, EscapesOfOneByteCostTimeByTheirNumber) {
  EXPECT_TRUE(test::is_linear(2'000, [](std::size_t n) -> test::Work {
    auto text = "a: \"" + times(static_cast<int>(n), "\\N\\_x") + "\"";
    return [text = std::move(text)] { EXPECT_TRUE(parsed(text).starts_with("{\"a\":")); };
  }));
}

TEST(ParseDocuments, LimitsThePathsOfLines) {
  const std::string key(1'000, 'k');
  const auto text = "a: " + times(190, "{" + key + ": ") + "[" + times(400, "x, ") + "]" + times(190, "}");
  EXPECT_EQ(parsed(text).substr(0, 7), "error: ");
  EXPECT_TRUE(parsed(text).ends_with("the keys of the document are too long for its depth"));
  YamlLimits limits;
  limits.lines = false;
  EXPECT_TRUE(parse_documents(text, "in.yaml", limits));
}

TEST(ParseDocuments, LimitsSizeAndDepth) {
  YamlLimits limits;
  limits.bytes = 10;
  EXPECT_EQ(parse_documents("a: 12345678", "big", limits).error().message,
            "big: the input has more than 10 bytes");
  limits = {};
  limits.nodes = 3;
  EXPECT_FALSE(parse_documents("[1, 2, 3]", "many", limits));
  EXPECT_TRUE(parse_documents("[1, 2]", "many", limits));
  EXPECT_EQ(parsed(std::string(100'000, '[')).substr(0, 7), "error: ");
  EXPECT_EQ(parsed("{\"a\": " + std::string(100'000, '[')).substr(0, 7), "error: ");
  EXPECT_EQ(parsed(times(200, "[") + times(200, "]")), times(200, "[") + times(200, "]"));
  EXPECT_EQ(parsed(times(201, "[") + times(201, "]")), "error: in.yaml:1:201: too deep");
  const auto half = times(100, "["), end = times(100, "]");
  EXPECT_EQ(parsed("- &a " + half + end + "\n- " + half + "*a" + end), "error: in.yaml:2:103: too deep");
}

TEST(ParseDocuments, KnowsTheLines) {
  const auto documents =
      parse_documents("# profiles\na: 1\n---\nb:\n- c: 1\n  d:\n  - x\n  - {e: 2}\n", "in.yaml");
  ASSERT_TRUE(documents);
  ASSERT_EQ(documents->size(), 2u);
  EXPECT_EQ((*documents)[0].lines, (std::map<std::string, int>{{"a", 2}}));
  EXPECT_EQ((*documents)[1].lines, (std::map<std::string, int>{{"b", 4},
                                                               {"b[0]", 5},
                                                               {"b[0].c", 5},
                                                               {"b[0].d", 6},
                                                               {"b[0].d[0]", 7},
                                                               {"b[0].d[1]", 8},
                                                               {"b[0].d[1].e", 8}}));
  EXPECT_EQ((*documents)[1].line, 3);
  EXPECT_EQ((*documents)[1].index, 2);
}

TEST(ToJson, IsLaidOutAsGoDoes) {
  const auto value = boost::json::parse(
      R"({"b": [1, {"x": []}, {}], "a": "<&>\u2028\u0001\n\"\\", "n": null, "f": [0.5, 1e21, 1e-7, 100.0, -0.25]})");
  EXPECT_EQ(to_json(value), R"({
 "b": [
  1,
  {
   "x": []
  },
  {}
 ],
 "a": "<&>\u2028\u0001\n\"\\",
 "n": null,
 "f": [
  0.5,
  1e+21,
  1e-7,
  100,
  -0.25
 ]
}
)");
}

TEST(ToYaml, IsLaidOutAsKubectlDoes) {
  const auto value = boost::json::parse(
      R"({"kind": "Pod", "empty": {}, "list": [{"a": 1, "b": ["x"]}, [1, 2], []], "map": {"c": "10Gi", "yes": "no"}})");
  EXPECT_EQ(to_yaml(value), R"(kind: Pod
empty: {}
list:
- a: 1
  b:
  - x
- - 1
  - 2
- []
map:
  c: 10Gi
  "yes": "no"
)");
}

TEST(ToYaml, QuotesAsKubectlDoes) {
  const struct {
    const char *text, *want;
  } cases[] = {
      {"http://127.0.0.1:8888/x", "http://127.0.0.1:8888/x"},
      {"a=b, c", "a=b, c"},
      {"-x", "-x"},
      {"*", "'*'"},
      {"a: b", "'a: b'"},
      {"a:", "'a:'"},
      {"a #b", "'a #b'"},
      {"a#b", "a#b"},
      {"- a", "'- a'"},
      {" a", "' a'"},
      {"it's", "it's"},
      {"'a'", "'''a'''"},
      {"@a", "'@a'"},
      {"[a]", "'[a]'"},
      {"", R"("")"},
      {"yes", R"("yes")"},
      {"1", R"("1")"},
      {"~", R"("~")"},
      {"2024-01-01", R"("2024-01-01")"},
      {"12:30", R"("12:30")"},
      {"1.2.3.4:80", "1.2.3.4:80"},
      {"a\nb", R"("a\nb")"},
      {"\xc2\x9b"
       "31m\x7f",
       R"("\u009b31m\u007f")"},
      {"\xc2\x85\xc2\xa0", "\"\\u0085\xc2\xa0\""},
  };
  for (const auto& c : cases) EXPECT_EQ(to_yaml(boost::json::string(c.text)), std::string(c.want) + "\n");
}

TEST(ToYaml, ReadsBackTheSame) {
  const auto value = boost::json::parse(
      R"(["", " a", "a ", "1", "1e3", "true", "~", "- a", "a: b", "a #b", "#a", "2024-01-01", "12:30", "x\ny", "\t",
          "<<", "*a", "&a", "!a", "%a", "@a", "`a", "'a'", "\"a\"", "[a]", "{a}", "a,b", "?", "-", "---", "...", "ä€",
          "0x1F", "010", 0.25, 1e30, -5, true, null, {"1": {"~": "null"}}, [[[]]], {"a": {}}])");
  const auto again = parse_documents(to_yaml(value), "again");
  ASSERT_TRUE(again) << again.error().message << "\n" << to_yaml(value);
  ASSERT_EQ(again->size(), 1u);
  EXPECT_EQ((*again)[0].value, value) << to_yaml(value);
}

TEST(ToYaml, MarksALongKey) {
  const std::string key(129, 'k');
  const auto value = boost::json::parse(R"({"x": {")" + key + R"(": 1, ")" + key +
                                        R"(2": {"a": [1], "b": 2}, ")" + key + R"(3": ["c", {"d": 4}]}})");
  EXPECT_EQ(to_yaml(value), "x:\n  ? " + key + "\n  : 1\n  ? " + key + "2\n  : a:\n    - 1\n    b: 2\n  ? " +
                                key + "3\n  : - c\n    - d: 4\n");
  const auto again = parse_documents(to_yaml(value), "again");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->front().value, value);
  const boost::json::value longest{{std::string(5'000, '\n'), 1}};
  EXPECT_EQ(parse_documents(to_yaml(longest), "longest")->front().value, longest);
}

}  // namespace
}  // namespace podium::api
