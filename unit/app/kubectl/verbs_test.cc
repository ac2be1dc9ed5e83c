// What the verbs have in common: their table, their help, their errors.
#include "app/kubectl/verbs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <set>

#include "base/input.h"
#include "unit/app/kubectl/verbs_fixture.h"

namespace podium::kubectl {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Verbs, EachIsDescribed) {
  std::set<std::string_view> names;
  for (const auto& verb : verbs()) {
    EXPECT_TRUE(names.insert(verb.name).second) << verb.name;
    EXPECT_FALSE(verb.answers.empty()) << verb.name;
    EXPECT_TRUE(verb.examples.starts_with("# ")) << verb.name;
    EXPECT_TRUE(verb.examples.contains("\n" + std::string(verb.name)))
        << verb.name << " has an example of itself";
    EXPECT_EQ(verb_named(verb.name), &verb);
  }
  EXPECT_EQ(verb_named("wy"), nullptr);
}

TEST(Verbs, TheExamplesAreCommandLinesThatParse) {
  for (const auto& verb : verbs()) {
    std::istringstream lines{std::string(verb.examples)};
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with('#')) continue;
      CLI::App command;
      const auto shared = std::make_shared<Shared>();
      const auto run = verb.declare(command, shared);  // has the options' values
      add_shared(command, *shared, verb.takes);
      const auto end = line.find_first_of("<>");
      EXPECT_NO_THROW(command.parse(line.substr(verb.name.size(), end - verb.name.size()))) << line;
    }
  }
}

// The rows of docs/kubectl.md's table, a line each.
std::string verbs_table() {
  std::string out = "| Command | What it does | Needs the right to |\n|---|---|---|\n";
  for (const auto& verb : verbs()) {
    std::string usage = fmt::format("{}{}{}", verb.name, verb.arguments.empty() ? "" : " ", verb.arguments);
    for (std::size_t at = 0; (at = usage.find('|', at)) != usage.npos; at += 2) usage.insert(at, "\\");
    out += fmt::format("| `{}` | {} | {} |\n", usage, verb.answers, verb.needs);
  }
  return out;
}

TEST(Verbs, TheDocumentHasTheirTable) {
  constexpr const char* kPath = "docs/kubectl.md";
  auto document = read_file(kPath);
  ASSERT_TRUE(document) << document.error().message;
  const auto from = document->find("| Command | What it does |");
  ASSERT_NE(from, std::string::npos);
  const auto end = document->find("\n\n", from) + 1;
  if (std::getenv("PODIUM_WRITE_DOCS"))
    std::ofstream(kPath) << document->substr(0, from) << verbs_table() << document->substr(end);
  EXPECT_EQ(document->substr(from, end - from), verbs_table()) << "PODIUM_WRITE_DOCS=1 writes it";
}

TEST_F(OnADump, WhoMistypesReadsWhatWasMeant) {
  auto said = run({"why", "bg", "-n", "shop"});
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("There is no pod shop/bg"));
  EXPECT_THAT(said.err, HasSubstr("Did you mean deploy/big"));
  EXPECT_THAT(run({"why", "web-a-1", "-n", "shp"}).err, HasSubstr("There is no namespace shp."));
  EXPECT_THAT(run({"why"}).err, HasSubstr("give POD, TYPE/NAME or -l SELECTOR"));
  EXPECT_THAT(run({"why", "-l", "app=none", "-n", "shop"}).err,
              HasSubstr("No pod in namespace shop matches the selector app=none."));
  EXPECT_THAT(run({"whatif", "deploy/wbe", "-n", "shop"}).err, HasSubstr("Did you mean deploy/web"));
  EXPECT_THAT(run({"whatif", "pod/seel", "-n", "shop"}).err, HasSubstr("Did you mean sel?"));
  said = run({"drain", "n1"});
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(said.err, "podium drain: there is no node n1. Did you mean n-1?\n");
  EXPECT_THAT(run({"drain", "-l", "pool=x"}).err, HasSubstr("no node matches the selector pool=x"));
  EXPECT_THAT(run({"pending", "-o", "jsn"}).err,
              HasSubstr("\"jsn\" is not table, wide, json, yaml, name, answer or jsonpath="));
  EXPECT_THAT(run({"pending", "--sort-by", "{.a"}).err, HasSubstr("--sort-by: "));
}

