// Errors in PodiumConfiguration and in both documents together, and warnings about settings without effect.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/scheduler/config/finding.h"

namespace podium::config {
namespace {

using Case = Finding;

TEST(Findings, PodiumConfiguration) {
  constexpr std::string_view kPodium = "apiVersion: config.podium.dev/v1alpha1\nkind: PodiumConfiguration\n";
  const Case cases[] = {
      {"", "valid"},
      {"reports: {ttl: 1s, sampling: 0, maxReports: 1, excludeNamespaces: []}", "valid"},
      {"reports: {ttl: -1s}",
       "c.yaml:3: reports.ttl: Invalid value: \"-1s\": not in valid range [1s, 720h0m0s]"},
      {"reports: {ttl: 0s}",
       "c.yaml:3: reports.ttl: Invalid value: \"0s\": not in valid range [1s, 720h0m0s]"},
      {"reports: {ttl: 1000000h}",
       "c.yaml:3: reports.ttl: Invalid value: \"1000000h0m0s\": not in valid range [1s, 720h0m0s]"},
      {"reports: {ttl: 1000000000000}",
       "c.yaml:3: reports.ttl: Invalid value: 1000000000000: expected duration string such as \"15s\", got "
       "number"},
      {"reports: {sampling: 1.5}",
       "c.yaml:3: reports.sampling: Invalid value: 1.5E0: not in valid range [0, 1]"},
      {"reports: {maxReports: 0}",
       "c.yaml:3: reports.maxReports: Invalid value: 0: not in valid range [1, 1000000]"},
      {"reports: {maxReportsPerNamespace: 1000001}",
       "c.yaml:3: reports.maxReportsPerNamespace: Invalid value: 1000001: not in valid range [1, 1000000]"},
      {"reports: {maxBytes: 64Ki, maxBytesPerNamespace: '1e9'}", "valid"},
      {"reports: {maxBytes: 65535}",
       "c.yaml:3: reports.maxBytes: Invalid value: 65535: expected string, got number"},
      {"reports: {maxBytes: '65535'}",
       "c.yaml:3: reports.maxBytes: Invalid value: \"65535\": not in valid range [64Ki, 16Gi]"},
      {"reports: {maxBytesPerNamespace: many}",
       "c.yaml:3: reports.maxBytesPerNamespace: Invalid value: \"many\": not a quantity such as \"64Mi\""},
      {"reports: {namespaceSelector: {}}", "valid"},
      {"reports: {namespaceSelector: {matchLabels: {a: b}, matchExpressions: [{key: c, operator: Exists}]}}",
       "valid"},
      {"reports: {namespaceSelector: {matchExpressions: [{key: c, operator: Has}]}}",
       "c.yaml:3: reports.namespaceSelector.matchExpressions[0].operator: Unsupported value: \"Has\": "
       "supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\""},
      {"reports: {namespaceSelector: {matchExpressions: [{key: c, operator: In}]}}",
       "c.yaml:3: reports.namespaceSelector.matchExpressions[0].values: Required value: must be specified "
       "when "
       "`operator` is 'In' or 'NotIn'"},
      {"reports: {excludeNamespaces: [a, a]}",
       "c.yaml:3: reports.excludeNamespaces[1]: Duplicate value: \"a\""},
      {"whatIf: {workers: 65}", "c.yaml:3: whatIf.workers: Invalid value: 65: not in valid range [1, 64]"},
      {"whatIf: {deadline: 10ms, maxWaiting: 1, maxWaitingPerNamespace: 100000}", "valid"},
      {"whatIf: {deadline: 9ms}",
       "c.yaml:3: whatIf.deadline: Invalid value: \"9ms\": not in valid range [10ms, 10m0s]"},
      {"whatIf: {deadline: 601s}",
       "c.yaml:3: whatIf.deadline: Invalid value: \"10m1s\": not in valid range [10ms, 10m0s]"},
      {"whatIf: {maxWaiting: 0}",
       "c.yaml:3: whatIf.maxWaiting: Invalid value: 0: not in valid range [1, 100000]"},
      {"whatIf: {maxWaitingPerNamespace: 100001}",
       "c.yaml:3: whatIf.maxWaitingPerNamespace: Invalid value: 100001: not in valid range [1, 100000]"},
      {"httpAPI: {memoryMiB: 0}",
       "c.yaml:3: httpAPI.memoryMiB: Invalid value: 0: not in valid range [1, 16384]"},
      {"events: {bestNode: true}", "c.yaml:3: events.bestNode: unknown field"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.input);
    EXPECT_EQ(finding(fmt::format("{}{}", kPodium, c.input)), c.finding);
  }
}

TEST(Findings, OfBothDocumentsTogether) {
  EXPECT_EQ(
      finding(
          "apiVersion: config.podium.dev/v1alpha1\nkind: PodiumConfiguration\nwhatIf: {workers: 0}\n---\n"
          "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: -1\n"),
      "c.yaml:3: whatIf.workers: Invalid value: 0: not in valid range [1, 64]\n"
      "c.yaml:7: parallelism: Invalid value: -1: should be an integer value greater than zero");
}

TEST(Findings, Warnings) {
  const auto config =
      load(fmt::format("{}percentageOfNodesToScore: 50\nprofiles:\n- plugins:\n    score:\n      enabled:\n"
                       "      - name: TaintToleration\n        weight: 0\n  pluginConfig:\n"
                       "  - name: NodeResourceFit\n    args: {{}}\n  - name: NodeName\n",
                       kHead),
           "c.yaml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(
      config->warnings,
      (std::vector<std::string>{
          "c.yaml:8: profiles[0].plugins.score.enabled[0]: the weight of score plugin \"TaintToleration\" is "
          "zero or "
          "absent and counts as 1",
          "c.yaml:11: profiles[0].pluginConfig[0]: unknown plugin \"NodeResourceFit\": its args have no "
          "effect",
          "c.yaml:13: profiles[0].pluginConfig[1]: plugin \"NodeName\" takes no args: they have no effect"}));
}

}  // namespace
}  // namespace podium::config
