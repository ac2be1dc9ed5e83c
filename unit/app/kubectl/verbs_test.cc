// The verbs from the command line to what they print, on a dump.
#include "app/kubectl/verbs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cstdlib>
#include <fstream>
#include <set>

#include "base/input.h"
#include "unit/support/temp_dir.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
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

TEST(Verbs, TheDocumentHasTheirTable) {
  constexpr const char* kPath = "docs/kubectl.md";
  auto document = read_file(kPath);
  ASSERT_TRUE(document) << document.error().message;
  const auto from = document->find("| Command | Answers |");
  ASSERT_NE(from, std::string::npos);
  const auto end = document->find("\n\n", from) + 1;
  if (std::getenv("PODIUM_WRITE_DOCS"))
    std::ofstream(kPath) << document->substr(0, from) << verbs_table() << document->substr(end);
  EXPECT_EQ(document->substr(from, end - from), verbs_table()) << "PODIUM_WRITE_DOCS=1 writes it";
}

constexpr const char* kShopDump = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
- {apiVersion: v1, kind: Namespace, metadata: {name: ml}}
- {apiVersion: v1, kind: Node, metadata: {name: n-1, labels: {pool: a, disk: ssd}}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Node, metadata: {name: n-2, labels: {pool: a, disk: hdd}}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Node, metadata: {name: n-3, labels: {pool: b}}, spec: {taints: [{key: gpu, value: a100, effect: NoSchedule}]}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-a-1, namespace: shop, uid: w1, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-a, uid: r, controller: true}]}
  spec: {nodeName: n-1, containers: [{name: c, image: i, resources: {requests: {cpu: 1500m}}}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-a-2, namespace: shop, uid: w2, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-a, uid: r, controller: true}]}
  spec: {nodeName: n-2, containers: [{name: c, image: i, resources: {requests: {cpu: 1500m}}}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: big-a-1, namespace: shop, uid: b1, labels: {app: big}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: big-a, uid: r2, controller: true}]}
  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: big-a-2, namespace: shop, uid: b2, labels: {app: big}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: big-a, uid: r2, controller: true}]}
  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: sel, namespace: shop, uid: s1}
  spec: {nodeSelector: {disk: nvme, pool: a}, containers: [{name: c, image: i}]}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: gated, namespace: shop, uid: g1}
  spec: {schedulingGates: [{name: example.com/quota}], containers: [{name: c, image: i}]}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: nightly-1-x, namespace: ml, uid: j1, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: nightly-1, uid: j, controller: true}]}
  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "9"}}}]}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: nightly-2-y, namespace: ml, uid: j2, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: nightly-2, uid: jj, controller: true}]}
  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "9"}}}]}
  status: {phase: Pending}
- {apiVersion: batch/v1, kind: Job, metadata: {name: nightly-1, namespace: ml, ownerReferences: [{apiVersion: batch/v1, kind: CronJob, name: nightly, uid: c, controller: true}]}, spec: {template: {spec: {containers: [{name: c, image: i}]}}}}
- {apiVersion: batch/v1, kind: Job, metadata: {name: nightly-2, namespace: ml, ownerReferences: [{apiVersion: batch/v1, kind: CronJob, name: nightly, uid: c, controller: true}]}, spec: {template: {spec: {containers: [{name: c, image: i}]}}}}
- apiVersion: batch/v1
  kind: CronJob
  metadata: {name: nightly, namespace: ml}
  spec: {jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i, resources: {requests: {cpu: "9"}}}]}}}}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-a, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]}, spec: {selector: {matchLabels: {app: web}}}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: big-a, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: big, uid: d2, controller: true}]}, spec: {selector: {matchLabels: {app: big}}}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: shop}
  spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1500m}}}]}}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: big, namespace: shop}
  spec: {replicas: 2, selector: {matchLabels: {app: big}}, template: {metadata: {labels: {app: big}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}}}
)";

struct Ran {
  std::string out, err;
  std::string missing;  // the first warnings, about kinds that the dump lacks
  int code = 0;
};

