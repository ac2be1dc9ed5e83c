// Label selectors as a command line has them.
#include "api/validate/selector_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace podium::api {
namespace {

TEST(SelectorText, MatchesAsKubectlDoes) {
  const Labels labels{{"app", "web"}, {"tier", "front"}, {"n", "5"}, {"example.com/x", ""}};
  struct Case {
    const char* selector;
    bool matches;
  };
  const Case cases[] = {{"", true},
                        {"app=web", true},
                        {"app==web", true},
                        {"app=api", false},
                        {"app!=api", true},
                        {"zone!=a", true},
                        {"app", true},
                        {"zone", false},
                        {"!zone", true},
                        {"!app", false},
                        {"app=web,tier=front", true},
                        {"app=web,tier=back", false},
                        {"app in (api, web)", true},
                        {"app in (api,db), tier", false},
                        {"app notin (api,db),tier", true},
                        {"n>4", true},
                        {"n<5", false},
                        {" app = web ", true},
                        {"example.com/x=", true}};
  for (const auto& c : cases) {
    const auto parsed = parse_selector(c.selector);
    ASSERT_TRUE(parsed) << c.selector << ": " << parsed.error().message;
    EXPECT_EQ(parsed->matches(labels), c.matches) << c.selector;
  }
}

TEST(SelectorText, NamesThePartThatIsWrong) {
  const auto why = [](const char* text) { return parse_selector(text).error().message; };
  EXPECT_EQ(why("app=web,"), "a selector between two commas is empty");
  EXPECT_EQ(why("app=a b"), "\"app=a b\" has a value that no label may have");
  EXPECT_EQ(why("app in a"), "\"app in a\" needs values in parentheses");
  for (const auto* text : {"a>x", "a<", "a>1.5", "a<9223372036854775808"})
    EXPECT_EQ(why(text), fmt::format("\"{}\" needs a whole number after > and <", text));
  EXPECT_EQ(why("a/b/c=1"), "\"a/b/c=1\" has no label key; try app=web");
  EXPECT_EQ(why("app web"),
            "\"app web\" is not a selector; try app=web, app!=web, app, !app or \"app in (a, b)\"");
}

}  // namespace
}  // namespace podium::api
