// What the API server refuses of a workload or a template, podium refuses in its words. A live test
// (e2e/tests/test_faces.py) asks a real API server about the same.
#include "explain/workload/validate_workload.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

constexpr std::string_view kSelector = R"("selector": {"matchLabels": {"app": "web"}},)";

std::string pod_template(std::string_view more) {
  return fmt::format(R"({{"metadata": {{"labels": {{"app": "web"}}}}, "spec": {{{}
      "containers": [{{"name": "c", "image": "i"}}]}}}})",
                     more);
}

std::string workload(std::string_view kind, std::string_view of_pod, std::string_view of_spec = kSelector,
                     std::string_view version = "apps/v1") {
  return fmt::format(R"({{"apiVersion": "{}", "kind": "{}", "metadata": {{"name": "web"}},
                         "spec": {{{} "template": {}}}}})",
                     version, kind, of_spec, pod_template(of_pod));
}

std::string strategy(std::string_view kind, std::string_view of) {
  return workload(kind, "", fmt::format("{} {}", kSelector, of));
}

std::string job(std::string_view of_pod, std::string_view of_spec = "") {
  return workload("Job", of_pod, of_spec, "batch/v1");
}

std::string cron_job(std::string_view name, std::string_view of_pod) {
  return fmt::format(R"({{"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {{"name": "{}"}},
      "spec": {{"schedule": "0 3 * * *", "jobTemplate": {{"spec": {{"template": {}}}}}}}}})",
                     name, pod_template(of_pod));
}

std::string finding(const std::string& manifest) {
  const auto question = unit::read(fmt::format(R"({{"template": {}}})", manifest));
  return question ? "" : question.error().message;
}

TEST(ValidateWorkload, WhatTheApiServerRefuses) {
  struct Case {
    std::string manifest, error;
  };
  constexpr std::string_view kNever = R"("restartPolicy": "Never",)";
  constexpr std::string_view kDeadline = R"("activeDeadlineSeconds": 60,)";
  constexpr std::string_view kDebugger = R"("ephemeralContainers": [{"name": "debug", "image": "i"}],)";
  constexpr std::string_view kAlways = R"(: Unsupported value: "Never": supported values: "Always")";
  const std::string of_template = "spec.template.spec.template.spec.";
  const Case cases[] = {
      {workload("StatefulSet", kDeadline),
       of_template +
           "activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported"},
      {workload("Deployment", kDeadline),
       of_template +
           "activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported"},
      {workload("DaemonSet", kDeadline),
       of_template + "activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported"},
      {workload("ReplicationController", kDeadline, "", "v1"),
       of_template + "activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is "
                     "not Supported"},
      {job(R"("restartPolicy": "Never", "activeDeadlineSeconds": 0,)"),
       of_template + "activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"},
      {workload("Deployment", kNever), of_template + "restartPolicy" + std::string(kAlways)},
      {workload("DaemonSet", kNever), of_template + "restartPolicy" + std::string(kAlways)},
      {workload("ReplicaSet", kNever), of_template + "restartPolicy" + std::string(kAlways)},
      {workload("StatefulSet", kNever), of_template + "restartPolicy" + std::string(kAlways)},
      {job(""), of_template + R"(restartPolicy: Required value: valid values: "OnFailure", "Never")"},
      {job(R"("restartPolicy": "Sometimes",)"),
       of_template +
           R"(restartPolicy: Unsupported value: "Sometimes": supported values: "OnFailure", "Never")"},
      {job(R"("restartPolicy": "OnFailure",)", R"("podFailurePolicy": {"rules": []},)"),
       of_template +
           R"(restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified)"},
      {cron_job("nightly", ""),
       R"(spec.template.spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never")"},
      {cron_job(std::string(53, 'a'), kNever),
       fmt::format(R"(spec.template.metadata.name: Invalid value: "{}": must be no more than 52 characters)",
                   std::string(53, 'a'))},
      {job(kNever, R"("completionMode": "Indexed",)"),
       "spec.template.spec.completions: Required value: when completion mode is Indexed"},
      {job(kNever, R"("parallelism": -1,)"),
       "spec.template.spec.parallelism: Invalid value: -1: must be greater than or equal to 0"},
      {workload("Deployment", "", fmt::format(R"({} "replicas": -2,)", kSelector)),
       "spec.template.spec.replicas: Invalid value: -2: must be greater than or equal to 0"},
      {workload("Deployment", "", fmt::format(R"({} "replicas": "2",)", kSelector)),
       "spec.template.spec.replicas: expected an integer, got a string"},
      {strategy("Deployment", R"("strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "0%"}},)"),
       "spec.template.spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"0%\": may not be 0 when "
       "`maxSurge` is 0"},
      {strategy("Deployment", R"("strategy": {"rollingUpdate": {"maxSurge": "1"}},)"),
       "spec.template.spec.strategy.rollingUpdate.maxSurge: Invalid value: \"1\": must be an integer or "
       "percentage (e.g '5%')"},
      {strategy("Deployment", R"("strategy": {"rollingUpdate": {"maxUnavailable": "101%"}},)"),
       "spec.template.spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"101%\": must not be "
       "greater "
       "than 100%"},
      {strategy("Deployment", R"("strategy": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}},)"),
       "spec.template.spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is "
       "'Recreate'"},
      {strategy("DaemonSet", R"("updateStrategy": {"rollingUpdate": {"maxSurge": 1}},)"),
       "spec.template.spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when "
       "maxUnavailable is non-zero"},
      {strategy("DaemonSet", R"("updateStrategy": {"rollingUpdate": {"maxUnavailable": 0}},)"),
       "spec.template.spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when "
       "maxSurge is 0"},
      {strategy("DaemonSet",
                R"("updateStrategy": {"rollingUpdate": {"maxUnavailable": 0, "maxSurge": "10%"}},)"),
       ""},
      {workload("Deployment", kDebugger),
       of_template + "ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"},
      {workload("StatefulSet", "", R"("selector": {},)"),
       "spec.template.spec.selector: Invalid value: {}: empty selector is invalid for statefulset"},
      {workload("ReplicationController", "", R"("selector": {"app": "db"},)", "v1"),
       "spec.template.spec.template.metadata.labels: Invalid value: `selector` does not match template "
       "`labels`"},
      {pod_template(kDebugger),
       "spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"},
      {workload("StatefulSet", R"("restartPolicy": "Never", "activeDeadlineSeconds": 60,)"),
       of_template +
           "activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported; " +
           of_template + "restartPolicy" + std::string(kAlways)},
  };
  for (const auto& c : cases) EXPECT_EQ(finding(c.manifest), c.error) << c.manifest;
}