class OnADump : public testing::Test {
 protected:
  // `podium WORDS --cluster DUMP`
  Ran run(std::vector<std::string> words) {
    words.insert(words.end(), {"--cluster", dump_});
    CLI::App app{"", "podium"};
    app.require_subcommand(1);  // as the program: "drain nodes n-1" is not the verb nodes
    Ran ran;
    add_verbs(app, ran.code);
    std::ranges::reverse(words);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    std::string wrong;
    try {
      app.parse(words);
    } catch (const CLI::ParseError& error) {
      wrong = error.what();
      ran.code = 2;
    }
    ran.out = without_file(testing::internal::GetCapturedStdout());
    ran.err = without_file(testing::internal::GetCapturedStderr()) + wrong;
    // The dump has no more kinds than these need.
    warnings_.clear();
    while (ran.err.starts_with("warning: ")) {
      const auto end = ran.err.find('\n') + 1;
      (ran.err.starts_with("warning: --cluster has no ") ? ran.missing : warnings_) += ran.err.substr(0, end);
      ran.err.erase(0, end);
    }
    return ran;
  }
  std::string without_file(std::string text) const {
    for (std::size_t at; (at = text.find(dump_)) != text.npos;) text.replace(at, dump_.size(), "DUMP");
    return text;
  }
  std::string out(const std::vector<std::string>& words) { return run(words).out; }

  std::string warnings_;  // of the last run, except those about the dump
  client::TempDir directory_;
  const std::string dump_ = directory_.write("dump.yaml", kShopDump);
};

TEST_F(OnADump, AWorkloadThatWaitsForOneReason) {
  EXPECT_EQ(out({"why", "deploy/big", "-n", "shop"}),
            "shop/big: 0 of 2 pods run, 2 wait, all for the same reason.\n"
            "  2 nodes  too little cpu free: asks 3, closest n-1 (500m short)\n"
            "   1 node  cannot take it anyway: 1 taint gpu=a100:NoSchedule\n"
            "Would help: cpu request 2500m → all 2 run; a priority of at least 1: it would "
            "preempt 2 pods on 2 nodes → all 2 run; tolerate gpu=a100 → 1 more runs\n");
}

TEST_F(OnADump, AWorkloadWhosePodsAllRunHasTheNextCommands) {
  EXPECT_EQ(out({"why", "deploy/web", "-n", "shop"}),
            "shop/web: all 2 pods are placed.\n"
            "Nodes: n-1 1 and n-2 1.\n"
            "Why is one of them there? podium why web-a-1 -n shop --cluster DUMP\n"
            "Would they fit again? podium whatif deploy/web -n shop --cluster DUMP\n");
  EXPECT_EQ(run({"why", "deploy/none", "-n", "shop"}).code, 1);
}

TEST_F(OnADump, WorkloadsInAllForms) {
  const auto expected = out({"why", "deploy/big", "-n", "shop"});
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"deployment.apps/big"}, {"deploy", "big"}, {"big"}}) {
    auto all = words;
    all.insert(all.begin(), "why");
    all.insert(all.end(), {"-n", "shop"});
    EXPECT_EQ(out(all), expected) << words.front();
  }
  EXPECT_THAT(out({"why", "cronjob/nightly", "-n", "ml"}),
              StartsWith("ml/nightly: 0 of 2 pods run, 2 wait, all"));
}

TEST_F(OnADump, APodWhoseLabelsNoNodeHas) {
  EXPECT_EQ(out({"why", "shop/sel"}),
            "shop/sel does not fit: no node has all that it asks for.\n"
            "  nodeSelector disk=nvme  0 nodes  ← values: hdd, ssd\n"
            "  nodeSelector pool=a     2 nodes\n"
            "1 node cannot take it anyway: 1 taint gpu=a100:NoSchedule.\n"
            "What would help? podium whatif pod/sel -n shop --cluster DUMP --fixes\n");
}

TEST_F(OnADump, AGatedPodGetsANextStep) {
  const auto said = run({"why", "gated", "-n", "shop"});
  EXPECT_THAT(said.err, HasSubstr("shop/gated waits for its scheduling gate: example.com/quota."));
  EXPECT_THAT(said.err, HasSubstr("Without its gate? podium whatif pod/gated -n shop --cluster DUMP\n"));
  EXPECT_THAT(out({"whatif", "pod/gated", "-n", "shop"}), HasSubstr("would go to n-"));
}

