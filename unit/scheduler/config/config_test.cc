#include "scheduler/config/load.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <sstream>

#include "api/text/yaml.h"
#include "api/values/selector.h"
#include "scheduler/framework/profile.h"
#include "unit/scheduler/config/finding.h"
#include "unit/support/temp_dir.h"

namespace podium::config {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

using Case = Finding;

TEST(Config, FieldsArriveWhereTheyBelong) {
  const auto config = load(fmt::format(R"({}
parallelism: 3
percentageOfNodesToScore: 100
podInitialBackoffSeconds: 2
podMaxBackoffSeconds: 20
delayCacheUntilActive: true
enableProfiling: false
leaderElection: {{leaderElect: false, leaseDuration: 1m, renewDeadline: 40s, retryPeriod: 500ms, resourceName: podium, resourceNamespace: x}}
clientConnection: {{kubeconfig: /etc/kc, qps: 12.5, burst: 7}}
profiles: [{{schedulerName: a}}, {{schedulerName: b}}]
---
apiVersion: config.podium.dev/v1alpha1
kind: PodiumConfiguration
adaptiveSearch: true
reports: {{enabled: false, onlyFailures: true, sampling: 0.25, ttl: 90s, maxReports: 5, maxReportsPerNamespace: 3,
  maxBytes: 1Mi, maxBytesPerNamespace: 100k, excludeNamespaces: [kube-system],
  namespaceSelector: {{matchLabels: {{team: shop}}, matchExpressions: [{{key: env, operator: NotIn, values: [dev]}}]}}}}
events: {{enabled: false, bestNodes: true}}
whatIf: {{enabled: false, workers: 2, deadline: 1500ms, maxWaiting: 50, maxWaitingPerNamespace: 7}}
httpAPI: {{enabled: false, memoryMiB: 9, page: false}}
)",
                                       kHead),
                           "c.yaml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->parallelism, 3);
  EXPECT_EQ(config->percentage_of_nodes_to_score, 100);
  EXPECT_TRUE(config->podium.adaptive_search);
  EXPECT_EQ(config->pod_initial_backoff, 2s);
  EXPECT_EQ(config->pod_max_backoff, 20s);
  EXPECT_TRUE(config->delay_cache_until_active);
  EXPECT_FALSE(config->leader_election.leader_elect);
  EXPECT_EQ(config->leader_election.lease_duration, 60s);
  EXPECT_EQ(config->leader_election.renew_deadline, 40s);
  EXPECT_EQ(config->leader_election.retry_period, 500ms);
  EXPECT_EQ(config->leader_election.resource_name, "podium");
  EXPECT_EQ(config->leader_election.resource_namespace, "x");
  EXPECT_EQ(config->leader_election.resource_lock, "leases");
  EXPECT_EQ(config->client_connection.kubeconfig, "/etc/kc");
  EXPECT_TRUE(config->profile("a") && config->profile("b"));
  EXPECT_FALSE(config->podium.reports.enabled);
  EXPECT_TRUE(config->podium.reports.only_failures);
  EXPECT_EQ(config->podium.reports.sampling, 0.25);
  EXPECT_EQ(config->podium.reports.ttl, 90s);
  EXPECT_EQ(config->podium.reports.max_reports, 5);
  EXPECT_EQ(config->podium.reports.max_reports_per_namespace, 3);
  EXPECT_EQ(config->podium.reports.max_bytes, 1 << 20);
  EXPECT_EQ(config->podium.reports.max_bytes_per_namespace, 100'000);
  ASSERT_TRUE(config->podium.reports.namespace_selector);
  const auto& selector = *config->podium.reports.namespace_selector;
  EXPECT_EQ(selector.match_labels.size(), 1u);
  ASSERT_EQ(selector.match_expressions.size(), 1u);
  EXPECT_EQ(selector.match_expressions[0].op, api::Requirement::Op::not_in);
  EXPECT_EQ(config->podium.reports.exclude_namespaces, std::vector<std::string>{"kube-system"});
  EXPECT_FALSE(config->podium.events.enabled);
  EXPECT_TRUE(config->podium.events.best_nodes);
  EXPECT_FALSE(config->podium.what_if.enabled);
  EXPECT_EQ(config->podium.what_if.workers, 2);
  EXPECT_EQ(config->podium.what_if.deadline, 1500ms);
  EXPECT_EQ(config->podium.what_if.max_waiting, 50);
  EXPECT_EQ(config->podium.what_if.max_waiting_per_namespace, 7);
  EXPECT_FALSE(config->podium.http_api.enabled);
  EXPECT_EQ(config->podium.http_api.memory_mib, 9);
  EXPECT_FALSE(config->podium.http_api.page);
}

TEST(Config, WithheldNamesOfNodesAreInNoEvent) {
  const std::string head =
      std::string(kHead) + "\n---\napiVersion: config.podium.dev/v1alpha1\nkind: PodiumConfiguration\n";
  EXPECT_FALSE(load("", "")->podium.withhold_node_names);
  const auto config = load(head + "withholdNodeNames: true\n", "c.yaml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_TRUE(config->podium.withhold_node_names);
  const auto refused = load(head + "withholdNodeNames: true\nevents: {bestNodes: true}\n", "c.yaml");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find(
                "events.bestNodes: Invalid value: true: names nodes, which withholdNodeNames forbids"),
            std::string::npos)
      << refused.error().message;
}

TEST(Config, Extenders) {
  const auto config = load(fmt::format(R"({}
extenders:
- urlPrefix: https://one/prefix
  filterVerb: filter
  prioritizeVerb: prioritize
  bindVerb: bind
  weight: 4
  enableHTTPS: true
  tlsConfig: {{serverName: one, caFile: /ca, certData: QQ==}}
  httpTimeout: 1500ms
  nodeCacheCapable: true
  managedResources: [{{name: example.com/a, ignoredByScheduler: true}}, {{name: example.com/b}}]
  ignorable: true
- {{urlPrefix: 'http://two', preemptVerb: preempt}}
profiles: [{{pluginConfig: [{{name: NodeResourcesFit, args: {{ignoredResources: [example.com/z]}}}}]}}]
)",
                                       kHead),
                           "c.yaml");
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_EQ(config->extenders.size(), 2u);
  const auto& one = config->extenders[0];
  EXPECT_EQ(one.url_prefix, "https://one/prefix");
  EXPECT_EQ(one.filter_verb + one.prioritize_verb + one.bind_verb, "filterprioritizebind");
  EXPECT_EQ(one.weight, 4);
  EXPECT_TRUE(one.enable_https && one.node_cache_capable && one.ignorable);
  EXPECT_EQ(one.tls.server_name + one.tls.ca_file + one.tls.cert_data, "one/caQQ==");
  EXPECT_EQ(one.http_timeout, 1500ms);
  EXPECT_EQ(one.managed_resources, (std::vector<std::string>{"example.com/a", "example.com/b"}));
  const auto& two = config->extenders[1];
  EXPECT_EQ(two.http_timeout, 5s) << "the default";
  EXPECT_FALSE(two.node_cache_capable || two.ignorable || two.enable_https);
  EXPECT_EQ(two.preempt_verb, "preempt");
  EXPECT_TRUE(config->warnings.empty());
  EXPECT_TRUE(config->profiles[0]->has_extenders);
  EXPECT_FALSE(load("", "")->profiles[0]->has_extenders);
  // The resources that extenders manage replace the plugin's ignoredResources.
  const auto& plugins = config->view.at("profiles").at(0).at("pluginConfig").as_array();
  const auto fit =
      std::ranges::find(plugins, "NodeResourcesFit", [](const auto& each) { return each.at("name"); });
  ASSERT_NE(fit, plugins.end());
  EXPECT_EQ(fit->at("args").at("ignoredResources"), (json::array{"example.com/a"}));
}

TEST(Config, EmptyFilesAreTheDefaults) {
  for (const auto* text : {"", "\n", "# nothing\n", "---\n", "---\n---\n"}) {
    const auto config = load(text, "c.yaml");
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->parallelism, 16);
    EXPECT_EQ(config->leader_election.lease_duration, 15s);
    EXPECT_EQ(config->podium.reports.ttl, 24h);
    EXPECT_EQ(config->podium.reports.max_reports, 10'000);
    EXPECT_EQ(config->podium.reports.max_bytes, 64 << 20);
    EXPECT_FALSE(config->podium.reports.namespace_selector);
    EXPECT_EQ(config->podium.what_if.deadline, 5s);
  }
}

// Documents of an unknown kind or version, and duplicate documents.
TEST(Config, WrongDocuments) {
  const Case cases[] = {
      {"kind: KubeSchedulerConfiguration", "c.yaml: Object 'apiVersion' is missing"},
      {"apiVersion: kubescheduler.config.k8s.io/v1", "c.yaml: Object 'Kind' is missing"},
      {"a text", "c.yaml: the document is not an object"},
      {"kind: Policy\npredicates:\n- {name: PodFitsResources}\n- {name: Mine}\npriorities:\n"
       "- {name: LeastRequestedPriority, weight: 2}\nextenders: []",
       "c.yaml:1: kind: scheduler policies were removed in Kubernetes 1.23: write a file with apiVersion: "
       "kubescheduler.config.k8s.io/v1 and kind: KubeSchedulerConfiguration; its default profile has all of "
       "kube-scheduler's plugins, so list only what differs\n"
       "c.yaml:3: predicates[0]: PodFitsResources is the plugin NodeResourcesFit "
       "(profiles[].plugins.filter.enabled: "
       "[{name: …}])\n"
       "c.yaml:4: predicates[1]: Mine has no successor\n"
       "c.yaml:6: priorities[0]: LeastRequestedPriority is the plugin NodeResourcesFit, whose "
       "scoringStrategy is "
       "LeastAllocated by default (profiles[].plugins.score.enabled: [{name: …, weight: 2}])\n"
       "c.yaml:7: extenders: is now a field of KubeSchedulerConfiguration with the same fields, except that "
       "enableHttps is named enableHTTPS and httpTimeout is a string such as 5s"},
      {"apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration",
       "c.yaml:1: apiVersion: no kind \"KubeSchedulerConfiguration\" is registered for version "
       "\"kubescheduler.config.k8s.io/v1beta3\": use kubescheduler.config.k8s.io/v1"},
      {"apiVersion: v1\nkind: ConfigMap",
       "c.yaml:1: apiVersion: no kind \"ConfigMap\" is registered for version \"v1\""},
      {fmt::format("{0}---\n{0}", kHead),
       "c.yaml:5: kind: the file has more than one KubeSchedulerConfiguration"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.input);
    EXPECT_EQ(finding(c.input), c.finding);
  }
}

TEST(Config, WhatCannotBeParsedIsRefused) {
  const auto duplicate = finding(std::string(kHead) + "parallelism: 1\nparallelism: 2\n");
  EXPECT_NE(duplicate.find("c.yaml:4"), std::string::npos) << duplicate;
  EXPECT_NE(duplicate.find("parallelism"), std::string::npos) << duplicate;

  std::string bomb = "l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i)
    bomb += fmt::format("l{0}: &l{0} [*l{1}, *l{1}, *l{1}, *l{1}, *l{1}, *l{1}]\n", i, i - 1);
  const std::string head(kHead);
  for (const auto& bad :
       {head + "a: \xff\xfe", head + "a: [", head + "#" + std::string(1 << 20, 'x'), bomb}) {
    EXPECT_TRUE(finding(bad).starts_with("c.yaml")) << finding(bad);
  }
}

TEST(Config, FilesThatCannotBeRead) {
  const auto missing = load_file("no/such/file.yaml");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "no/such/file.yaml: No such file or directory");
  const auto directory = load_file(".");
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().message, ".: Is a directory");
}

