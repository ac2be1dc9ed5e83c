// `podium evaluate` from files to its document, its table and its exit code; plugins and parity have
// tests of their own.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json/serialize.hpp>

#include "app/evaluate/command.h"
#include "app/evaluate/table.h"
#include "app/render/report.h"
#include "base/utf8.h"
#include "unit/app/evaluate/fixture.h"

namespace podium::evaluate {
namespace {

TEST_F(Evaluate, DecidesAgainstTheClusterAndPlacesNothing) {
  const auto done = run(
      {files.write("pods.yaml", pod_of("a", "1") + "---\n" + pod_of("b", "2") + "---\n" + pod_of("c", "2"))});
  ASSERT_TRUE(done) << done.error().message;
  Names where;
  for (const auto& result : done->results) {
    ASSERT_TRUE(result.decision.fits());
    where.push_back(result.pod->pod->full_name() + " " +
                    std::string(done->snapshot.node_name(*result.decision.choice)));
  }
  EXPECT_EQ(where, (Names{"shop/a n2", "shop/b n2", "shop/c n2"})) << "pods do not see each other";
}

TEST_F(Evaluate, SaysWhatItDoesNotModel) {
  const auto done =
      run({files.write("pods.yaml", pod_of("a", "1", "os: {name: windows}, ")), "shop/waiting"});
  ASSERT_TRUE(done) << done.error().message;
  const auto& asked = done->results[0];
  EXPECT_EQ(asked.not_modelled, (Names{"admission webhooks and policies", "LimitRange", "ResourceQuota"}));
  EXPECT_TRUE(to_table(asked, done->snapshot, {})
                  .ends_with("\npodium does not model: admission webhooks and policies, LimitRange, "
                             "ResourceQuota.\n"));
  const auto report = report_json(asked, done->snapshot);
  EXPECT_EQ(report.at("status").at("notModelled").as_array().size(), 3u);
  EXPECT_EQ(done->results[1].not_modelled,
            (Names{"admission webhooks and policies", "LimitRange", "ResourceQuota"}))
      << "a pod of a manifest is not stored yet";
}

// podium counts for a budget of the files as for a budget of a dump that has no status.
TEST_F(Evaluate, ABudgetOfTheFilesAllowsWhatItsControllerWouldCount) {
  const std::string budget =
      "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, namespace: shop}\nspec: "
      "{minAvailable: 0, selector: {matchLabels: {app: low}}}\n---\n";
  const std::string low =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: low, namespace: shop, labels: {app: low}}\nspec: "
      "{nodeName: "
      "n1, priority: -1, containers: [{name: c, image: i, resources: {requests: {cpu: \"1\"}}}]}\nstatus: "
      "{phase: Running}\n";
  auto inputs = inputs_for({files.write("pod.yaml", budget + pod_of("a", "3"))});
  inputs.cluster.push_back(files.write("low.yaml", low));
  const auto done = evaluate_files(inputs);
  ASSERT_TRUE(done) << done.error().message;
  const auto* counted = done->snapshot.objects().find<api::PodDisruptionBudget>("shop", "b");
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->disruptions_allowed, 1);
}

TEST_F(Evaluate, PlacesEachPodForTheNextWhereThatIsAskedFor) {
  const auto pods = pod_of("a", "2") + "---\n" + pod_of("b", "1") + "---\n" + pod_of("c", "1");
  const auto done = place_files(inputs_for({files.write("pods.yaml", pods)}));
  ASSERT_TRUE(done) << done.error().message;
  Names where;
  for (const auto& placed : json::array(to_document(done->pods).at("placements").as_array())) {
    const auto& one = placed.as_object();
    where.push_back(
        json::serialize(one.at("feasible")) + " " +
        std::string(one.contains("node") ? one.at("node").as_string() : one.at("message").as_string()));
    EXPECT_EQ(one.contains("node"), one.contains("score"));
    EXPECT_NE(one.contains("node"), one.contains("message"));
  }
  const std::string full = "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.";
  ASSERT_EQ(where.size(), 3u);
  EXPECT_EQ(where[0], "1 n2");
  EXPECT_EQ(where[1], "1 n1");
  EXPECT_TRUE(where[2].starts_with("0 " + full)) << where[2];
  const auto wide = to_table(done->pods, true);
  EXPECT_NE(wide.find("1 is not placed: " + full), std::string::npos) << wide;
  EXPECT_TRUE(wide.ends_with("2 of 3 pods are placed\n")) << wide;
  EXPECT_EQ(to_table(done->pods, false),
            "2 of 3 pods are placed\n"
            "  WORKLOAD                          PODS  PLACED  WHERE    WHY NOT THE OTHERS\n"
            "  shop (pods without a controller)     3       2  2 nodes  nodes do not have enough free cpu\n"
            "\n"
            "1 is not placed: nodes do not have enough free cpu\n");
}