TEST_F(OnADump, SeveralPodsHaveALineEach) {
  const auto expected =
      "POD           NODE  POINTS  DECIDED  WHY\n"
      "shop/big-a-1  -          -        -  2 of 3 nodes do not have enough free cpu\n"
      "shop/big-a-2  -          -        -  2 of 3 nodes do not have enough free cpu\n";
  EXPECT_EQ(out({"why", "-l", "app=big", "-n", "shop"}), expected);
  EXPECT_EQ(out({"why", "shop/big-a-1", "shop/big-a-2"}), expected);
  EXPECT_EQ(out({"why", "pods", "big-a-1", "big-a-2", "-n", "shop"}), expected);
  EXPECT_EQ(out({"why", "-l", "app=big", "-n", "shop", "-o", "jsonpath={.items[*].metadata.name}"}),
            "big-a-1 big-a-2\n");
}

TEST_F(OnADump, WhoMistypesReadsWhatWasMeant) {
  auto said = run({"why", "bg", "-n", "shop"});
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("There is no pod shop/bg"));
  EXPECT_THAT(said.err, HasSubstr("Did you mean deploy/big"));
  EXPECT_THAT(run({"why", "web-a-1", "-n", "shp"}).err, HasSubstr("There is no namespace shp."));
  EXPECT_THAT(run({"why"}).err, HasSubstr("which pod? Give POD, TYPE/NAME or -l SELECTOR"));
  EXPECT_THAT(run({"why", "-l", "app=none", "-n", "shop"}).err,
              HasSubstr("No pod in namespace shop has the labels app=none."));
  EXPECT_THAT(run({"whatif", "deploy/wbe", "-n", "shop"}).err, HasSubstr("Did you mean deploy/web"));
  EXPECT_THAT(run({"whatif", "pod/seel", "-n", "shop"}).err, HasSubstr("Did you mean sel?"));
  said = run({"drain", "n1"});
  EXPECT_EQ(said.code, 2);
  EXPECT_EQ(said.err, "podium drain: there is no node n1. Did you mean n-1, n-2 and n-3?\n");
  EXPECT_THAT(run({"drain", "-l", "pool=x"}).err, HasSubstr("no node has the labels pool=x"));
  EXPECT_THAT(run({"pending", "-o", "jsn"}).err,
              HasSubstr("\"jsn\" is not table, wide, json, yaml, name, answer or jsonpath="));
  EXPECT_THAT(run({"pending", "--sort-by", "{.a"}).err, HasSubstr("--sort-by: "));
}

TEST_F(OnADump, WhatIfTakesTypeAndNameInTwoWords) {
  EXPECT_EQ(out({"whatif", "deploy", "web", "-n", "shop"}), out({"whatif", "deploy/web", "-n", "shop"}));
  EXPECT_EQ(out({"whatif", "web", "-n", "shop"}), out({"whatif", "deploy/web", "-n", "shop"}));
  EXPECT_EQ(json::parse(out({"whatif", "deploy/web", "deploy/big", "-n", "shop", "-o", "json"})).at("kind"),
            "List");
}

// Names of questions that are deleted once they are answered lead nowhere.
TEST_F(OnADump, OnlyWhatStaysHasAName) {
  EXPECT_EQ(run({"whatif", "deploy/web", "-n", "shop", "-o", "name"}).err,
            "podium whatif: -o name: the question is deleted once it is answered; --keep keeps it\n");
  EXPECT_EQ(run({"why", "shop/web-a-1", "--node", "n-2", "-o", "name"}).code, 2);
  EXPECT_EQ(run({"nodes", "--for-pending", "-o", "name"}).err,
            "podium nodes: -o name: no node to add exists yet\n");
}

constexpr const char* kHigh =
    "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 7}\n";

std::string deployment(const std::string& name, const std::string& cpu, const std::string& spec = "") {
  return "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name +
         "}\nspec:\n  selector: {matchLabels: {app: x}}\n  template:\n    metadata: {labels: {app: x}}\n"
         "    spec:\n      containers:\n      - name: c\n        image: i\n        resources:\n"
         "          requests:\n            cpu: " +
         cpu + "\n" + spec;
}