TEST(Config, FilesWithoutADocumentAreRefused) {
  const podium::unit::TempDir files;
  for (const auto* text : {"", "\n", "# nothing\n", "---\n", "---\n---\n"}) {
    const auto config = load_file(files.write("c.yaml", text));
    ASSERT_FALSE(config) << text;
    EXPECT_EQ(config.error().message, files.path("c.yaml") + ": Object 'Kind' is missing: the file is empty");
  }
}

TEST(Config, OverridesCountInsteadOfTheFile) {
  LoadOptions options;
  options.overrides = {{"leaderElection", {{"leaderElect", false}, {"resourceName", "other"}}}};
  const auto config =
      load(std::string(kHead) + "leaderElection: {resourceName: mine, resourceNamespace: ours}\n", "c.yaml",
           options);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_FALSE(config->leader_election.leader_elect);
  EXPECT_EQ(config->leader_election.resource_name, "other");
  EXPECT_EQ(config->leader_election.resource_namespace, "ours");
  EXPECT_EQ(config->view.at("leaderElection").at("resourceName"), "other");
  options.overrides = {{"leaderElection", {{"leaseDuration", "1s"}}}};
  EXPECT_FALSE(load("", "c.yaml", options)) << "they are validated, too";
}

// The file is the output of `kube-scheduler --write-config-to` without a configuration.
TEST(Config, ViewIsWhatUpstreamWrites) {
  std::ifstream file("unit/scheduler/config/default_view.yaml");
  std::stringstream text;
  text << file.rdbuf();
  const auto expected = api::parse_documents(text.str(), "default_view.yaml");
  ASSERT_TRUE(expected && expected->size() == 1);
  const auto config = load("", "c.yaml");
  ASSERT_TRUE(config);
  EXPECT_EQ(json::serialize(config->view), json::serialize(expected->at(0).value));
}