TEST_F(Evaluate, ItsTablesHaveNothingThatATerminalObeys) {
  const std::vector<PlacedPod> pods = {{.pod = "shop/a\033[2J",
                                        .node = "n\u202e1",
                                        .message = "",
                                        .workload = "Kind\033]0;x",
                                        .zone = "z\u009b"},
                                       {.pod = "shop/b\r",
                                        .node = "",
                                        .message = "m\033[2J",
                                        .workload = "Kind\033]0;x",
                                        .reason = "r\033[2J"}};
  for (const bool wide : {false, true}) {
    const auto table = to_table(pods, wide);
    for (std::string_view left = table; !left.empty(); left.remove_prefix(1))
      EXPECT_TRUE(left.front() == '\n' || control_length(left) == 0) << left;
  }
}

TEST_F(Evaluate, PlacesTheOthersOfAWorkloadAlsoAfterOneThatDoesNotFit) {
  const auto set = R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec: {replicas: 5, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {
  containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}}}
)";
  const auto done = place_files(inputs_for({files.write("db.yaml", set)}));
  ASSERT_TRUE(done) << done.error().message;
  Names where;
  for (const auto& pod : done->pods)
    where.push_back(pod.pod + " " + (pod.node.empty() ? pod.reason : pod.node));
  EXPECT_EQ(where, (Names{"shop/db-0 n2", "shop/db-1 n1", "shop/db-2 n2",
                          "shop/db-3 nodes do not have enough free cpu",
                          "shop/db-4 nodes do not have enough free cpu"}));
}

TEST_F(Evaluate, AReportHasTheFormOfAWhatIfsAnswer) {
  const auto done = run({files.write("pods.yaml", deployment("resources") + "---\n" + pod_of("huge", "64"))});
  ASSERT_TRUE(done) << done.error().message;
  const auto fits = report_json(done->results.at(0), done->snapshot);
  EXPECT_EQ(fits.at("kind"), "SchedulingReport");
  EXPECT_EQ(fits.at("metadata"), json::parse(R"({"name": "web-new-0", "namespace": "default"})"));
  const auto& status = fits.at("status");
  EXPECT_EQ(status.at("outcome"), "Fits");
  EXPECT_EQ(status.at("replicas"), json::parse(R"({"asked": 3, "fitting": 3})"));
  EXPECT_EQ(status.at("nodeCounts"), json::parse(R"({"total": 3, "evaluated": 3, "feasible": 2})"));
  const auto none = report_json(done->results.at(1), done->snapshot);
  EXPECT_EQ(none.at("status").at("outcome"), "DoesNotFit");
  EXPECT_EQ(none.at("status").at("rejections").at(0).at("nodeCount"), 2) << "n3 has a taint";
}

