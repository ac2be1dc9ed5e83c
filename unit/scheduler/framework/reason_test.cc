// The table of reasons: kube-scheduler's texts and plain words.
#include "scheduler/framework/reason.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace podium::framework {
namespace {

std::size_t count_of(const std::string& text, char c) {
  return static_cast<std::size_t>(std::ranges::count(text, c));
}

TEST(Reasons, EachCodeHasItsRowWithAllItsWords) {
  std::set<std::string_view> names;
  for (const auto& row : reason_rows()) {
    EXPECT_EQ(&row_of(row.code), &row);
    EXPECT_FALSE(row.name.empty());
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " twice";
    EXPECT_EQ(find_reason(row.name), &row);
    EXPECT_NE(row.words.empty(), row.code != ReasonCode::other) << row.name;
    // No plugin is tried for a pod that is being deleted.
    const bool is_of_several_or_none =
        row.code == ReasonCode::other || row.code == ReasonCode::excluded_by_name ||
        row.code == ReasonCode::node_not_found || row.code == ReasonCode::pod_deleted;
    EXPECT_EQ(plugins_of(row).empty(), is_of_several_or_none) << row.name;
  }
  EXPECT_EQ(find_reason("FromTheFuture"), nullptr);
}

TEST(Reasons, BracesAreOfTopics) {
  Topics all;
  for (auto topic = Topic{}; topic <= Topic::label; topic = Topic(static_cast<int>(topic) + 1))
    all.emplace_back(topic, "#");
  for (const auto& row : reason_rows()) {
    for (const auto& text : {std::string(row.text), std::string(row.words)})
      EXPECT_EQ(count_of(fill(text, all), '#'), count_of(text, '{')) << text;
  }
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

}  // namespace
}  // namespace podium::framework