TEST(Config, ViewCanBeLoadedAndGivesTheSame) {
  const auto first = load(fmt::format(R"({}
extenders: []
enableProfiling: false
delayCacheUntilActive: true
profiles:
- schedulerName: a
  percentageOfNodesToScore: 0
  plugins:
    multiPoint: {{enabled: [{{name: NodeAffinity, weight: 5}}], disabled: [{{name: ImageLocality}}]}}
    score: {{disabled: [{{name: "*"}}], enabled: [{{name: NodeAffinity, weight: 2}}]}}
  pluginConfig:
  - name: NodeResourcesFit
    args:
      ignoredResources: []
      scoringStrategy:
        type: RequestedToCapacityRatio
        requestedToCapacityRatio: {{shape: [{{}}, {{utilization: 100, score: 10}}]}}
  - name: NodeAffinity
    args: {{addedAffinity: {{preferredDuringSchedulingIgnoredDuringExecution: [{{weight: 1}}]}}}}
)",
                                      kHead),
                          "c.yaml");
  ASSERT_TRUE(first) << first.error().message;
  const auto& args = first->view.at("profiles").at(0).at("pluginConfig").as_array();
  EXPECT_EQ(
      json::serialize(args.at(3)),
      R"({"args":{"addedAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"preference":{},"weight":1}]},)"
      R"("apiVersion":"kubescheduler.config.k8s.io/v1","kind":"NodeAffinityArgs"},"name":"NodeAffinity"})");
  EXPECT_EQ(
      json::serialize(args.at(5)),
      R"({"args":{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"NodeResourcesFitArgs","scoringStrategy":)"
      R"({"requestedToCapacityRatio":{"shape":[{"score":0,"utilization":0},{"score":10,"utilization":100}]},)"
      R"("resources":[{"name":"cpu","weight":1},{"name":"memory","weight":1}],"type":"RequestedToCapacityRatio"}},)"
      R"("name":"NodeResourcesFit"})");

  const auto second =
      load(api::to_yaml(first->view) + "---\n" + api::to_yaml(first->podium_view), "view.yaml");
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(json::serialize(second->view), json::serialize(first->view));
  EXPECT_EQ(json::serialize(second->podium_view), json::serialize(first->podium_view));
}