TEST_F(Evaluate, TheDocumentHasEveryVerdictAndScore) {
  const auto done = run({files.write("pods.yaml", pod_of("web", "2"))});
  ASSERT_TRUE(done) << done.error().message;
  const auto document = to_document(done->results, done->snapshot);
  ASSERT_EQ(document.at("results").as_array().size(), 1u);
  const auto& web = document.at("results").at(0);
  EXPECT_EQ(web.at("pod"), "shop/web");
  EXPECT_EQ(web.at("profile"), "default-scheduler");
  EXPECT_EQ(web.at("nodes"), 3);
  EXPECT_EQ(web.at("rejected"), json::parse(R"json({
      "n1": {"plugin": "NodeResourcesFit", "code": "Unschedulable", "reasons": ["Insufficient cpu"]},
      "n3": {"plugin": "TaintToleration", "code": "UnschedulableAndUnresolvable",
             "reasons": ["node(s) had untolerated taint(s)"]}})json"));
  EXPECT_EQ(web.at("feasible"), json::parse(R"(["n2"])"));
  EXPECT_EQ(web.at("top"), web.at("feasible"));
  EXPECT_EQ(web.at("message"), "");
  EXPECT_EQ(web.at("preemption"), nullptr);
  const auto& scores = web.at("scores").as_object();
  ASSERT_EQ(scores.size(), 1u);
  std::int64_t sum = 0;
  for (const auto& [plugin, score] : scores.at("n2").at("plugins").as_object()) {
    sum += score.as_int64() * web.at("weights").at(plugin).as_int64();
  }
  EXPECT_EQ(scores.at("n2").at("total"), sum);
}

TEST_F(Evaluate, APodThatFitsNowhereHasTheMessageOfItsCondition) {
  const auto done = run({files.write("pods.yaml", pod_of("web", "64"))});
  ASSERT_TRUE(done) << done.error().message;
  const auto document = to_document(done->results, done->snapshot);
  const auto& web = document.at("results").at(0);
  EXPECT_TRUE(web.at("message").as_string().starts_with(
      "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu."))
      << web.at("message");
  EXPECT_EQ(web.at("feasible").as_array().size(), 0u);
  EXPECT_EQ(web.at("scores").as_object().size(), 0u);
}

TEST_F(Evaluate, TakesAPodOfTheClusterByItsName) {
  const auto done = run({"shop/waiting"});
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_EQ(done->results.size(), 1u);
  EXPECT_EQ(done->results[0].pod->pod->full_name(), "shop/waiting");
}

TEST_F(Evaluate, APodFromAFileTakesThePlaceOfTheClusters) {
  const auto done = run({files.write("pods.yaml", pod_of("waiting", "64"))});
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_EQ(done->results.size(), 1u);
  EXPECT_FALSE(done->results[0].decision.fits());
}

TEST_F(Evaluate, ChoosesTheProfileByTheSchedulersName) {
  config = files.write("config.yaml",
                       "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                       "profiles:\n- schedulerName: batch\n"
                       "  plugins: {multiPoint: {disabled: [{name: TaintToleration}]}}\n");
  const auto done = run({files.write("pods.yaml", pod_of("web", "4", "schedulerName: batch, "))});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->results[0].profile, "batch");
  EXPECT_EQ(done->snapshot.node_name(*done->results[0].decision.choice), "n3") << "taints do not count there";
  const auto other = run({files.write("pods.yaml", pod_of("web", "4"))});
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->results[0].profile, "batch") << "the only profile answers, and says so";
  EXPECT_EQ(other->warnings.front(),
            "pod shop/web: asked with profile batch; it names scheduler default-scheduler");
  config = files.write("config.yaml",
                       "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                       "profiles: [{schedulerName: batch}, {schedulerName: podium}]\n");
  EXPECT_EQ(error({files.write("pods.yaml", pod_of("web", "4"))}),
            "pod shop/web: profile not found for scheduler name \"default-scheduler\"");
}