std::string scheduled(std::string_view schedule, std::string_view more = "") {
  return fmt::format(R"({{"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {{"name": "web"}},
      "spec": {{"schedule": "{}", {} "jobTemplate": {{"spec": {{"template": {}}}}}}}}})",
                     schedule, more, pod_template(R"("restartPolicy": "Never",)"));
}

TEST(ValidateWorkload, SchedulesAndLimitsOfJobs) {
  struct Case {
    std::string manifest, error;
  };
  constexpr std::string_view kNever = R"("restartPolicy": "Never",)";
  const auto of_schedule = [](std::string_view schedule, std::string_view error) {
    return Case{scheduled(schedule),
                fmt::format("spec.template.spec.schedule: Invalid value: \"{}\": {}", schedule, error)};
  };
  const auto of_job = [&](std::string_view spec, std::string_view error) {
    return Case{job(kNever, spec), fmt::format("spec.template.spec.{}", error)};
  };
  const Case cases[] = {
      of_schedule("61 * * * *", "end of range (61) above maximum (59): 61"),
      of_schedule("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
      of_schedule("* 5-3 * * *", "beginning of range (5) beyond end of range (3): 5-3"),
      of_schedule("*/0 * * * *", "step of range should be a positive number: */0"),
      of_schedule("1/2/3 * * * *", "too many slashes: 1/2/3"),
      of_schedule("1-2-3 * * * *", "too many hyphens: 1-2-3"),
      of_schedule("* * * * 7", "end of range (7) above maximum (6): 7"),
      of_schedule("x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"),
      of_schedule("0 3 * *", "expected exactly 5 fields, found 4: [0 3 * *]"),
      of_schedule("@often", "unrecognized descriptor: @often"),
      of_schedule("@every 5", "failed to parse duration @every 5: time: missing unit in duration \"5\""),
      of_schedule("@every 5d",
                  "failed to parse duration @every 5d: time: unknown unit \"d\" in duration \"5d\""),
      of_schedule("@every 1.5.5s",
                  "failed to parse duration @every 1.5.5s: time: missing unit in duration \"1.5.5s\""),
      of_schedule("@every 9999999h",
                  "failed to parse duration @every 9999999h: time: invalid duration \"9999999h\""),
      of_schedule("@every soon", "failed to parse duration @every soon: time: invalid duration \"soon\""),
      of_schedule("TZ=UTC 0 3 * * *", "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"),
      {scheduled("0 3 * * *", R"("concurrencyPolicy": "Never",)"),
       "spec.template.spec.concurrencyPolicy: Unsupported value: \"Never\": supported values: \"Allow\", "
       "\"Forbid\", \"Replace\""},
      of_job(R"("backoffLimitPerIndex": 1,)",
             "backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"),
      of_job(R"("completionMode": "Indexed", "completions": 3, "maxFailedIndexes": 2,)",
             "backoffLimitPerIndex: Required value: when maxFailedIndexes is specified"),
      of_job(
          R"("completionMode": "Indexed", "completions": 3, "backoffLimitPerIndex": 1, "maxFailedIndexes": 4,)",
          "maxFailedIndexes: Invalid value: 4: must be less than or equal to completions"),
      of_job(R"("podReplacementPolicy": "Never",)",
             "podReplacementPolicy: Unsupported value: \"Never\": supported values: \"Failed\", "
             "\"TerminatingOrFailed\""),
      {strategy("Deployment", R"("progressDeadlineSeconds": 5, "minReadySeconds": 10,)"),
       "spec.template.spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds"},
      {strategy("Deployment", R"("minReadySeconds": 600,)"),
       "spec.template.spec.progressDeadlineSeconds: Invalid value: 600: must be greater than "
       "minReadySeconds"},
      {strategy("DaemonSet", R"("revisionHistoryLimit": -1,)"),
       "spec.template.spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0"},
      {strategy("StatefulSet", R"("podManagementPolicy": "Bad",)"),
       "spec.template.spec.podManagementPolicy: Invalid value: \"Bad\": must be 'OrderedReady' or "
       "'Parallel'"},
      {strategy("StatefulSet", R"("updateStrategy": {"type": "Recreate"},)"),
       "spec.template.spec.updateStrategy: Invalid value: {\"type\":\"Recreate\"}: must be "
       "'RollingUpdate' or 'OnDelete'"}};
  for (const auto& c : cases) EXPECT_EQ(finding(c.manifest), c.error) << c.manifest;
  for (const auto* schedule :
       {"*/5 0-6,22 1 jan-Mar MON", "? ? ? ? ?", "0/15 * * * *", "@hourly", "@every 1h30m", "  0  3 * * *  "})
    EXPECT_EQ(finding(scheduled(schedule)), "") << schedule;
  EXPECT_EQ(finding(job(kNever, R"("completionMode": "Indexed", "completions": 3, "backoffLimitPerIndex": 1,
      "maxFailedIndexes": 3, "podReplacementPolicy": "Failed",)")),
            "");
}

TEST(ValidateWorkload, TimeZonesOfCronJobs) {
  const auto of = [](std::string_view zone) {
    return finding(scheduled("0 3 * * *", fmt::format(R"("timeZone": "{}",)", zone)));
  };
  for (const auto* zone : {"Europe/Berlin", "UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires", "EST5EDT",
                           "US/Pacific", "Asia/Calcutta"})
    EXPECT_EQ(of(zone), "") << zone;
  const std::string at = "spec.template.spec.timeZone: Invalid value: ";
  for (const auto* zone : {"Mars/Phobos", "Europe/Berln", "Europe", "Europe/", "PST", "europe/berlin",
                           "/Europe/Berlin", "GMT+5", " UTC"})
    EXPECT_EQ(of(zone), fmt::format("{}\"{}\": unknown time zone {}", at, zone, zone));
  const std::string explicit_zone =
      "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  EXPECT_EQ(of("Local"), at + "\"Local\": " + explicit_zone);
  EXPECT_EQ(of("local"),
            fmt::format("{0}\"local\": {1}; {0}\"local\": unknown time zone local", at, explicit_zone));
  EXPECT_EQ(of(""), at + "\"\": timeZone must be nil or non-empty string");
}

TEST(ValidateWorkload, StrategiesOfAStatefulSet) {
  const auto of = [](std::string_view update) {
    return finding(strategy("StatefulSet", fmt::format(R"("updateStrategy": {},)", update)));
  };
  const std::string at = "spec.template.spec.updateStrategy.rollingUpdate";
  EXPECT_EQ(of(R"({"type": "OnDelete", "rollingUpdate": {"partition": 1}})"),
            at + ": Invalid value: {\"partition\":1}: only allowed for updateStrategy 'RollingUpdate'");
  for (const auto* update : {R"({"type": "OnDelete"})", R"({"type": "OnDelete", "rollingUpdate": null})",
                             R"({"rollingUpdate": {"partition": 1, "maxUnavailable": "10%"}})", "{}"})
    EXPECT_EQ(of(update), "") << update;
  EXPECT_EQ(of(R"({"rollingUpdate": {"partition": -1}})"),
            at + ".partition: Invalid value: -1: must be greater than or equal to 0");
  EXPECT_EQ(of(R"({"rollingUpdate": {"maxUnavailable": 0}})"),
            at + ".maxUnavailable: Invalid value: 0: cannot be 0");
  EXPECT_EQ(of(R"({"rollingUpdate": {"maxUnavailable": "101%"}})"),
            at + ".maxUnavailable: Invalid value: \"101%\": must not be greater than 100%");
  EXPECT_EQ(
      finding(strategy("StatefulSet", R"("persistentVolumeClaimRetentionPolicy": {"whenScaled": "Keep"},)")),
      "spec.template.spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "
      "\"Keep\": supported values: \"Retain\", \"Delete\"");
}

TEST(ValidateWorkload, PoliciesOfJobs) {
  struct Case {
    std::string spec, error;  // of spec.template.spec; empty: it is accepted
  };
  constexpr std::string_view kIndexed = R"("completionMode": "Indexed", "completions": 3,)";
  const auto failing = [](std::string_view rule, std::string_view more = "") {
    return fmt::format(R"({} "podFailurePolicy": {{"rules": [{{{}}}]}},)", more, rule);
  };
  const auto succeeding = [&](std::string_view rules) {
    return fmt::format(R"({} "successPolicy": {{"rules": [{}]}},)", kIndexed, rules);
  };
  const std::string rule = "podFailurePolicy.rules[0]", codes = rule + ".onExitCodes",
                    success = "successPolicy.rules[0]";
  const Case cases[] = {
      {failing(R"("action": "FailJob", "onExitCodes": {"operator": "In", "values": [1, 42]})"), ""},
      {failing(R"("action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}])"), ""},
      {failing(R"("action": "FailIndex", "onExitCodes": {"operator": "NotIn", "values": [0]})",
               std::string(kIndexed) + R"("backoffLimitPerIndex": 1,)"),
       ""},
      {failing(R"("onExitCodes": {"operator": "In", "values": [1]})"),
       rule + R"(.action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"])"},
      {failing(R"("action": "Retry", "onExitCodes": {"operator": "In", "values": [1]})"),
       rule + ".action: Unsupported value: \"Retry\": supported values: \"Count\", \"FailIndex\", "
              "\"FailJob\", \"Ignore\""},
      {failing(R"("action": "FailIndex", "onExitCodes": {"operator": "In", "values": [1]})"),
       rule + ".action: Invalid value: \"FailIndex\": requires the backoffLimitPerIndex to be set"},
      {failing(R"("action": "Count")"),
       rule + ": Invalid value: specifying one of OnExitCodes and OnPodConditions is required"},
      {failing(R"("action": "Count", "onExitCodes": {"operator": "In", "values": [1]},
                  "onPodConditions": [{"type": "Ready", "status": "False"}])"),
       rule + ": Invalid value: specifying both OnExitCodes and OnPodConditions is not supported"},
      {failing(R"("action": "Count", "onPodConditions": [{"type": "Ready", "status": "No"}])"),
       rule + ".onPodConditions[0].status: Unsupported value: \"No\": supported values: \"False\", "
              "\"True\", \"Unknown\""},
      {failing(R"("action": "Count", "onExitCodes": {"operator": "In", "values": []})"),
       codes + ".values: Invalid value: []: at least one value is required"},
      {failing(R"("action": "Count", "onExitCodes": {"operator": "In", "values": [0]})"),
       codes + ".values[0]: Invalid value: 0: must not be 0 for the In operator"},
      {failing(R"("action": "Count", "onExitCodes": {"operator": "In", "values": [2, 1]})"),
       codes + ".values: Invalid value: [2,1]: must be ordered"},
      {failing(R"("action": "Count", "onExitCodes": {"operator": "In", "values": [1, 1]})"),
       codes + ".values[1]: Duplicate value: 1"},
      {failing(
           R"("action": "Count", "onExitCodes": {"containerName": "x", "operator": "In", "values": [1]})"),
       codes + ".containerName: Invalid value: \"x\": must be one of the container or initContainer names "
               "in the pod template"},
      {R"("successPolicy": {"rules": [{"succeededCount": 1}]},)",
       "successPolicy: Invalid value: {\"rules\":[{\"succeededCount\":1}]}: requires indexed completion "
       "mode"},
      {succeeding(R"({"succeededIndexes": "0,2", "succeededCount": 2})"), ""},
      {succeeding(R"({"succeededIndexes": "0-1"})"), ""},
      {succeeding(""),
       "successPolicy.rules: Required value: at least one rules must be specified when the "
       "successPolicy is specified"},
      {succeeding("{}"), success + ": Required value: at least one of succeededCount or succeededIndexes "
                                   "must be specified"},
      {succeeding(R"({"succeededCount": 4})"),
       success + ".succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of "
                 "specified completions)"},
      {succeeding(R"({"succeededIndexes": "0", "succeededCount": 2})"),
       success + ".succeededCount: Invalid value: 2: must be less than or equal to 1 (the number of indexes "
                 "in the specified succeededIndexes field)"},
      {succeeding(R"({"succeededIndexes": "0-3"})"),
       success + ".succeededIndexes: Invalid value: \"0-3\": error parsing succeededIndexes: too large "
                 "index: \"3\""},
      {succeeding(R"({"succeededIndexes": "1,0"})"),
       success + ".succeededIndexes: Invalid value: \"1,0\": error parsing succeededIndexes: "
                 "non-increasing order, previous: 1, current: 0"},
      {succeeding(R"({"succeededIndexes": "0,"})"),
       success + ".succeededIndexes: Invalid value: \"0,\": error parsing succeededIndexes: cannot convert "
                 "string to integer for index: \"\""},
      {R"("completionMode": "Sometimes",)",
       "completionMode: Unsupported value: \"Sometimes\": supported values: \"NonIndexed\", "
       "\"Indexed\""},
      {R"("completionMode": "Indexed", "completions": 200000, "backoffLimitPerIndex": 1,)",
       "maxFailedIndexes: Required value: must be specified when completions is above 100000"},
      {R"("completionMode": "Indexed", "completions": 200000, "backoffLimitPerIndex": 1,
          "maxFailedIndexes": 10, "parallelism": 20000,)",
       "parallelism: Invalid value: 20000: must be less than or equal to 10000 when completions are above "
       "100000 and used with backoff limit per index"},
      {R"("completionMode": "NonIndexed", "maxFailedIndexes": 1, "backoffLimitPerIndex": 1,)",
       "backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode; "
       "spec.template.spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode"},
      {R"("managedBy": "manager",)",
       "managedBy: Invalid value: \"manager\": must be a domain-prefixed path (such as \"acme.io/foo\")"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(finding(job(R"("restartPolicy": "Never",)", c.spec)),
              c.error.empty() ? "" : "spec.template.spec." + c.error)
        << c.spec;
}