// Names of questions that are deleted once they are answered lead nowhere.
TEST_F(OnADump, OnlyWhatStaysHasAName) {
  EXPECT_EQ(run({"whatif", "deploy/web", "-n", "shop", "-o", "name"}).err,
            "podium whatif: -o name: the question is deleted once it is answered; --keep keeps it\n");
  EXPECT_EQ(run({"why", "shop/web-a-1", "--node", "n-2", "-o", "name"}).code, 2);
  EXPECT_EQ(run({"nodes", "--for-pending", "-o", "name"}).err,
            "podium nodes: -o name: no node to add exists yet\n");
}

TEST_F(OnADump, DiffTakesReportsOnly) {
  const auto list = directory_.write("list.yaml", "[1, 2]\n"), map = directory_.write("map.yaml", "a: 1\n");
  const auto diff = [](const std::string& a, const std::string& b) {
    const auto ran = run_verb({"diff", a, b});
    return std::to_string(ran.code) + " " + ran.err;
  };
  EXPECT_EQ(diff(list, map), "2 podium diff: " + list + ": not a SchedulingReport: it has no kind\n" + map +
                                 ": not a SchedulingReport: it has no kind\n");
  EXPECT_EQ(diff(dump_, dump_), "2 podium diff: " + dump_ + ": a List, not a SchedulingReport\n" + dump_ +
                                    ": a List, not a SchedulingReport\n");
  EXPECT_EQ(diff(directory_.write("empty.yaml", ""), map).substr(0, 15), "2 podium diff: ");
  EXPECT_EQ(diff("-", "-"), "2 podium diff: -: standard input has one report; the other one needs a file\n");
}

TEST_F(OnADump, WhatANamespaceCouldStillRun) {
  const auto own = run({"capacity", "-n", "shop"});
  EXPECT_EQ(own.code, 3);
  EXPECT_THAT(own.out, StartsWith("What shop could still run, each alone:\n"));
  EXPECT_THAT(own.out, ContainsRegex("deploy/web +2 +2  "));
  EXPECT_THAT(own.out, ContainsRegex("deploy/big +0/2 +0  .*enough free cpu"));
  const auto others =
      run({"capacity", "-n", "shop", "--requests", "cpu=1,memory=1Gi", "--requests", "cpu=64"}).out;
  EXPECT_THAT(others, ContainsRegex("cpu=1,memory=1Gi +- +4  "));
  EXPECT_THAT(others, ContainsRegex("cpu=64 +- +0  "));
  EXPECT_THAT(others, HasSubstr("\n5 other pods wait for a node and may take some of this room first.\n"));
  EXPECT_EQ(run({"capacity", "-n", "shop", "--requests", "cpu=64"}).code, 4);
  EXPECT_THAT(run({"capacity", "-n", "ml"}).out, HasSubstr("ml has no Deployment"));
  EXPECT_EQ(run({"capacity", "-n", "nonesuch"}).err, "There is no namespace nonesuch.\n");
  for (const auto* wrong : {"cpu", "=1", "cpu=x", "cpu=-1"}) {
    EXPECT_THAT(run({"capacity", "-n", "shop", "--requests", wrong}).err, HasSubstr("is not RESOURCE=AMOUNT"))
        << wrong;
  }
  EXPECT_THAT(run({"capacity", "deploy/web", "--requests", "cpu=1"}).err,
              HasSubstr("--requests: cannot be combined with"));
  EXPECT_THAT(run({"capacity", "--drain", "n-1"}).err, HasSubstr("for a whole namespace"));
}

TEST_F(OnADump, HelpHasExamplesAndTheSharedOptionsOnce) {
  CLI::App app{"", "kubectl podium"};
  int code = 0;
  add_verbs(app, code);
  const auto help = app.get_subcommand("drain")->help("kubectl podium");
  EXPECT_THAT(help, HasSubstr("kubectl podium drain NODE...|-l SELECTOR [OPTIONS]"));
  EXPECT_THAT(help, HasSubstr("\n  NODE ...  "));
  EXPECT_THAT(help, HasSubstr("Examples:\n  # show where the pods of a node would be placed\n  kubectl "
                              "podium drain general-29\n"));
  for (const char* flag : {"--as ", "--token ", "--user ", "--context ", "--selector ", "--rolling "})
    EXPECT_THAT(help, HasSubstr(flag));
  EXPECT_THAT(app.get_subcommand("completion")->help("podium"), Not(HasSubstr("--context")));
}

}  // namespace
}  // namespace podium::kubectl