TEST_F(Evaluate, SaysWhatIsWrongWithTheInput) {
  struct Case {
    const char* name;
    std::vector<std::string> pods;
    const char* words;
  };
  const Case cases[] = {
      {"no such file", {"no/such/file"}, "no/such/file: No such file or directory"},
      {"a directory without manifests",
       {empty_directory()},
       "empty: no .yaml, .yml or .json file in this directory"},
      {"a kind of another API group",
       {files.write("kruise.yaml",
                    "{apiVersion: apps.kruise.io/v1beta1, kind: StatefulSet, metadata: {name: kr}}")},
       "kruise.yaml: contains no pod and no object with a pod template; not asked: StatefulSet kr "
       "(apps.kruise.io/v1beta1)"},
      {"a kind with pods that podium does not know",
       {files.write("rollout.yaml",
                    "{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: r}, spec: {template: "
                    "{spec: {containers: []}}}}")},
       "rollout.yaml: contains no pod and no object with a pod template; not asked: Rollout r "
       "(argoproj.io/v1alpha1)"},
      {"a name alone",
       {"web-07"},
       "--pod web-07: there is no such file; a pod of --cluster is NAMESPACE/NAME, such as default/web-07"},
      {"no such pod", {"shop/nobody"}, "--pod shop/nobody: no such pod in --cluster, and no such file"},
      {"nothing with pods",
       {files.write("map.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")},
       "map.yaml: contains no pod and no object with a pod template"},
      {"a workload without a template",
       {files.write("web.yaml", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {}}")},
       "web.yaml:1: deployment web: spec.template: required"},
      {"an unknown field in a template",
       {files.write("typo.yaml", deployment("resuorces"))},
       ": deployment web: spec.template.spec.containers[0].resuorces: unknown field"},
      {"a decision", {files.write("report.yaml", report("dryRun: false"))}, "is the report of a decision"},
      {"a question about nobody",
       {files.write("who.yaml", report("dryRun: true, podRef: {name: x}"))},
       "spec.podRef: no pod shop/x in --cluster"},
      {"twice", {"shop/waiting", "shop/waiting"}, "pod shop/waiting is to be evaluated twice"},
      {"no YAML", {files.write("broken.yaml", "a: [")}, "broken.yaml"},
      {"an unknown field", {files.write("field.yaml", pod_of("web", "1", "nodName: n1, "))}, "nodName"},
      {"a quantity that is none", {files.write("quantity.yaml", pod_of("web", "lots"))}, "requests"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_NE(error(c.pods).find(c.words), std::string::npos) << error(c.pods);
  }
  lenient = true;
  EXPECT_EQ(error({files.write("field.yaml", pod_of("web", "1", "nodName: n1, "))}), "");
  config = "no/such/config";
  EXPECT_NE(error({"shop/waiting"}).find("no/such/config"), std::string::npos);
}

TEST_F(Evaluate, SaysAllThatIsWrongTogether) {
  config = "no/such/config";
  EXPECT_EQ(error({"none.yaml", "shop/nobody", "no/such/file", "-", "-"}),
            "no/such/config: No such file or directory\n"
            "-: standard input can be read only once\n"
            "none.yaml: No such file or directory\n"
            "no/such/file: No such file or directory");
  config.clear();
  const auto typos = files.write("typos.yaml", pod_of("web", "lots") + "---\n" + report("dryRun: false"));
  const auto inputs = [&] {
    auto out = inputs_for({typos, "shop/nobody"});
    out.cluster = {files.write("nodes.yaml", "{apiVersion: v1, kind: Node, metadata: {name: a}, colour: 1}")};
    return out;
  }();
  const auto done = evaluate_files(inputs);
  ASSERT_FALSE(done);
  const auto& message = done.error().message;
  EXPECT_NE(message.find("nodes.yaml:1: node a: unknown field \"colour\"\n"), std::string::npos);
  EXPECT_NE(message.find("schedulingreport ask: is the report of a decision"), std::string::npos) << message;
  EXPECT_NE(message.find(": pod shop/web: "), std::string::npos) << message;
  EXPECT_EQ(error({"shop/nobody", "shop/noone", "shop/waiting", "shop/waiting"}),
            "--pod shop/nobody: no such pod in --cluster, and no such file\n"
            "--pod shop/noone: no such pod in --cluster, and no such file\n"
            "pod shop/waiting is to be evaluated twice");
}

TEST_F(Evaluate, SaysWhereThePodsAreThatTheApiServerRefuses) {
  const auto negative = files.write("negative.yaml", pod_of("web", "-1") + "---\n" + pod_of("db", "1"));
  const auto missing =
      files.write("missing.yaml", "# Two.\n" + pod_of("job", "1", "runtimeClassName: kata, ") + "---\n" +
                                      pod_of("high", "1", "priorityClassName: high, "));
  const auto message = error({negative, missing});
  EXPECT_EQ(message.find(negative + ":1: pod shop/web: spec.containers[0].resources.requests[cpu]: "), 0u)
      << message;
  EXPECT_NE(message.find("\n" + missing + ":7: pod shop/high: no PriorityClass with name high was found"),
            std::string::npos)
      << message;
}

TEST_F(Evaluate, TheTableIsForPeople) {
  const auto done = run({files.write("pods.yaml", pod_of("web", "1") + "---\n" + pod_of("huge", "64"))});
  ASSERT_TRUE(done) << done.error().message;
  const auto table = to_table(done->results, done->snapshot, {});
  const auto next = table.find("\nshop/huge does not fit (3 nodes).\nRejected nodes:\n");
  ASSERT_NE(next, std::string::npos) << table;
  const auto web = table.substr(0, next);
  EXPECT_TRUE(web.starts_with("shop/web would go to n2: ")) << web;
  EXPECT_NE(web.find(".\n2 of 3 nodes fit.  points = weight × score\n"), std::string::npos) << web;
  EXPECT_NE(web.find(" n2*  "), std::string::npos) << web;
  EXPECT_NE(web.find("Lead over n1, the best with fewer points: "), std::string::npos) << web;
  EXPECT_TRUE(web.ends_with(
      "Rejected nodes:\n  1 node  has a taint that the pod does not tolerate: team=a:NoSchedule  n3\n"
      "podium does not model: admission webhooks and policies, LimitRange, ResourceQuota.\n"))
      << web;
}

TEST_F(Evaluate, ThePointsAddUpAndTheChosenNodeComesFirst) {
  const auto done = run({"shop/waiting", "shop/running"});
  ASSERT_TRUE(done) << done.error().message;
  for (const auto& result : done->results) {
    const auto status = render::read_report(report_json(result, done->snapshot)).status;
    ASSERT_TRUE(status.choice);
    ASSERT_FALSE(status.top_nodes.empty());
    EXPECT_EQ(status.top_nodes.front().node, status.choice->node);
    EXPECT_EQ(status.top_nodes.front().score, status.choice->score);
    for (const auto& node : status.top_nodes) {
      std::int64_t sum = 0;
      for (std::size_t s = 0; s < status.strategies.size(); ++s) {
        sum += status.strategies[s].weight * node.strategy_scores[s];
      }
      EXPECT_EQ(sum, node.score) << node.node;
    }
  }
}

TEST_F(Evaluate, APlacedPodIsAskedAsIfItWereNot) {
  const auto done = run({"shop/running"});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->results[0].decision.feasible.count(), 1u) << "3 of n1's 4 cpu are its own";
  EXPECT_EQ(done->snapshot.node_name(*done->results[0].decision.choice), "n1");
}

TEST_F(Evaluate, ADumpWithoutNodesIsNone) {
  auto inputs = inputs_for({files.write("pod.yaml", pod_of("web", "1"))});
  inputs.cluster = {files.write("all.yaml", pod_of("other", "1"))};
  const auto done = evaluate_files(inputs);
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().message.starts_with("--cluster has no nodes; make it with: kubectl get nodes,"));
  EXPECT_EQ(done.error().kind, Error::Kind::invalid);
}