// With its gate on, the shape has a default, which the view shows.
TEST(Config, TheShapeOfVolumeBinding) {
  const auto shape = [](std::string_view args, bool scoring) {
    FeatureGates gates;
    gates.features.storage_capacity_scoring = scoring;
    const auto config =
        load(fmt::format("{}profiles: [{{pluginConfig: [{{name: VolumeBinding, args: {}}}]}}]", kHead, args),
             "", {gates, {}});
    if (!config) return config.error().message;
    for (const auto& one : config->view.at("profiles").at(0).at("pluginConfig").as_array()) {
      if (one.at("name") != "VolumeBinding") continue;
      const auto* found = one.at("args").as_object().if_contains("shape");
      return found ? json::serialize(*found) : std::string("none");
    }
    return std::string("no VolumeBinding");
  };
  const std::string by_default = R"([{"score":10,"utilization":0},{"score":0,"utilization":100}])";
  EXPECT_EQ(shape("{}", false), "none");
  EXPECT_EQ(shape("{}", true), by_default);
  EXPECT_EQ(shape("{shape: []}", true), by_default);
  EXPECT_EQ(shape("{shape: [{utilization: 7, score: 3}]}", true), R"([{"score":3,"utilization":7}])");
}

}  // namespace
}  // namespace podium::config