TEST(ValidateWorkload, PoliciesOfAPod) {
  const auto resized = [](std::string_view policies, std::string_view more = "") {
    return fmt::format(
        R"({{"spec": {{{} "containers": [{{"name": "c", "image": "i", "resizePolicy": [{}]}}]}}}})", more,
        policies);
  };
  constexpr std::string_view kCpu = R"({"resourceName": "cpu", "restartPolicy": "NotRequired"})";
  constexpr std::string_view kRestart = R"({"resourceName": "cpu", "restartPolicy": "RestartContainer"})";
  const std::string at = "spec.template.spec.containers[0].resizePolicy";
  EXPECT_EQ(finding(resized(kCpu)), "");
  EXPECT_EQ(finding(resized(kRestart)), "");
  EXPECT_EQ(finding(resized(R"({"resourceName": "gpu", "restartPolicy": "NotRequired"})")),
            at + ": Unsupported value: \"gpu\": supported values: \"cpu\", \"memory\"");
  EXPECT_EQ(finding(resized(kRestart, R"("restartPolicy": "Never",)")),
            at + ": Invalid value: \"RestartContainer\": must be 'NotRequired' when pod `restartPolicy` is "
                 "'Never'");
  EXPECT_EQ(finding(resized(fmt::format("{}, {}", kCpu, kCpu))), at + "[1]: Duplicate value: \"cpu\"");
  EXPECT_EQ(finding(pod_template(R"("os": {"name": "bsd"},)")),
            "spec.template.spec.os: Unsupported value: \"bsd\": supported values: \"linux\", \"windows\"");
  EXPECT_EQ(
      finding(pod_template(R"("dnsPolicy": "None",)")),
      "spec.template.spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None");
  EXPECT_EQ(finding(pod_template(R"("dnsPolicy": "None", "dnsConfig": {"nameservers": ["10.0.0.1"]},)")), "");
}