TEST_F(Evaluate, WarnsOfKindsThatWouldChangeTheAnswer) {
  const auto has = [](const Names& warnings, const char* words) {
    return std::ranges::any_of(warnings, [&](const auto& w) { return w.find(words) != std::string::npos; });
  };
  const auto done = run({files.write("web.yaml", deployment("resources"))});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(has(done->warnings, "--cluster has no services: "));
  const auto plain = run({"shop/waiting"});
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->warnings, Names{}) << "no labels, no owner, no volumes";

  const auto of_pod = [&](const std::string& spec) {
    const auto asked = run({files.write("pod.yaml", pod_of("web", "1", spec))});
    EXPECT_TRUE(asked) << asked.error().message;
    return asked ? asked->warnings : Names{};
  };
  EXPECT_EQ(
      of_pod(
          "resourceClaims: [{name: a, resourceClaimName: gpu}, {name: b, resourceClaimTemplateName: t}], "),
      (Names{"--cluster has no resourceclaims, resourceclaimtemplates, deviceclasses, resourceslices: the "
             "pod's devices decide where it may go"}));
}

// Runs the subcommand through its command line.
struct Command : Evaluate {
  int call(std::vector<std::string> arguments) {
    CLI::App app("", "podium");
    int code = -1;
    add_command(app, {}, code);
    arguments.insert(arguments.begin(), "evaluate");
    std::reverse(arguments.begin(), arguments.end());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    try {
      app.parse(arguments);
    } catch (const CLI::ParseError&) {
      code = -2;
    }
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
    return code;
  }
  std::string out, err;
};

