// Page: paths, types, tags, and what the files may load.
#include "app/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <map>
#include <regex>

#include "app/page/asset.h"
#include "app/render/words.h"
#include "explain/report/reason_words.h"

namespace podium::app::page {
namespace {

using server::Reply;
using server::Request;
using testing::HasSubstr;
using testing::Not;

Reply get(const std::string& path, const std::string& method = "GET", const std::string& tag = "") {
  static const Page page;
  Request request;
  request.method = method;
  request.path = path;
  request.if_none_match = tag;
  return page.answer(request);
}

std::string header(const Reply& reply, std::string_view name) {
  for (const auto& [key, value] : reply.headers) {
    if (key == name) return value;
  }
  return "";
}

TEST(Page, EachFileHasItsType) {
  struct Case {
    const char* path;
    int status;
    const char *type, *text;
  };
  const Case cases[] = {
      {"/ui/", 200, "text/html; charset=utf-8", "<!doctype html>"},
      {"/ui/index.html", 200, "text/html; charset=utf-8", "<!doctype html>"},
      {"/ui/main.js", 200, "text/javascript; charset=utf-8", "import"},
      {"/ui/style.css", 200, "text/css; charset=utf-8", "prefers-color-scheme"},
      {"/ui/icon.svg", 200, "image/svg+xml", "<svg"},
      {"/ui/vendor/preact.js", 200, "text/javascript; charset=utf-8", "export"},
      {"/ui/words.json", 200, "application/json", "TaintToleration"},
      {"/ui", 308, "text/plain; charset=utf-8", "/ui/"},
      {"/ui/none.js", 404, "text/plain; charset=utf-8", "not found"},
      {"/ui/../main.js", 404, "text/plain; charset=utf-8", "not found"},
      {"/ui/vendor/../main.js", 404, "text/plain; charset=utf-8", "not found"},
      {"/ui/%2e%2e/main.js", 404, "text/plain; charset=utf-8", "not found"},
  };
  for (const auto& c : cases) {
    const auto reply = get(c.path);
    EXPECT_EQ(reply.status, c.status) << c.path;
    EXPECT_EQ(reply.content_type, c.type) << c.path;
    EXPECT_THAT(reply.body, HasSubstr(c.text)) << c.path;
    const auto policy = header(reply, "Content-Security-Policy");
    EXPECT_THAT(policy, HasSubstr("default-src 'none'; script-src 'self';")) << c.path;
    EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'")) << c.path;
    EXPECT_THAT(policy, Not(HasSubstr("unsafe"))) << c.path;
  }
}

TEST(Page, ServesWhatIsBelowItsPathAlone) {
  EXPECT_TRUE(Page::serves("/ui"));
  EXPECT_TRUE(Page::serves("/ui/"));
  EXPECT_TRUE(Page::serves("/ui/x"));
  EXPECT_FALSE(Page::serves("/uix"));
  EXPECT_FALSE(Page::serves("/"));
  EXPECT_FALSE(Page::serves("/v1/ui/"));
}

TEST(Page, OnlyReads) {
  EXPECT_EQ(get("/ui/", "HEAD").status, 200);
  EXPECT_EQ(get("/ui/", "POST").status, 405);
  EXPECT_EQ(get("/ui/main.js", "OPTIONS").status, 405);
}

TEST(Page, AKnownFileIsNotSentAgain) {
  const auto first = get("/ui/main.js");
  const auto tag = header(first, "ETag");
  ASSERT_FALSE(tag.empty());
  const auto again = get("/ui/main.js", "GET", tag);
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(header(again, "ETag"), tag);
  EXPECT_EQ(get("/ui/main.js", "GET", "W/" + tag + ", \"other\"").status, 304);
  EXPECT_EQ(get("/ui/style.css", "GET", tag).status, 200) << "another file has another tag";
}

// The policy of the replies also forbids these; this test names the file.
TEST(Page, TheFilesLoadNothingFromElsewhereAndHaveNoInlineScript) {
  const std::regex wrong(
      R"((src|href)=["']?(https?:)?//|@import|url\(|<script>|<style|\son[a-z]+=["']|style=")"
      R"(|innerHTML|document\.write|\beval\(|localStorage)");
  std::size_t looked_at = 0;
  for (const auto& asset : assets()) {
    if (asset.name.starts_with("vendor/")) continue;
    ++looked_at;
    std::cmatch found;
    EXPECT_FALSE(std::regex_search(asset.body.begin(), asset.body.end(), found, wrong))
        << asset.name << ": " << found.str();
  }
  EXPECT_GE(looked_at, 5u);
}

TEST(Page, HasTheWordsOfTheCommandLine) {
  const auto words = boost::json::parse(get("/ui/words.json").body);
  const auto& strategies = words.at("strategies").as_array();
  EXPECT_GE(strategies.size(), 9u);
  for (const auto& one : strategies) {
    EXPECT_EQ(render::strategy_words(std::string_view(one.at(0).as_string())),
              std::string_view(one.at(1).as_string()));
  }
}

// The text between the names of a row: "does not have enough free ".
std::vector<std::string> parts_of(std::string_view words) {
  std::vector<std::string> out(1);
  bool is_name = false;
  for (const char c : words) {
    if (c == '{' || c == '}') {
      if (!std::exchange(is_name, c == '{')) out.emplace_back();
    } else if (!is_name) {
      out.back() += c;
    }
  }
  return out;
}

// The words of a reason are in the one table; an answer has them.
TEST(Page, HasNoWordsOfAReasonOfItsOwn) {
  constexpr std::size_t kSentence = 14;
  std::size_t looked_for = 0;
  for (const auto& row : framework::reason_rows()) {
    for (const auto& text : {std::string(row.words), explain::plural_of(row.words)}) {
      for (const auto& part : parts_of(text)) {
        if (part.size() < kSentence) continue;
        ++looked_for;
        for (const auto& asset : assets())
          EXPECT_EQ(asset.body.find(part), asset.body.npos) << asset.name << ": " << part;
      }
    }
  }
  EXPECT_GE(looked_for, 60u);
  for (const auto& asset : assets()) {
    for (const char* words : {"closest: ", "no device matches", "exceeded from replica", "more after that"})
      EXPECT_EQ(asset.body.find(words), asset.body.npos) << asset.name << ": " << words;
  }
}

TEST(Page, WeighsLessThan200KB) {
  std::size_t bytes = 0;
  for (const auto& asset : assets()) bytes += asset.body.size();
  EXPECT_LT(bytes, 200'000u);
}

}  // namespace
}  // namespace podium::app::page