TEST_F(OnADump, TheOtherObjectsOfAFileArePartOfTheQuestion) {
  const auto alone =
      directory_.write("alone.yaml", deployment("new", "1", "      priorityClassName: high\n"));
  auto said = run({"whatif", "-f", alone, "-n", "shop"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.out + said.err, HasSubstr("no PriorityClass with name high was found"));
  const auto both =
      directory_.write("both.yaml", kHigh + deployment("new", "1", "      priorityClassName: high\n"));
  said = run({"whatif", "-f", both, "-n", "shop"});
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("shop/new"));
  const auto service = directory_.write(
      "service.yaml", "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: x}}}\n" +
                          deployment("new", "1"));
  EXPECT_THAT(run({"whatif", "-f", both, "-n", "shop"}).missing, HasSubstr("--cluster has no services"));
  EXPECT_THAT(run({"whatif", "-f", service, "-n", "shop"}).missing, Not(HasSubstr("services")));
}

TEST_F(OnADump, WhatCannotBePartOfTheQuestionIsNamed) {
  const auto file = directory_.write(
      "node.yaml",
      "{apiVersion: v1, kind: Node, metadata: {name: n-9}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: "
      "{name: m}}\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n" +
          deployment("new", "1"));
  auto said = run({"whatif", "-f", file, "-n", "shop"});
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(warnings_, "warning: " + file +
                           ":1: Node n-9 is not part of the question: the answer is for the "
                           "cluster without it\n")
      << "the namespace exists";
  EXPECT_THAT(said.err, StartsWith("Skipped: ConfigMap of " + file + ".\n"));
}

TEST_F(OnADump, SeveralWorkloadsHaveOneExitCode) {
  const auto code = [this](const char* a, const char* b) {
    const auto file = directory_.write("two.yaml", deployment("a", a) + deployment("b", b));
    return run({"whatif", "-f", file, "-n", "shop"}).code;
  };
  EXPECT_EQ(code("1", "1"), 0);
  EXPECT_EQ(code("1", "9"), 3);
  EXPECT_EQ(code("9", "1"), 3);
  EXPECT_EQ(code("9", "9"), 4);
}

TEST_F(OnADump, CapacityIsOfEachWorkloadAlone) {
  const auto room = [this](const std::string& text) {
    return out({"capacity", "-f", directory_.write("room.yaml", text), "-n", "shop"});
  };
  EXPECT_EQ(room(deployment("a", "1") + deployment("b", "1")),
            room(deployment("a", "1")) + room(deployment("b", "1")));
}

// A question has 32 changes at most: those of the flags and of the file's other objects count too.
TEST_F(OnADump, AsManyWorkloadsComeFirstAsAQuestionTakes) {
  auto text = std::string(kHigh);
  for (int i = 0; i < 34; ++i) text += deployment("w" + std::to_string(i), "10m");
  const auto file = directory_.write("many.yaml", text);
  const auto said = run({"whatif", "-f", file, "-n", "shop", "--drain", "n-1"});
  EXPECT_EQ(said.code, 3) << "nodes run 10 pods; " << said.err;
  EXPECT_THAT(said.err, HasSubstr("the workloads that follow are asked without those after the first 30."));
}