TEST_F(Command, PrintsInTheFormatsThatThereAre) {
  const auto cluster = files.write("cluster.yaml", kCluster);
  EXPECT_EQ(call({"--cluster", cluster, "--pod", "shop/waiting"}), 0);
  EXPECT_TRUE(out.starts_with("shop/waiting would go to n2: ")) << out;
  EXPECT_EQ(call({"--cluster", cluster, "--pod", "shop/waiting", "-o", "json"}), 0);
  EXPECT_EQ(json::parse(out).at("kind"), "List");
  const auto report = json::parse(out).at("items").at(0);
  EXPECT_EQ(report.at("kind"), "SchedulingReport");
  EXPECT_EQ(report.at("metadata").at("name"), "waiting");
  EXPECT_EQ(report.at("status").at("choice").at("nodeName"), "n2");
  EXPECT_EQ(call({"--cluster", cluster, "--pod", "shop/waiting", "-o", "yaml"}), 0);
  EXPECT_NE(out.find("kind: SchedulingReport\n"), std::string::npos) << out;
  EXPECT_EQ(call({"--cluster", cluster, "--pod", "shop/waiting", "-o", "nodes"}), 0);
  EXPECT_EQ(json::parse(out).at("results").at(0).at("pod"), "shop/waiting");
  EXPECT_EQ(json::parse(out).at("results").at(0).at("node"), "n2");
  EXPECT_EQ(call({"--cluster", cluster, "--pod", "shop/waiting", "-o", "xml"}), 2);
}

TEST_F(Command, WrongInputIsTwoAndSaysWhy) {
  const auto cluster = files.write("cluster.yaml", kCluster);
  EXPECT_EQ(call({"--pod", "shop/waiting"}), 2);
  EXPECT_EQ(err, "podium evaluate: --cluster is required\n");
  EXPECT_EQ(call({"--cluster", cluster}), 2);
  EXPECT_EQ(err, "podium evaluate: --pod is required\n");
  EXPECT_EQ(call({"--cluster", cluster, "--pod", "nosuch/pod"}), 2);
  EXPECT_EQ(err, "podium evaluate: --pod nosuch/pod: no such pod in --cluster, and no such file\n");
  EXPECT_EQ(out, "");
}

TEST_F(Command, BatchContinuesAfterAScenarioThatIsWrong) {
  const auto scenario = [&](const std::string& name, const std::string& pods) {
    std::filesystem::create_directory(files.path(name));
    files.write(name + "/cluster.yaml", kCluster);
    files.write(name + "/pods.yaml", pods);
  };
  scenario("one", pod_of("a", "1"));
  scenario("two", "a: [");
  scenario("three", pod_of("c", "64"));
  EXPECT_EQ(call({"--batch", files.path("")}), 1);
  EXPECT_NE(err.find("/two: "), std::string::npos) << err;
  for (const auto& [name, pod] : {std::pair{"one", "shop/a"}, {"three", "shop/c"}}) {
    std::ifstream in(files.path(std::string(name) + "/actual.json"));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(json::parse(text).at("results").at(0).at("pod"), pod);
  }
  EXPECT_FALSE(std::filesystem::exists(files.path("two/actual.json")));
  EXPECT_EQ(call({"--batch", files.path("one")}), 2) << "no scenario below it";
}

}  // namespace
}  // namespace podium::evaluate