TEST(ValidateWorkload, WhatTheApiServerAccepts) {
  for (const auto& manifest :
       {workload("Deployment", R"("restartPolicy": "Always",)"), workload("DaemonSet", ""),
        job(R"("restartPolicy": "Never", "activeDeadlineSeconds": 60,)"),
        job(R"("restartPolicy": "OnFailure",)"),
        cron_job(std::string(52, 'a'), R"("restartPolicy": "Never",)"),
        pod_template(R"("restartPolicy": "Never", "activeDeadlineSeconds": 60,)"),
        workload("ReplicationController", "", R"("selector": {"app": "web"},)", "v1")})
    EXPECT_EQ(finding(manifest), "") << manifest;
}

TEST(ValidateWorkload, ClaimsOfTemplates) {
  const auto of = [](std::string_view spec) {
    return finding(workload(
        "StatefulSet", "",
        fmt::format(R"({} "volumeClaimTemplates": [{{"metadata": {{"name": "d"}}, "spec": {{{}}}}}],)",
                    kSelector, spec)));
  };
  const std::string at = "spec.template.spec.volumeClaimTemplates[0].spec.";
  constexpr std::string_view kOnce = R"("accessModes": ["ReadWriteOnce"], )";
  constexpr std::string_view kSize = R"("resources": {"requests": {"storage": "1Gi"}})";
  EXPECT_EQ(of(fmt::format("{}{}", kOnce, kSize)), "");
  EXPECT_EQ(of(kSize), at + "accessModes: Required value: at least 1 access mode is required");
  EXPECT_EQ(of(R"("accessModes": ["ReadWriteOnce"])"), at + "resources[storage]: Required value");
  EXPECT_EQ(of(fmt::format(R"("accessModes": ["Bad"], {})", kSize)),
            at + "accessModes: Unsupported value: \"Bad\": supported values: \"ReadOnlyMany\", "
                 "\"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\"");
  EXPECT_EQ(of(fmt::format(R"("accessModes": ["ReadWriteOncePod", "ReadWriteOnce"], {})", kSize)),
            at + "accessModes: Forbidden: may not use ReadWriteOncePod with other access modes");
  EXPECT_EQ(of(fmt::format(R"({}"resources": {{"requests": {{"storage": "-1"}}}})", kOnce)),
            at + "resources[storage]: Invalid value: \"-1\": must be greater than zero");
  EXPECT_EQ(of(fmt::format(R"({}{}, "volumeMode": "Raw")", kOnce, kSize)),
            at + "volumeMode: Unsupported value: \"Raw\": supported values: \"Block\", \"Filesystem\"");
  EXPECT_EQ(of(fmt::format(R"({}{}, "storageClassName": "Not_Valid")", kOnce, kSize)),
            at + "storageClassName: Invalid value: \"Not_Valid\": must be a lowercase RFC 1123 subdomain");
}