TEST_F(OnADump, MessagesNameThePlaceInTheFile) {
  const auto file = directory_.write("two.yaml", deployment("a", "lots") + deployment("b", "much"));
  const auto said = run({"whatif", "-f", file, "-n", "shop"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, StartsWith("podium whatif: " + file +
                                   ":15: spec.template.spec.containers[0].resources.requests.cpu: "));
  EXPECT_THAT(said.err,
              HasSubstr("\n" + file + ":30: spec.template.spec.containers[0].resources.requests.cpu: "));
  const auto typo = directory_.write("typo.yaml", deployment("a", "1", "      nodeSelecter: {a: b}\n"));
  const auto refused = run({"whatif", "-f", typo, "-n", "shop"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.out + refused.err,
              HasSubstr(typo + ":16: spec.template.spec.nodeSelecter: unknown field"));
}

TEST_F(OnADump, PendingSaysWhereNothingWaits) {
  EXPECT_EQ(out({"pending", "-A", "-l", "app=none"}),
            "No pod waits in any namespace with the labels app=none.\n");
  EXPECT_EQ(out({"pending", "-n", "ml", "-l", "app=none"}),
            "No pod waits in namespace ml with the labels app=none.\n");
}

TEST_F(OnADump, AFieldThatNoRowHasSortsNothing) {
  const auto said = run({"pending", "-A", "--sort-by", ".bogus"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(
      said.err,
      StartsWith("podium pending: --sort-by: no row has the field \"bogus\"; rows have: namespace, "));
  EXPECT_EQ(run({"pending", "-A", "--sort-by", "{.choice.nodeName}"}).code, 0) << "a row may have it";
}

TEST_F(OnADump, DiffTakesReportsOnly) {
  const auto list = directory_.write("list.yaml", "[1, 2]\n"), map = directory_.write("map.yaml", "a: 1\n");
  const auto diff = [this](const std::string& a, const std::string& b) {
    CLI::App app{"", "podium"};
    int code = 0;
    add_verbs(app, code);
    testing::internal::CaptureStderr();
    app.parse(std::vector{b, a, std::string("diff")});
    return std::to_string(code) + " " + testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(diff(list, map), "2 podium diff: " + list + ": not a SchedulingReport: it has no kind\n" + map +
                                 ": not a SchedulingReport: it has no kind\n");
  EXPECT_EQ(diff(dump_, dump_), "2 podium diff: " + dump_ + ": a List, not a SchedulingReport\n" + dump_ +
                                    ": a List, not a SchedulingReport\n");
  EXPECT_EQ(diff(directory_.write("empty.yaml", ""), map).substr(0, 15), "2 podium diff: ");
  EXPECT_EQ(diff("-", "-"), "2 podium diff: -: standard input has one report; the other one needs a file\n");
}

TEST_F(OnADump, PendingGroupsByTheOwnerAtTheTop) {
  const auto table = out({"pending", "-A"});
  EXPECT_THAT(table, HasSubstr("ml/nightly-* (2)"));
  EXPECT_THAT(table, HasSubstr("shop/big-a-1…2"));
  EXPECT_THAT(table, StartsWith("5 pods wait; 1 more is gated.\n"));
  EXPECT_THAT(out({"pending", "-A", "-o", "wide"}), HasSubstr("CronJob/nightly"));
}

TEST_F(OnADump, PendingForPrograms) {
  const auto document = json::parse(out({"pending", "-A", "-o", "json", "--sort-by", ".workload.kind"}));
  EXPECT_EQ(document.at("kind"), "PendingPods");
  const auto& first = document.at("items").at(0);
  EXPECT_EQ(first.at("workload"), json::parse(R"({"kind": "CronJob", "name": "nightly"})"));
  EXPECT_EQ(first.at("pods"), json::parse(R"(["nightly-1-x", "nightly-2-y"])"));
  EXPECT_EQ(first.at("requests"), json::parse(R"({"cpu": "9"})"));
  EXPECT_EQ(first.at("mainRejection").at("code"), "InsufficientResource");
  EXPECT_EQ(first.at("mainRejection").at("nodeCount"), 2);
  EXPECT_EQ(first.at("nodeCounts").at("total"), 3);
  EXPECT_EQ(out({"pending", "-A", "-l", "app=big", "-o", "name"}), "pod/big-a-1\npod/big-a-2\n");
  EXPECT_EQ(out({"pending", "-A", "--sort-by", ".workload.kind", "-o",
                 "jsonpath={range .items[*]}{.namespace} {.count}{\"\\n\"}{end}"}),
            "ml 2\nshop 2\nshop 1\nshop 1\n");
}

TEST_F(OnADump, ADumpCannotBeWatched) {
  const auto said = run({"pending", "-A", "-w"});
  EXPECT_THAT(said.err, HasSubstr("--watch: a dump does not change"));
}

TEST_F(OnADump, DrainsSeveralNodesAtTheSameTime) {
  const auto one = out({"drain", "n-1"});
  EXPECT_THAT(one, HasSubstr("shop/web-a-1  n-2"));
  const auto both = run({"drain", "n-1", "n-2"});
  EXPECT_EQ(both.code, 4);
  EXPECT_THAT(both.out, StartsWith("0 of 2 pods have a new place; 2 would be pending.\n"));
  EXPECT_THAT(both.out, HasSubstr("To do it: kubectl drain n-1 n-2"));
  EXPECT_EQ(out({"drain", "-l", "pool=a"}), both.out);
  EXPECT_EQ(out({"drain", "nodes", "n-1", "n-2"}), both.out);
  EXPECT_EQ(out({"drain", "node/n-1", "no/n-2", "-o", "name"}), "pod/web-a-1\npod/web-a-2\n");
}

TEST_F(OnADump, ARollingDrainIsStepByStep) {
  const auto all = run({"drain", "-l", "pool=a", "--rolling", "1"});
  EXPECT_EQ(all.code, 0);
  EXPECT_EQ(all.out,
            "2 nodes in 2 steps of 1; nothing would wait.\n"
            "  STEP  NODES  MOVE  WAIT  FULLEST AFTERWARDS\n"
            "     1  n-1       1     0  n-2 cpu 75%\n"
            "     2  n-2       2     0  n-1 cpu 75%\n"
            "Least spare in step 1: 5 cpu, 16Gi memory.\n"
            "Nothing was evicted.\n");
  const auto two = run({"drain", "n-1", "n-2", "--rolling", "2"});
  EXPECT_EQ(two.code, 4);
  EXPECT_THAT(two.out, HasSubstr("2 nodes in 1 step of 2; 2 pods would wait at some time.\n"));
  EXPECT_THAT(two.out, HasSubstr("With 1 spare node like n-1 nothing waits."));
}

TEST_F(OnADump, NodesForWhatWaits) {
  const auto file = directory_.write("shapes.yaml",
                                     "shapes:\n"
                                     "- {name: m.16x64, allocatable: {cpu: 16, memory: 64Gi}}\n"
                                     "- {name: s.4x8, allocatable: {cpu: 3.5, memory: 8Gi}}\n");
  const auto said = run({"nodes", "--for-pending", "--shapes", file});
  EXPECT_EQ(said.err, "");
  EXPECT_EQ(said.code, 3) << "one pod fits on no shape";
  EXPECT_EQ(
      said.out,
      "5 pods wait. Fewest additions:\n"
      "  SHAPE                   NODES  TAKES  OF                                         LEFT OVER\n"
      "  m.16x64 (16 cpu, 64Gi)      2      4  shop/big-a, ml/nightly-1 and ml/nightly-2  8 cpu, 128Gi "
      "memory\n"
      "  none fits                   -      1  shop/sel                                   no shape has "
      "disk=nvme\n"
      "Not counted: 1 is gated.\n"
      "podium does not model: pods of DaemonSets, CSI drivers and devices on nodes of the given shapes.\n"
      "Nothing was added. To do it: add 2 nodes of m.16x64.\n"
      "Could go today: n-3 (no pod moves).\n");
  const auto like = run({"nodes", "--for-pending"});
  EXPECT_EQ(
      like.out,
      "5 pods wait. Fewest additions:\n"
      "  SHAPE                  NODES  TAKES  OF            LEFT OVER\n"
      "  like n-1 (4 cpu, 8Gi)      2      2  shop/big-a    2 cpu, 16Gi memory\n"
      "  none fits                  -      1  shop/sel      no shape has disk=nvme\n"
      "  none fits                  -      1  ml/nightly-1  asks for 9 cpu, and the largest shape has 4\n"
      "  none fits                  -      1  ml/nightly-2  asks for 9 cpu, and the largest shape has 4\n"
      "Not counted: 1 is gated.\n"
      "Nothing was added. To do it: add 2 nodes like n-1.\n"
      "Could go today: n-3 (no pod moves).\n");
  const auto document = json::parse(out({"nodes", "--for-pending", "--shapes", file, "-o", "json"}));
  EXPECT_EQ(document.at("kind"), "List") << "a report of each namespace";
  EXPECT_EQ(document.at("items").at(0).at("status").at("nodesWanted").at("isFewest"), true);
}

TEST_F(OnADump, NodesThatCouldGo) {
  const auto said = run({"nodes", "--could-go", "-n", "shop"});
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.out,
            "1 of 3 nodes could go; no pod moves.\n"
            "  STEP  NODE  MOVE  WHERE\n"
            "     1  n-3      0\n"
            "What blocks the others:\n"
            "  2 nodes  would take pods that wait  n-1: pod big-a-1 waits, and fits there once it is empty\n"
            "Nothing was drained. In this order, each with its command:\n"
            "  podium drain n-3 --cluster DUMP\n");
  EXPECT_EQ(out({"nodes", "--could-go", "-o", "name"}), "node/n-3\n");
  EXPECT_EQ(out({"nodes", "--could-go", "-A"}), out({"nodes", "--could-go"}));
}

TEST_F(OnADump, NodesNamesPodsOfTheNamespaceThatWasAskedIn) {
  const auto of_shop = out({"nodes", "--for-pending", "-n", "shop"});
  EXPECT_THAT(of_shop, HasSubstr("5 pods wait."));
  EXPECT_THAT(of_shop, HasSubstr("shop/big-a"));
  EXPECT_THAT(of_shop, Not(HasSubstr("ml/nightly")));
  EXPECT_EQ(out({"nodes", "--for-pending", "-A", "-n", "shop"}), out({"nodes", "--for-pending"}));
}

TEST_F(OnADump, AllFaultsOfAShapesFileHaveTheirLine) {
  const auto file = directory_.write("shapes.yaml",
                                     "shapes:\n"
                                     "- name: A\n"
                                     "  allocatable:\n"
                                     "    cpu: many\n"
                                     "- name: b\n"
                                     "  like: n-1\n"
                                     "  taints: [{key: a, effect: No}]\n"
                                     "  prize: 3\n"
                                     "more: 1\n");
  auto said = run({"nodes", "--for-pending", "--shapes", file});
  EXPECT_EQ(said.code, 2);
  for (std::size_t at; (at = said.err.find(file)) != said.err.npos;)
    said.err.replace(at, file.size(), "FILE");
  EXPECT_EQ(said.err,
            "podium nodes: FILE:2: shapes[0].name: \"A\" is not a valid name\n"
            "FILE:4: shapes[0].allocatable.cpu: must be a quantity, such as 16 or 64Gi\n"
            "FILE:5: shapes[1]: has the labels and taints of the node that it is like\n"
            "FILE:8: shapes[1].prize: unknown field\n"
            "FILE:9: more: unknown field\n");
  EXPECT_THAT(run({"nodes", "--for-pending", "--shapes", directory_.write("none.yaml", "a: 1\n")}).err,
              HasSubstr("unknown field"));
  const auto list = directory_.write("list.yaml", "# of nodes\n- {name: a}\n");
  EXPECT_EQ(run({"nodes", "--for-pending", "--shapes", list}).err,
            "podium nodes: " + list + ":2: is a list; the list of shapes is the field `shapes` of a map\n");
  const auto text = directory_.write("text.yaml", "\n\nshapes\n");
  EXPECT_THAT(run({"nodes", "--for-pending", "--shapes", text}).err,
              StartsWith("podium nodes: " + text + ":3: "));
  EXPECT_THAT(run({"nodes"}).err, HasSubstr("Give one of --for-pending and --could-go"));
  EXPECT_THAT(run({"nodes", "--could-go", "--for-pending"}).err, HasSubstr("Give one of"));
  EXPECT_THAT(run({"nodes", "--could-go", "--shapes", file}).err, HasSubstr("--shapes: needs --for-pending"));
}

TEST_F(OnADump, HelpHasExamplesAndTheSharedOptionsOnce) {
  CLI::App app{"", "kubectl podium"};
  int code = 0;
  add_verbs(app, code);
  const auto help = app.get_subcommand("drain")->help("kubectl podium");
  EXPECT_THAT(help, HasSubstr("kubectl podium drain NODE...|-l SELECTOR [OPTIONS]"));
  EXPECT_THAT(
      help,
      HasSubstr("Examples:\n  # where would the pods of a node go?\n  kubectl podium drain general-29\n"));
  for (const char* flag : {"--as ", "--token ", "--user ", "--context ", "--selector ", "--rolling "})
    EXPECT_THAT(help, HasSubstr(flag));
  EXPECT_THAT(app.get_subcommand("completion")->help("podium"), Not(HasSubstr("--context")));
}

}  // namespace
}  // namespace podium::kubectl
