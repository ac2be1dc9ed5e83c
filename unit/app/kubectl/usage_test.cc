// Wrong command lines: all that is wrong is said together, by the flag's name, with exit code 2; and what is
// not found ends with 1, for every verb.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/app/kubectl/verbs_fixture.h"

namespace podium::kubectl {
namespace {

using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::string>;

struct Wrong {
  Words words;
  std::vector<std::string> said;  // lines that standard error has
};

TEST_F(OnADump, AWrongFlagIsAUsageErrorThatNamesIt) {
  const std::string n = "shop";
  const Wrong cases[] = {
      {{"whatif", "deploy/web", "-n", n, "--weights", "NoSuch=5"},
       {"--weights: unknown strategy \"NoSuch\" of profile \"default-scheduler\""}},
      {{"whatif", "deploy/web", "-n", n, "--weights", "NodeResourcesFit=1,NodeResourcesFit=2"},
       {"--weights: NodeResourcesFit is given twice"}},
      {{"whatif", "deploy/web", "-n", n, "--weights", "NodeResourcesFit=99999999"},
       {"--weights: must be between 0 and 1000000"}},
      {{"whatif", "deploy/web", "-n", n, "--weights=,"}, {"--weights: is empty"}},
      {{"whatif", "deploy/web", "-n", n, "--drain=,"}, {"--drain: is empty"}},
      {{"whatif", "deploy/web", "-n", n, "--drain", "nope,n1"},
       {"--drain: there is no node nope", "--drain: there is no node n1. Did you mean n-1?"}},
      {{"whatif", "deploy/web", "-n", n, "--drain", "n-1", "--drain", "x_y,z_z"},
       {"--drain: \"x_y\" is not the name of a node", "--drain: \"z_z\" is not the name of a node"}},
      {{"whatif", "deploy/web", "-n", n, "--add-nodes", "1", "--like", "n-4"},
       {"--like: there is no node n-4. Did you mean n-1, n-2 or n-3?"}},
      {{"whatif", "deploy/web", "-n", n, "--add-nodes", "0", "--like", "n-1"},
       {"--add-nodes: \"0\" is not a whole number from 1 to 1000"}},
      {{"whatif", "deploy/web", "-n", n, "--add-nodes", "two", "--replicas", "0", "--weights", "a", "--color",
        "red", "-o", "xml", "--request-timeout", "soon"},
       {"--add-nodes: \"two\" is not a whole number from 1 to 1000",
        "--replicas: \"0\" is not a whole number from 1 to 10000", "--weights: \"a\" is not STRATEGY=WEIGHT",
        "--color: \"red\" is not auto, always or never", "-o: \"xml\" is not table,",
        "--request-timeout: \"soon\" is not a valid duration"}},
      {{"whatif", "deploy/web", "deploy/big", "-n", n, "--profile", "nope"},
       {"--profile: unknown profile \"nope\""}},
      {{"whatif", "-n", n, "--weights", "a"},
       {"needs either -f FILE or TYPE/NAME", "--weights: \"a\" is not STRATEGY=WEIGHT"}},
      {{"whatif", "-f", "a.yaml", "b.yaml", "-n", n},
       {"\"b.yaml\": cannot be combined with -f FILE; several files are -f a.yaml -f b.yaml"}},
      {{"capacity", "deploy/web", "-n", n, "--up-to", "1", "--drain", "nope"},
       {"--up-to: \"1\" is not a whole number from 2 to 10000"}},
      {{"capacity", "deploy/web", "-n", n, "--drain", "nope"}, {"--drain: there is no node nope"}},
      {{"whatif", "deploy/web", "-n", n, "--drain", "nope", "--weights", "No=1,Nor=2"},
       {"--drain: there is no node nope", "--weights: unknown strategy \"No\"",
        "--weights: unknown strategy \"Nor\""}},
      {{"whatif", "deploy/web", "-n", n, "--drain", "nope", "--profile", "other"},
       {"--drain: there is no node nope", "--profile: unknown profile \"other\""}},
      {{"capacity", "-n", n, "--requests", "cpu", "--requests", "memory=x"},
       {"--requests: \"cpu\" is not RESOURCE=AMOUNT", "--requests: \"memory=x\" is not RESOURCE=AMOUNT"}},
      {{"capacity", "-n", n, "--profile", "nope"}, {"--profile: unknown profile \"nope\""}},
      {{"why", "shop/web-a-1", "--node", "n-9"},
       {"--node: there is no node n-9. Did you mean n-1, n-2 or n-3?"}},
      {{"why", "-l", "a b c"}, {"-l: "}},
      {{"why", "web-a-1", "web-a-2", "-n", n, "--timeline", "--node", "n-1"}, {"--timeline: ", "--node: "}},
      {{"why", "web-a-1", "-l", "app=web"}, {"-l: cannot be combined with names"}},
      {{"why", "web-a-1", "-A"}, {"-A: needs -l SELECTOR; for all pending pods: podium pending -A"}},
      {{"why", "-A"}, {"-A: needs -l SELECTOR"}},
      {{"drain", "n-1", "--rolling", "0", "--spare", "x"},
       {"--rolling: \"0\" is not a whole number from 1 to 64", "--spare: \"x\" is not a whole number"}},
      {{"drain", "n-1", "--rolling", "1", "--fail"}, {"--fail: cannot be combined with --rolling"}},
      {{"drain", "n-1", "--spare", "1"}, {"--spare: needs --rolling N"}},
      {{"drain", "n-1", "--like", "n-2"}, {"--like: needs --spare N"}},
      {{"drain", "n-1", "--rolling", "1", "--spare", "1", "--like", "n-9"}, {"--like: there is no node n-9"}},
      {{"drain", "n-1", "--profile", "nope"}, {"--profile: unknown profile \"nope\""}},
      {{"drain", "n_1", "n 2"}, {"\"n_1\" is not the name of a node", "\"n 2\" is not the name of a node"}},
      {{"nodes", "--for-pending", "--could-go", "-o", "xml"},
       {"give one of --for-pending and --could-go", "-o: \"xml\""}},
      {{"nodes", "--could-go", "--shapes", "f.yaml"}, {"--shapes: needs --for-pending"}},
      {{"nodes", "--for-pending", "--shapes", "/nonesuch.yaml"}, {"/nonesuch.yaml"}},
      {{"pending", "-l", "a b c", "--sort-by", ".nope"}, {"-l: ", "--sort-by: no row has the field"}},
      {{"pending", "-n", "a/b"}, {"-n: \"a/b\" is not the name of a namespace"}},
      {{"pending", "-n", n, "-w"}, {"--watch: a dump does not change"}},
      {{"whatif", "deploy/web", "--config", "/nonesuch.yaml"}, {"/nonesuch.yaml"}},
      {{"whatif", "deploy/web", "--context", "x"}, {"--cluster: reads files; it cannot be combined"}},
      {{"whatif", "deploy/web", "-n", n, "--keep"}, {"--keep: a dump keeps no reports"}},
      {{"whatif", "-f", "/nonesuch.yaml", "-f", "/none.yaml"}, {"/nonesuch.yaml", "/none.yaml"}},
  };
  for (const auto& [words, said] : cases) {
    std::string line;
    for (const auto& word : words) line += " " + word;
    const auto ran = run(words);
    EXPECT_EQ(ran.code, 2) << line << "\n" << ran.out << ran.err;
    EXPECT_EQ(ran.out, "") << line;
    for (const auto& text : said) EXPECT_THAT(ran.err, HasSubstr(text)) << line;
  }
}

// The same in every verb: 1, as of kubectl, whatever does not exist.
TEST_F(OnADump, WhatIsNotFoundEndsWith1) {
  const Wrong cases[] = {
      {{"why", "seel", "-n", "shop"}, {"There is no pod shop/seel", "Did you mean sel?"}},
      {{"why", "deploy/wbe", "-n", "shop"},
       {"podium why: there is no Deployment shop/wbe\n", "Did you mean deploy/web?"}},
      {{"why", "deploy/wbe", "sts/web", "-n", "shop"},
       {"There is no Deployment shop/wbe.", "There is no StatefulSet shop/web."}},
      {{"why", "-l", "app=none", "-A"}, {"No pod in any namespace matches the selector app=none."}},
      {{"why", "seel", "wep", "-n", "shop"}, {"There is no pod shop/seel", "There is no pod shop/wep"}},
      {{"why", "seel", "--node", "n-1", "-n", "shop"}, {"Did you mean sel?"}},
      {{"why", "-l", "app=none", "-n", "shop"}, {"No pod in namespace shop matches the selector app=none."}},
      {{"why", "sel", "-n", "shp"}, {"There is no namespace shp. Did you mean shop?"}},
      {{"why", "-l", "app=web", "-n", "shp"}, {"There is no namespace shp. Did you mean shop?"}},
      {{"whatif", "pod/seel", "-n", "shop"}, {"Did you mean sel?"}},
      {{"whatif", "deploy/wbe", "-n", "shop"},
       {"podium whatif: there is no Deployment shop/wbe\n", "Did you mean deploy/web?"}},
      {{"whatif", "deploy/web", "-n", "shp"}, {"There is no namespace shp. Did you mean shop?"}},
      {{"capacity", "deploy/wbe", "-n", "shop"}, {"Did you mean deploy/web?"}},
      {{"capacity", "-n", "shp"}, {"There is no namespace shp. Did you mean shop?"}},
      {{"drain", "n1"}, {"there is no node n1. Did you mean n-1?"}},
      {{"drain", "n-1", "n8", "n9"}, {"there is no node n8", "there is no node n9"}},
      {{"drain", "-l", "pool=x"}, {"no node matches the selector pool=x"}},
      {{"pending", "-n", "shp"}, {"There is no namespace shp. Did you mean shop?"}},
      {{"nodes", "--could-go", "-n", "shp"}, {"There is no namespace shp. Did you mean shop?"}},
      {{"nodes", "--for-pending", "-n", "shp"}, {"There is no namespace shp. Did you mean shop?"}},
  };
  for (const auto& [words, said] : cases) {
    std::string line;
    for (const auto& word : words) line += " " + word;
    const auto ran = run(words);
    EXPECT_EQ(ran.code, 1) << line << "\n" << ran.out << ran.err;
    EXPECT_EQ(ran.out, "") << line;
    for (const auto& text : said) EXPECT_THAT(ran.err, HasSubstr(text)) << line;
  }
}

// A wrong duration is found before anything is asked.
TEST(Usage, WrongFlagsOfVerbsThatNeedAServer) {
  const auto said = [](const Words& words) {
    const auto ran = run_verb(words);
    return std::to_string(ran.code) + " " + ran.err;
  };
  EXPECT_EQ(
      said({"decisions", "--since", "half", "--limit", "0", "--outcome", "Lost"}),
      "2 podium decisions: --outcome: \"Lost\" is not Scheduled, Binding, Unschedulable, Failed or Gated\n"
      "--limit: \"0\" is not a whole number from 1 to 500\n"
      "--since: \"half\" is not a valid duration; try \"30s\", \"2m\" or \"1h30m\"\n");
  for (const auto* since : {"0", "-5m", "5x", "m", "9999999h", "800000h", "1h30"})
    EXPECT_THAT(said({"decisions", std::string("--since=") + since}),
                testing::StartsWith("2 podium decisions: --since: \""))
        << since;
  EXPECT_EQ(said({"top", "--every", "0", "--color", "x"}),
            "2 podium top: --every: \"0\" is not a whole number from 1 to 3600\n"
            "--color: \"x\" is not auto, always or never\n");
  EXPECT_EQ(said({"page", "--port", "70000"}),
            "2 podium page: --port: \"70000\" is not a whole number from 0 to 65535\n");
  EXPECT_THAT(said({"dump", "--request-timeout", "x"}), HasSubstr("--request-timeout: \"x\" is not"));
}

// What is pasted from kubectl's output, or typed as with another command.
TEST_F(OnADump, WhatIsNotANameIsSaid) {
  const Wrong cases[] = {
      {{"why", "web-a-1", "1/1", "Running", "-n", "shop"},
       {"\"1/1\" names another namespace", "\"Running\" is not a name"}},
      {{"why", "web-a-1   1/1   Running", "-n", "shop"}, {"is not a name: names have lower case letters"}},
      {{"why", "svc", "web", "-n", "shop"}, {"\"svc\" is not a type that makes pods: pods, "}},
      {{"why", "node", "n-1"}, {"for a node use drain"}},
      {{"why", "nodes/n-1"}, {"for a node use drain"}},
      {{"whatif", "web.yaml"}, {"\"web.yaml\" is a file and not the name of a pod", "-f"}},
      {{"whatif", "-"}, {"\"-\" is a file"}},
      {{"whatif", "deploy", "web.json", "deploy/x"},
       {"\"web.json\" is a file", "\"deploy/x\" after the type"}},
      {{"drain", "pod/web-a-1", "deploy/web"},
       {"\"pod/web-a-1\" is not the name of a node", "\"deploy/web\" is not the name of a node"}},
      {{"capacity", "-n", "shop", "--requests", "cpu=1,cpu=2"}, {"cpu is given twice"}},
      {{"capacity", "-n", "shop", "--requests", "foo=1"},
       {"--requests: \"foo=1\": ", "must be a standard resource"}},
      {{"whatif", "-f", "-", "-f", "-"}, {"-f -: standard input can be read only once"}},
  };
  for (const auto& [words, said] : cases) {
    const auto ran = run(words);
    EXPECT_EQ(ran.code, 2) << words[1] << "\n" << ran.out << ran.err;
    for (const auto& text : said) EXPECT_THAT(ran.err, HasSubstr(text)) << words[1];
  }
  EXPECT_THAT(run({"whatif", "deploy", "-n", "shop"}).err, HasSubstr("deploy is a type: give deploy/NAME."));
  const auto none = run({"why", "a", "b", "-n", "shp"});
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, HasSubstr("There is no namespace shp. Did you mean shop?\n"));
  EXPECT_EQ(none.err.find("no namespace"), none.err.rfind("no namespace")) << none.err;
}

TEST_F(OnADump, NodesWithCommas) {
  EXPECT_EQ(out({"drain", "n-1,node/n-2"}), out({"drain", "n-1", "n-2"}));
  EXPECT_EQ(out({"whatif", "deploy/web", "-n", "shop", "--drain", "no/n-1,n-3"}),
            out({"whatif", "deploy/web", "-n", "shop", "--drain", "n-1", "--drain", "n-3"}));
}

TEST_F(OnADump, ManifestsOfSeveralFilesAndOfADirectory) {
  const auto web = [](const char* image) {
    return "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, image: " +
           std::string(image) + "}]}\n";
  };
  unit::TempDir files;
  const auto one = files.write("one.yaml", web("a"));
  files.write("map.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: m}}");
  const auto alone = out({"whatif", "-f", one, "-n", "shop"});
  EXPECT_EQ(out({"whatif", "-f", one, "-f", one, "-n", "shop"}), alone) << "a copy";
  EXPECT_EQ(out({"whatif", "-f", files.path("."), "-n", "shop"}), alone) << "the other file makes no pods";
  files.write("two.yaml", web("b"));
  const auto said = run({"whatif", "-f", files.path("."), "-n", "shop"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("two.yaml:3: Pod web appears twice"));
}

TEST_F(OnADump, ASuggestionIsOfTheKindThatWasNamed) {
  // Pods and the Deployment have similar names.
  EXPECT_THAT(run({"whatif", "deploy/web-a", "-n", "shop"}).err, HasSubstr("Did you mean deploy/web?\n"));
  EXPECT_THAT(run({"capacity", "deploy/web-a-3", "-n", "shop"}).err, HasSubstr("Did you mean deploy/web?\n"));
  EXPECT_THAT(run({"why", "rs/web", "-n", "shop"}).err, HasSubstr("Did you mean rs/web-a?\n"));
  EXPECT_THAT(run({"why", "pod/web", "-n", "shop"}).err, HasSubstr("Did you mean web-a-1 or web-a-2?\n"));
  // Another kind has that very name.
  EXPECT_THAT(run({"whatif", "sts/web", "-n", "shop"}).err, HasSubstr("Did you mean deploy/web?\n"));
  EXPECT_THAT(run({"whatif", "sts/nothing-like-it", "-n", "shop"}).err, Not(HasSubstr("Did you mean")));
}

TEST_F(OnADump, OfAFlagThatIsGivenTwiceTheLastCounts) {
  EXPECT_EQ(out({"whatif", "deploy/web", "-n", "ml", "-n", "shop", "-o", "json", "-o", "table"}),
            out({"whatif", "deploy/web", "-n", "shop"}));
}

}  // namespace
}  // namespace podium::kubectl