// The controller adds a volume to the pods for each claim template.
TEST(ValidateWorkload, ClaimTemplatesAreVolumes) {
  const auto set = [](std::string_view kind, std::string_view mounted) {
    const auto of_pod = fmt::format(
        R"("initContainers": [{{"name": "prep", "image": "i", "volumeMounts": [{{"name": "{}", "mountPath": "/d"}}]}}],)",
        mounted);
    const auto claims = std::string(kSelector) + R"("volumeClaimTemplates": [{"metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}],)";
    return finding(workload(kind, of_pod, claims));
  };
  EXPECT_EQ(set("StatefulSet", "data"), "");
  EXPECT_EQ(set("StatefulSet", "date"),
            "spec.template.spec.template.spec.initContainers[0].volumeMounts[0].name: Not found: \"date\"");
}

// The controller sets both fields of a StatefulSet's pods.
TEST(ValidateWorkload, HostNames) {
  constexpr std::string_view kNames = R"("hostname": "web.0", "subdomain": "Web",)";
  const auto refused = finding(workload("Deployment", kNames));
  for (const auto* field : {"hostname", "subdomain"})
    EXPECT_TRUE(refused.contains(fmt::format("spec.template.spec.template.spec.{}: ", field))) << refused;
  EXPECT_EQ(finding(workload("StatefulSet", kNames)), "");
}

}  // namespace
}  // namespace podium::explain
