// The table of reasons: kube-scheduler's texts, plain words and the page that lists them.
#include "scheduler/framework/reason.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace podium::framework {
namespace {

TEST(Reasons, EachCodeHasItsRowANameAndWords) {
  std::set<std::string_view> names;
  for (const auto& row : reason_rows()) {
    EXPECT_EQ(&row_of(row.code), &row);
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " twice";
    EXPECT_EQ(find_reason(row.name), &row);
    EXPECT_NE(row.words.empty(), row.code != ReasonCode::other) << row.name;
  }
  EXPECT_EQ(find_reason("FromTheFuture"), nullptr);
}

TEST(Reasons, HaveKubeSchedulersTextAndSayWhatTheyAreAbout) {
  const Reason cpu(ReasonCode::insufficient_resource, {{Topic::resource, "cpu"}});
  EXPECT_EQ(cpu.text, "Insufficient cpu");
  EXPECT_EQ(named(cpu.about, Topic::resource), "cpu");
  EXPECT_EQ(named(cpu.about, Topic::claim), "");
  const Reason claim(ReasonCode::storage_class_not_found,
                     {{Topic::claim, "d-pg-0"}, {Topic::storage_class, "fast-ssd"}});
  EXPECT_EQ(claim.text, "storageclass.storage.k8s.io \"fast-ssd\" not found");
  EXPECT_EQ(fill(row_of(claim.code).words, claim.about),
            "its claim d-pg-0 names the StorageClass fast-ssd, which does not exist");
  EXPECT_EQ(Reason("no room"), Reason(ReasonCode::other, "no room"));
}

TEST(Reasons, WordsWithoutTheNamesAreStillASentence) {
  EXPECT_EQ(fill("its claim {claim} does not exist", {}), "its claim does not exist");
  EXPECT_EQ(fill("{claim}", {}), "");
  EXPECT_EQ(fill("{", {}), "");
  EXPECT_EQ(fill("no braces", {}), "no braces");
  // What a name holds is not filled again.
  EXPECT_EQ(fill("{claim} {class}", {{Topic::claim, "{class}"}, {Topic::storage_class, "x"}}), "{class} x");
}

TEST(Reasons, AreDocumented) {
  std::ifstream file("docs/reports.md");
  std::stringstream text;
  text << file.rdbuf();
  const auto page = text.str();
  for (const auto& row : reason_rows()) {
    const auto line = page.find("| `" + std::string(row.name) + "` |");
    ASSERT_NE(line, std::string::npos) << "docs/reports.md lacks a row for " << row.name;
    std::string words(row.words);
    EXPECT_NE(page.substr(line, page.find('\n', line) - line).find(words), std::string::npos) << row.name;
  }
}

}  // namespace
}  // namespace podium::framework
