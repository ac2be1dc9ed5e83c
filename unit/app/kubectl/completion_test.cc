// Candidates to complete a command line.
#include "app/kubectl/completion.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/kubectl/verbs.h"
#include "scheduler/framework/reason.h"

namespace podium::kubectl {
namespace {

using Words = std::vector<std::string>;

struct CompletionTest : testing::Test {
  CompletionTest() { add_verbs(app, code); }
  Completion after(const Words& words) { return complete(app, words); }
  CLI::App app{"", "podium"};
  int code = 0;
};

TEST_F(CompletionTest, SubcommandsFirst) {
  const auto found = after({""}).words;
  for (const char* name : {"why", "whatif", "capacity", "drain", "diff", "pending", "top", "completion"}) {
    EXPECT_NE(std::ranges::find(found, name), found.end()) << name;
  }
}

TEST_F(CompletionTest, FlagsOfTheSubcommand) {
  const auto found = after({"why", "--"}).words;
  EXPECT_NE(std::ranges::find(found, "--node"), found.end());
  EXPECT_EQ(std::ranges::find(found, "--replicas"), found.end());
}

TEST_F(CompletionTest, NamesOfTheCluster) {
  struct Case {
    Words words;
    const char* names_of;
    const char* prefix;
  };
  const Case cases[] = {{{"why", ""}, "pods", ""},
                        {{"why", "web", "--node", ""}, "nodes", ""},
                        {{"why", "deploy/"}, "deployments", "deploy/"},
                        {{"drain", "n1", ""}, "nodes", ""},
                        {{"why", "-n", ""}, "namespaces", ""},
                        {{"why", "-n", "shop", "w"}, "pods", ""},
                        {{"whatif", "deploy/w"}, "deployments", "deploy/"},
                        {{"whatif", "--fixes", "sts/"}, "statefulsets", "sts/"},
                        {{"capacity", "--like", "n"}, "nodes", ""},
                        {{"drain", ""}, "nodes", ""},
                        {{"diff", "web", ""}, "pods", ""},
                        {{"top", "-n", ""}, "namespaces", ""},
                        {{"top", ""}, "", ""},
                        {{"whatif", "svc/"}, "", ""}};
  for (const auto& c : cases) {
    const auto found = after(c.words);
    EXPECT_EQ(found.names_of, c.names_of) << c.words.back();
    EXPECT_EQ(found.prefix, c.prefix) << c.words.back();
  }
}

TEST_F(CompletionTest, CodesOfReasons) {
  const auto codes = after({"reasons", "Other", ""}).words;
  EXPECT_EQ(codes.size(), framework::reason_rows().size());
  EXPECT_NE(std::ranges::find(codes, "UntoleratedTaint"), codes.end());
}

// Bash's compgen expands the candidates. A server's names are not always what an API server would take.
TEST(Candidates, OnesThatAShellWouldRunAreLeftOut) {
  EXPECT_EQ(candidates({"web-1", "$(reboot)", "web`id`", "web 2", "web;id", "web\n:0", "web\x1b[2J",
                        "web\u202e", "deploy/web", "jsonpath=", "--all-namespaces", "n1.example.com", "db"},
                       "")
                .size(),
            6u);
  EXPECT_EQ(candidates({"web-1", "web*", "web~", "db"}, "web"), (Words{"web-1"}));
}

// A namespace of a cluster's server may have any name.
TEST(Candidates, NamesThatWouldBeFlagsAreLeftOut) {
  Completion found{.words = {"--node"}};
  add_names({"web-1", "--kubeconfig=x", "-"}, found);
  EXPECT_EQ(found.words, (Words{"--node", "web-1"}));
  Completion of_type{.prefix = "deploy/"};
  add_names({"-x"}, of_type);
  EXPECT_EQ(of_type.words, (Words{"deploy/-x"}));
}

TEST_F(CompletionTest, ValuesAndFiles) {
  EXPECT_EQ(after({"why", "-o", ""}).words,
            (Words{"table", "wide", "json", "yaml", "name", "answer", "jsonpath="}));
  EXPECT_TRUE(after({"whatif", "-f", ""}).files);
  EXPECT_FALSE(after({"why", ""}).files);
  EXPECT_TRUE(after({"diff", "./a"}).files);
  EXPECT_FALSE(after({"top", ""}).files);
  EXPECT_NE(after({"whatif", ""}).words, Words{});
}

}  // namespace
}  // namespace podium::kubectl
