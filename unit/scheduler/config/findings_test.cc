// Errors of invalid configurations: a table of inputs and the complete error texts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/scheduler/config/finding.h"

namespace podium::config {
namespace {

using Case = Finding;

// The input follows the two lines of the header.
void check(std::initializer_list<Case> cases) {
  for (const auto& c : cases) {
    SCOPED_TRACE(c.input);
    EXPECT_EQ(finding(fmt::format("{}{}", kHead, c.input)), c.finding);
  }
}

TEST(Findings, UnknownFieldsAndWrongTypesTogether) {
  check({{R"(foo: 1
parallelism: many
podMaxBackoffSeconds: 1.5
enableProfiling: "yes"
leaderElection:
  leaseDuration: 5
  renewDeadline: 5 s
profiles:
- schedulerName: 7
  bar: {}
  plugins: {score: {enabled: {name: NodeName}}, foo: {}}
  pluginConfig:
  - name: NodeResourcesFit
    args: {baz: 1, scoringStrategy: {type: LeastAllocated, resources: [{name: cpu, weight: 101}]}}
)",
          R"(c.yaml:3: foo: unknown field
c.yaml:4: parallelism: Invalid value: "many": expected int32, got string
c.yaml:5: podMaxBackoffSeconds: Invalid value: 1.5E0: expected int64, got number
c.yaml:6: enableProfiling: Invalid value: "yes": expected bool, got string
c.yaml:8: leaderElection.leaseDuration: Invalid value: 5: expected duration string such as "15s", got number
c.yaml:9: leaderElection.renewDeadline: Invalid value: "5 s": invalid duration
c.yaml:11: profiles[0].schedulerName: Invalid value: 7: expected string, got number
c.yaml:12: profiles[0].bar: unknown field
c.yaml:13: profiles[0].plugins.score.enabled: Invalid value: expected list, got object
c.yaml:13: profiles[0].plugins.foo: unknown field
c.yaml:16: profiles[0].pluginConfig[0].args.baz: unknown field
c.yaml:16: profiles[0].pluginConfig[0].args.scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100])"}});
}

TEST(Findings, Settings) {
  check({
      {"parallelism: 16.0", "valid"},
      {"parallelism: null", "valid"},
      {"parallelism: 0",
       "c.yaml:3: parallelism: Invalid value: 0: should be an integer value greater than zero"},
      {"parallelism: 3000000000", "c.yaml:3: parallelism: Invalid value: 3000000000: out of range for int32"},
      {"percentageOfNodesToScore: 101",
       "c.yaml:3: percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]"},
      {"profiles: [{percentageOfNodesToScore: -1}]",
       "c.yaml:3: profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]"},
      {"podInitialBackoffSeconds: 0",
       "c.yaml:3: podInitialBackoffSeconds: Invalid value: 0: must be greater than 0"},
      {"podInitialBackoffSeconds: 20",
       "c.yaml: podMaxBackoffSeconds: Invalid value: 10: must be greater than or equal to "
       "PodInitialBackoffSeconds"},
      {"podMaxBackoffSeconds: 9223372036854775807", "valid"},
      {"clientConnection: {burst: -1}",
       "c.yaml:3: clientConnection.burst: Invalid value: -1: must be non-negative"},
      {"leaderElection: {leaseDuration: 10s}",
       "c.yaml:3: leaderElection.leaseDuration: Invalid value: \"10s\": must be greater than `RenewDeadline` "
       "(10s)"},
      {"leaderElection: {retryPeriod: 10s}",
       "c.yaml:3: leaderElection.renewDeadline: Invalid value: \"10s\": renewDeadline must be greater than "
       "retryPeriod*JitterFactor (10s*1.2)"},
      {"leaderElection: {retryPeriod: -1s}",
       "c.yaml:3: leaderElection.retryPeriod: Invalid value: \"-1s\": must be greater than zero"},
      {"leaderElection: {resourceLock: endpoints}",
       "c.yaml:3: leaderElection.resourceLock: Invalid value: \"endpoints\": resourceLock value must be "
       "\"leases\""},
      {"leaderElection: {leaderElect: false, resourceLock: endpoints, leaseDuration: -5s}", "valid"},
  });
}

TEST(Findings, Profiles) {
  check({
      {"profiles: []", "valid"},
      {"profiles: [{}]", "valid"},
      {"profiles: [{schedulerName: ''}]", "c.yaml:3: profiles[0].schedulerName: Required value"},
      {"profiles:\n- schedulerName: a\n- {}", "c.yaml:5: profiles[1].schedulerName: Required value"},
      {"profiles:\n- schedulerName: a\n- schedulerName: a",
       "c.yaml:5: profiles[1].schedulerName: Duplicate value: \"a\": already used by profiles[0]"},
      {"profiles:\n- schedulerName: a\n- schedulerName: b\n  plugins: {queueSort: {enabled: [{name: "
       "PrioritySort}]}}",
       "c.yaml:6: profiles[1].plugins.queueSort: Invalid value: must be the same for all profiles"},
      {"profiles: [{plugins: {queueSort: {disabled: [{name: '*'}]}}}]",
       "c.yaml:3: profiles[0].plugins.queueSort: only one queue sort plugin required for profile with "
       "scheduler name "
       "\"default-scheduler\", but got 0"},
      {"profiles: [{plugins: {multiPoint: {disabled: [{name: DefaultBinder}]}}}]",
       "c.yaml:3: profiles[0].plugins.bind: at least one bind plugin is needed for profile with scheduler "
       "name "
       "\"default-scheduler\""},
  });
}

TEST(Findings, Plugins) {
  check({
      {"profiles: [{plugins: {score: {enabled: [{name: Nope}]}}}]",
       "c.yaml:3: profiles[0].plugins.score.enabled[0]: ScorePlugin \"Nope\" does not exist"},
      {"profiles: [{plugins: {multiPoint: {enabled: [{name: Nope}]}}}]",
       "c.yaml:3: profiles[0].plugins.multiPoint.enabled[0]: plugin \"Nope\" does not exist"},
      {"profiles: [{plugins: {multiPoint: {disabled: [{name: Nope}]}}}]", "valid"},
      {"profiles: [{plugins: {score: {enabled: [{name: NodeName}]}}}]",
       "c.yaml:3: profiles[0].plugins.score.enabled[0]: plugin \"NodeName\" does not extend ScorePlugin "
       "plugin"},
      {"profiles: [{plugins: {placementScore: {enabled: [{name: NodeName}]}}}]",
       "c.yaml:3: profiles[0].plugins.placementScore.enabled[0]: plugin \"NodeName\" does not extend "
       "PlacementScorePlugin plugin"},
      {"profiles: [{plugins: {podGroupPostFilter: {enabled: [{name: NodeName}]}}}]",
       "c.yaml:3: profiles[0].plugins.podGroupPostFilter.enabled[0]: plugin \"NodeName\" does not extend "
       "PodGroupPostFilterPlugin plugin"},
      {"profiles: [{plugins: {podGroupPostFilter: {enabled: [{name: DynamicResources}]}}}]", "valid"},
      {"profiles: [{plugins: {score: {enabled: [{name: NodeAffinity}, {name: NodeAffinity}]}}}]",
       "c.yaml:3: profiles[0].plugins.score.enabled[1]: plugin \"NodeAffinity\" already registered as "
       "\"ScorePlugin\""},
      {"profiles: [{plugins: {multiPoint: {enabled: [{name: GangScheduling}, {name: GangScheduling}]}}}]",
       "c.yaml:3: profiles[0].plugins.multiPoint.enabled[1]: plugin \"GangScheduling\" already registered as "
       "\"PreEnqueuePlugin\""},
      {"profiles: [{plugins: {multiPoint: {enabled: [{name: TaintToleration}, {name: TaintToleration}]}}}]",
       "c.yaml:3: profiles[0].plugins.multiPoint.enabled[0]: plugin \"TaintToleration\" already registered "
       "as "
       "\"PreFilterPlugin\""},
      {"profiles: [{plugins: {filter: {enabled: [{name: EBSLimits}]}}}]",
       "c.yaml:3: profiles[0].plugins.filter.enabled[0]: Invalid value: \"EBSLimits\": was invalid in "
       "version "
       "\"kubescheduler.config.k8s.io/v1\" (KubeSchedulerConfiguration is version "
       "\"kubescheduler.config.k8s.io/v1\")"},
      {"profiles: [{plugins: {score: {enabled: [{name: NodeAffinity, weight: -1}]}}}]",
       "c.yaml:3: profiles[0].plugins.score.enabled[0].weight: Invalid value: -1: must not be negative: "
       "total score of "
       "Score plugins could overflow"},
      {"profiles: [{plugins: {score: {enabled: [{name: NodeAffinity, weight: 3000000000}]}}}]",
       "c.yaml:3: profiles[0].plugins.score.enabled[0].weight: Invalid value: 3000000000: out of range for "
       "int32"},
  });
}

TEST(Findings, PluginConfig) {
  check({
      {"profiles: [{pluginConfig: [{name: NodeAffinity}]}]", "valid"},
      {"profiles: [{pluginConfig: [{name: NodeAffinity, args: null}]}]", "valid"},
      {"profiles:\n- pluginConfig:\n  - name: NodeAffinity\n  - name: NodeAffinity",
       "c.yaml:6: profiles[0].pluginConfig[1]: Duplicate value: \"NodeAffinity\""},
      {"profiles: [{pluginConfig: [{name: NodeAffinity, args: []}]}]",
       "c.yaml:3: profiles[0].pluginConfig[0].args: Invalid value: expected object, got list"},
      {"profiles: [{pluginConfig: [{name: NodeAffinity, args: {kind: NodeAffinityArgs, apiVersion: v1}}]}]",
       "c.yaml:3: profiles[0].pluginConfig[0].args.apiVersion: no kind \"NodeAffinityArgs\" is registered "
       "for version \"v1\""},
      {"profiles: [{pluginConfig: [{name: NodeAffinity, args: {kind: VolumeBindingArgs}}]}]",
       "c.yaml:3: profiles[0].pluginConfig[0].args.kind: args for plugin NodeAffinity were not of type "
       "NodeAffinityArgs, "
       "got VolumeBindingArgs"},
      {"profiles: [{pluginConfig: [{name: GCEPDLimits}]}]",
       "c.yaml:3: profiles[0].pluginConfig[0]: Invalid value: \"GCEPDLimits\": was invalid in version "
       "\"kubescheduler.config.k8s.io/v1\" (KubeSchedulerConfiguration is version "
       "\"kubescheduler.config.k8s.io/v1\")"},
  });
}

TEST(Findings, AllProfilesSortTheQueueAlike) {
  const auto with_args = [](std::string_view first, std::string_view second) {
    const auto config = [](std::string_view args) {
      return args.empty() ? std::string()
                          : fmt::format("\n  pluginConfig: [{{name: PrioritySort, args: {}}}]", args);
    };
    return fmt::format("profiles:\n- schedulerName: a{}\n- schedulerName: b{}\n", config(first),
                       config(second));
  };
  const std::string differ = ": profiles[1].pluginConfig: different queue sort plugin args for profile \"b\"";
  check({
      {with_args("", ""), "valid"},
      {with_args("{x: 1}", "{x: 1}"), "valid"},
      {with_args("null", ""), "valid"},
      {with_args("{x: 1}", ""), "c.yaml:6" + differ},
      {with_args("", "{}"), "c.yaml:6" + differ},
      {with_args("{x: 1}", "{x: 2}"), "c.yaml:7" + differ},
  });
}

TEST(Findings, IgnoredResourcesNeedThePluginThatIgnoresThem) {
  const std::string text =
      "extenders: [{urlPrefix: 'http://x', managedResources: [{name: example.com/a, ignoredByScheduler: "
      "true}]}]";
  const std::string without =
      text + "\nprofiles: [{plugins: {multiPoint: {disabled: [{name: NodeResourcesFit}]}}}]";
  check({
      {text, "valid"},
      {without,
       "c.yaml:4: profiles[0].pluginConfig: couldn't build extenders: can't find NodeResourcesFitArgs in "
       "plugin config"},
  });
}

TEST(Findings, Extenders) {
  check({
      {"extenders: []", "valid"},
      {"extenders: [{urlPrefix: 'http://x', filterVerb: filter, ignorable: true}]", "valid"},
      {"extenders:\n- {bindVerb: b, prioritizeVerb: p, managedResources: [{name: example.com/a}, {name: "
       "cpu}]}\n"
       "- {bindVerb: b, managedResources: [{name: example.com/a}]}",
       "c.yaml:3: extenders: Invalid value: \"found 2 extenders implementing bind\": only one extender can "
       "implement bind\n"
       "c.yaml:4: extenders[0].weight: Invalid value: 0: must have a positive weight applied to it\n"
       "c.yaml:4: extenders[0].managedResources[1].name: Invalid value: \"cpu\": is an invalid extended "
       "resource name\n"
       "c.yaml:5: extenders[1].managedResources[0].name: Invalid value: \"example.com/a\": duplicate "
       "extender managed "
       "resource name"},
  });
}

// --- the arguments of the plugins ---

// The path prefix of the args, which is the same for all findings, is removed.
void check_args(std::string_view plugin, std::initializer_list<Case> cases,
                const framework::Features& features = {}) {
  constexpr std::string_view kPlace = "c.yaml:3: profiles[0].pluginConfig[0].args.";
  for (const auto& c : cases) {
    SCOPED_TRACE(c.input);
    auto text = finding(
        fmt::format("{}profiles: [{{pluginConfig: [{{name: {}, args: {}}}]}}]", kHead, plugin, c.input),
        features);
    for (std::size_t at; (at = text.find(kPlace)) != std::string::npos;) text.erase(at, kPlace.size());
    EXPECT_EQ(text, c.finding);
  }
}

TEST(FindingsInArgs, NodeResourcesFit) {
  const std::string ratio =
      "{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: ";
  const std::string at = "scoringStrategy.requestedToCapacityRatio.shape";
  check_args("NodeResourcesFit",
             {
                 {"{}", "valid"},
                 {"{scoringStrategy: {type: MostAllocated}}", "valid"},
                 {"{scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 0}]}}", "valid"},
                 {"{scoringStrategy: {}}",
                  "scoringStrategy.type: Unsupported value: \"\": supported values: \"LeastAllocated\", "
                  "\"MostAllocated\", "
                  "\"RequestedToCapacityRatio\""},
                 {"{scoringStrategy: {type: LeastAllocated, resources: [{name: cpu, weight: -1}, {name: "
                  "memory, weight: 100}]}}",
                  "scoringStrategy.resources[0].weight: Invalid value: -1: resource weight of cpu not in "
                  "valid range (0, 100]"},
                 {"{scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 101}]}}",
                  "scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in "
                  "valid range (0, 100]"},
                 {"{scoringStrategy: {type: LeastAllocated, resources: [{Name: cpu, weight: 1}]}}",
                  "scoringStrategy.resources[0].Name: unknown field"},
                 {"{scoringStrategy: {type: LeastAllocated, requestedToCapacityRatio: {}}}",
                  "scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not "
                  "RequestedToCapacityRatio"},
                 {"{scoringStrategy: {type: RequestedToCapacityRatio}}",
                  "scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is "
                  "RequestedToCapacityRatio"},
                 {ratio + "[]}}}", at + ": Required value: at least one point must be specified"},
                 {ratio + "[{utilization: 0, score: 0}, {utilization: 100, score: 10}]}}}", "valid"},
                 {ratio + "[{utilization: -1, score: 0}]}, resources: [{name: cpu, weight: 101}]}}",
                  "scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in "
                  "valid range (0, 100]\n" +
                      at + "[0].utilization: Invalid value: -1: not in valid range [0, 100]"},
                 {ratio + "[{utilization: 50, score: 0}, {utilization: 50, score: 11}, {utilization: 101, "
                          "score: -1}]}}}",
                  at + "[1].utilization: Invalid value: 50: values must be sorted in increasing order\n" +
                      at + "[1].score: Invalid value: 11: not in valid range [0, 10]\n" + at +
                      "[2].utilization: Invalid value: 101: not in valid range [0, 100]\n" + at +
                      "[2].score: Invalid value: -1: not in valid range [0, 10]"},
                 {"{ignoredResources: [example.com/gpu], ignoredResourceGroups: [example.com]}", "valid"},
                 {"{ignoredResources: ['']}",
                  "ignoredResources[0]: Invalid value: \"\": name part must be non-empty\n"
                  "ignoredResources[0]: Invalid value: \"\": name part must consist of alphanumeric "
                  "characters, '-', '_' or '.', and "
                  "must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
                  "'123-abc', regex used for "
                  "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
                 {"{ignoredResourceGroups: [example.com/gpu]}",
                  "ignoredResourceGroups[0]: Invalid value: \"example.com/gpu\": resource group name can't "
                  "contain '/'"},
             });
}

TEST(FindingsInArgs, OtherPlugins) {
  check_args(
      "NodeResourcesBalancedAllocation",
      {
          {"{resources: [{name: cpu}, {name: example.com/gpu, weight: 1}]}", "valid"},
          {"{resources: [{name: cpu, weight: 2}, {name: cpu}]}",
           "resources[0].weight: Invalid value: 2: must be 1\nresources[1].name: Duplicate value: \"cpu\""},
      });
  check_args("InterPodAffinity",
             {
                 {"{hardPodAffinityWeight: 0}", "valid"},
                 {"{hardPodAffinityWeight: -1}",
                  "hardPodAffinityWeight: Invalid value: -1: not in valid range [0, 100]"},
                 {"{hardPodAffinityWeight: 101}",
                  "hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]"},
             });
  check_args("DefaultPreemption",
             {
                 {"{minCandidateNodesPercentage: 0}", "valid"},
                 {"{minCandidateNodesPercentage: 101, minCandidateNodesAbsolute: -1}",
                  "minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]\n"
                  "minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)"},
                 {"{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}",
                  "minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as "
                  "minCandidateNodesAbsolute\n"
                  "minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as "
                  "minCandidateNodesPercentage"},
             });
  framework::Features unscored;
  unscored.storage_capacity_scoring = false;
  check_args("VolumeBinding",
             {
                 {"{bindTimeoutSeconds: 0}", "valid"},
                 {"{bindTimeoutSeconds: -1, shape: []}",
                  "bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, "
                  "should not be a negative value\n"
                  "shape: Invalid value: []: unexpected field `shape`, remove it or turn on "
                  "the feature gate StorageCapacityScoring"},
             },
             unscored);
  check_args(
      "VolumeBinding",
      {
          {"{}", "valid"},
          {"{shape: []}", "valid"},
          {"{shape: [{utilization: 50, score: 7}]}", "valid"},
          {"{shape: [{utilization: 30, score: 3}, {utilization: 20, score: 2}, {utilization: 10, score: 1}]}",
           "shape[1].utilization: Invalid value: 20: values must be sorted in increasing order"},
          {"{shape: [{utilization: -1, score: 3}, {utilization: 101, score: 11}]}",
           "shape[0].utilization: Invalid value: -1: not in valid range [0, 100]\n"
           "shape[1].utilization: Invalid value: 101: not in valid range [0, 100]\n"
           "shape[1].score: Invalid value: 11: not in valid range [0, 10]"},
          {"{shape: [{utilization: 0, score: -1}]}",
           "shape[0].score: Invalid value: -1: not in valid range [0, 10]"},
      });
  check_args("DynamicResources",
             {
                 {"{filterTimeout: 0s, bindingTimeout: 1s}", "valid"},
                 {"{bindingTimeout: 0s}", "bindingTimeout: Invalid value: \"0s\": must be at least 1 second"},
                 {"{filterTimeout: -1s, bindingTimeout: 999ms}",
                  "filterTimeout: Invalid value: \"-1s\": must be zero or positive\n"
                  "bindingTimeout: Invalid value: \"999ms\": must be at least 1 second"},
             });
}

TEST(FindingsInArgs, PodTopologySpread) {
  const std::string good = "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}";
  const std::string head = "{defaultingType: List, defaultConstraints: [";
  check_args(
      "PodTopologySpread",
      {
          {"{defaultingType: List}", "valid"},
          {head + good + "]}", "valid"},
          {"{defaultingType: Some}",
           "defaultingType: Unsupported value: \"Some\": supported values: \"System\", \"List\""},
          {"{defaultConstraints: [" + good + "]}",
           "defaultingType: Invalid value: \"System\": when .defaultConstraints are not empty"},
          {head + good + ", " + good + "]}",
           "defaultConstraints[1]: Duplicate value: \"{zone, ScheduleAnyway}\""},
          {head + good + ", {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]}",
           "defaultConstraints[1]: Duplicate value: \"{zone, ScheduleAnyway}\""},
          {head + good + ", {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}", "valid"},
          {head + "{maxSkew: 0, labelSelector: {}}]}",
           "defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf)\n"
           "defaultConstraints[0].topologyKey: Required value: can not be empty\n"
           "defaultConstraints[0].whenUnsatisfiable: Required value: can not be empty\n"
           "defaultConstraints[0].labelSelector: Forbidden: constraint must not define a selector, as "
           "they deduced for each "
           "pod"},
          {head + "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: Maybe}]}",
           "defaultConstraints[0].whenUnsatisfiable: Unsupported value: \"Maybe\": supported values: "
           "\"DoNotSchedule\", "
           "\"ScheduleAnyway\""},
      });
}

TEST(FindingsInArgs, NodeAffinity) {
  const std::string required =
      "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [";
  const std::string preferred = "{addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [";
  const std::string at = "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].";
  check_args(
      "NodeAffinity",
      {
          {"{addedAffinity: {}}", "valid"},
          {required + "{}]}}}", "valid"},
          {required + "{matchExpressions: [{key: pool, operator: NotIn, values: [red]}]}]}}}", "valid"},
          {required +
               "{matchExpressions: [{key: pool, operator: In}, {key: pool, operator: Exists, values: [a]}, "
               "{key: num, operator: Gt, values: [x]}, {key: num, operator: Lt, values: ['1', '2']}]}]}}}",
           at +
               "matchExpressions[0].values: Invalid value: []: for 'in', 'notin' operators, values set can't "
               "be empty\n" +
               at +
               "matchExpressions[1].values: Invalid value: [\"a\"]: values set must be empty for exists and "
               "does not exist\n" +
               at +
               "matchExpressions[2].values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value "
               "must be an integer\n" +
               at +
               "matchExpressions[3].values: Invalid value: [\"1\",\"2\"]: for 'Gt', 'Lt' operators, exactly "
               "one value is "
               "required"},
          {required + "{matchExpressions: [{key: not/a/label, operator: Exists}]}]}}}",
           at + "matchExpressions[0].key: Invalid value: \"not/a/label\": a valid label key must consist of "
                "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
                "character "
                "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
                "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' "
                "(e.g. "
                "'example.com/MyName')"},
          {required + "{matchExpressions: [{key: pool, operator: Is}], matchFields: [{key: metadata.name, "
                      "operator: Exists}, "
                      "{key: metadata.name, operator: In, values: [a, b]}]}]}}}",
           at +
               "matchExpressions[0].operator: Unsupported value: \"Is\": supported values: \"In\", "
               "\"NotIn\", \"Exists\", "
               "\"DoesNotExist\", \"Gt\", \"Lt\"\n" +
               at +
               "matchFields[0].operator: Unsupported value: \"Exists\": supported values: \"In\", "
               "\"NotIn\"\n" +
               at + "matchFields[1].values: Invalid value: [\"a\",\"b\"]: must have one element"},
          {preferred + "{weight: 0, preference: {matchExpressions: [{key: pool, operator: Is}]}}]}}",
           "valid"},
          {preferred + "{weight: 1, preference: {matchExpressions: [{key: pool, operator: In}]}}]}}",
           "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].matchExpressions[0].values: "
           "Invalid value: []: "
           "for 'in', 'notin' operators, values set can't be empty"},
      });
}

}  // namespace
}  // namespace podium::config
