// admit_question(): the pod of a what-if as the API server would store it, and its profile.
#include "explain/answer/what_if_admission.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "scheduler/config/load.h"
#include "scheduler/framework/profile.h"
#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using namespace std::chrono_literals;
using test::pod;

// A template whose pod has these fields of spec and its container.
Question question(std::string_view spec, std::string_view profile = "") {
  const auto report = fmt::format(
      R"({{"metadata": {{"name": "ask", "namespace": "shop", "uid": "u1"}},
           "spec": {{"template": {{"spec": {{"containers": [{{"name": "c", "image": "i"}}]{}{}}}}}}}}})",
      spec.empty() ? "" : ", ", spec);
  auto read = read_question(scan_report(report).value(), 600s).value();
  read.profile = profile;
  return read;
}

config::Config with_profiles(std::string_view profiles) {
  return config::load(
             fmt::format("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                         "profiles: {}",
                         profiles),
             "c.yaml")
      .value();
}

TEST(AdmitQuestion, ChoosesTheProfile) {
  const auto only = with_profiles("[{schedulerName: podium}]");
  const auto two = with_profiles("[{schedulerName: default-scheduler}, {schedulerName: batch}]");
  const auto foreign = with_profiles("[{schedulerName: batch}, {schedulerName: podium}]");
  struct Case {
    const char *name, *spec, *profile;
    const config::Config& config;
    std::string chosen, error;
  };
  const Case cases[] = {
      {"the default", "", "", unit::default_config(), "default-scheduler", ""},
      {"the only one", "", "", only, "podium", ""},
      {"the template's", R"("schedulerName": "batch")", "", two, "batch", ""},
      {"the question's goes before the template's", R"("schedulerName": "batch")", "default-scheduler", two,
       "default-scheduler", ""},
      {"an unknown one", "", "batch", unit::default_config(), "",
       "spec.profile: unknown profile \"batch\" (known: default-scheduler)"},
      {"the only one, for another scheduler's pod", R"("schedulerName": "else")", "", only, "podium", ""},
      {"an unknown one in the template", R"("schedulerName": "else")", "", two, "",
       "spec.template.spec.schedulerName: unknown profile \"else\" (known: default-scheduler, batch)"},
      {"none that would be the obvious one", "", "", foreign, "",
       "spec.template.spec.schedulerName: unknown profile \"default-scheduler\" (known: batch, podium)"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto admitted = admit_question(question(c.spec, c.profile), {}, c.config);
    EXPECT_EQ(admitted ? (*admitted)->scheduler_name : "", c.chosen);
    EXPECT_EQ(admitted ? "" : admitted.error().message, c.error);
  }
}

TEST(AdmitQuestion, ResolvesThePriorityClass) {
  cluster::Snapshot plain, with_default;
  plain.objects().set(test::share(test::priority_class("high", 1000)));
  auto usual = test::priority_class("usual", 7);
  usual.global_default = true;
  with_default.objects().set(test::share(usual));
  struct Case {
    const char *name, *spec;
    const cluster::Snapshot& snapshot;
    std::optional<int> priority;
    std::string priority_class;
  };
  const Case cases[] = {
      {"none", "", plain, 0, ""},
      {"one of the cluster's", R"("priorityClassName": "high")", plain, 1000, "high"},
      {"a built-in one", R"("priorityClassName": "system-node-critical")", plain, 2000001000,
       "system-node-critical"},
      {"the global default", "", with_default, 7, "usual"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto admitted = admit_question(question(c.spec), c.snapshot, unit::default_config());
    ASSERT_TRUE(admitted) << admitted.error().message;
    EXPECT_EQ((*admitted)->priority, c.priority);
    EXPECT_EQ((*admitted)->priority_class_name, c.priority_class);
  }
}

TEST(AdmitQuestion, SaysWhatTheApiServerWouldRefuse) {
  struct Case {
    const char *spec, *starts;
  };
  const Case cases[] = {
      {R"("priority": 2000000000)",
       "spec.template.spec.priority: the integer value of priority (2000000000) must not be provided in pod "
       "spec; "
       "priority admission controller computed 0 from the given PriorityClass name"},
      {R"("priorityClassName": "system-node-critical", "priority": 7)",
       "spec.template.spec.priority: the integer value of priority (7) must not be provided in pod spec; "
       "priority "
       "admission controller computed 2000001000 from the given PriorityClass name"},
      {R"("priorityClassName": "nope")", "spec.template: no PriorityClass with name nope was found"},
      {R"("tolerations": [{"key": "a", "operator": "Exists", "value": "b"}])",
       "spec.template.spec.tolerations[0].operator: "},
      {R"("hostNetwork": true, "tolerations": [{"key": "a", "operator": "Exists", "value": "b"}, {"operator": "Equal"}])",
       "spec.template.spec.tolerations[0].operator: Invalid value: \"b\": value must be empty when "
       "`operator` is "
       "'Exists'; spec.template.spec.tolerations[1].operator: "},
  };
  for (const auto& c : cases) {
    const auto admitted = admit_question(question(c.spec), {}, unit::default_config());
    ASSERT_FALSE(admitted) << c.spec;
    EXPECT_TRUE(admitted.error().message.starts_with(c.starts)) << admitted.error().message;
    EXPECT_EQ(admitted.error().kind, Error::Kind::invalid);
    EXPECT_TRUE(findings_of(admitted.error()).front().path.starts_with("spec.template")) << c.spec;
  }
}

TEST(AdmitQuestion, APriorityMayBeWrittenWhereItIsTheOneOfItsClass) {
  const auto admitted =
      admit_question(question(R"("priorityClassName": "system-node-critical", "priority": 2000001000)"), {},
                     unit::default_config());
  ASSERT_TRUE(admitted) << admitted.error().message;
  EXPECT_EQ((*admitted)->priority, 2000001000);
}

// Its controller gets the refusal: the Deployment itself is accepted.
TEST(AdmitQuestion, SaysThatThePodsOfAWorkloadAreRefused) {
  const auto refused = [](std::string_view of_pod) {
    const auto text = fmt::format(R"({{"metadata": {{"name": "ask", "namespace": "shop", "uid": "u1"}},
        "spec": {{"template": {{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {{"name": "web"}},
          "spec": {{"selector": {{"matchLabels": {{"app": "web"}}}},
                    "template": {{"metadata": {{"labels": {{"app": "web"}}}},
                                  "spec": {{{}, "containers": [{{"name": "c", "image": "i"}}]}}}}}}}}}}}})",
                                  of_pod);
    const auto question = read_question(scan_report(text).value(), 600s);
    EXPECT_TRUE(question) << question.error().message;
    api::AdmissionObjects objects;
    objects.runtime_classes[""];
    const auto admitted = admit_question(*question, {}, unit::default_config(), objects);
    return admitted ? "" : admitted.error().message;
  };
  const std::string accepted = "the API server accepts the Deployment and refuses its pods: ";
  EXPECT_EQ(refused(R"("priority": 7)"),
            "spec.template.spec.template.spec.priority: " + accepted +
                "the integer value of priority (7) must not be provided in pod spec; priority admission "
                "controller computed 0 from the given PriorityClass name");
  EXPECT_EQ(refused(R"("priority": 0)"), "");
  EXPECT_EQ(refused(R"("priorityClassName": "nope")"),
            "spec.template.spec.template: " + accepted + "no PriorityClass with name nope was found");
  EXPECT_EQ(refused(R"("overhead": {"cpu": "1"})"),
            "spec.template.spec.template: " + accepted +
                "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
}

TEST(AdmitQuestion, OfAPodByReferenceIsReportedWithItsPath) {
  auto about = unit::about(pod("web-0").priority(7), 1);  // which the API server has resolved
  about.subject->names_scheduler = true;
  auto admitted = admit_question(about, {}, unit::default_config());
  ASSERT_TRUE(admitted) << admitted.error().message;
  EXPECT_EQ((*admitted)->priority, 7);
  about.subject->pod.scheduler_name = "else";
  const auto two = with_profiles("[{schedulerName: batch}, {schedulerName: podium}]");
  admitted = admit_question(about, {}, two);
  ASSERT_FALSE(admitted);
  EXPECT_EQ(
      admitted.error().message,
      "spec.podRef.name: spec.schedulerName of the pod: unknown profile \"else\" (known: batch, podium)");
}

TEST(AdmitQuestion, ATemplateWithACreationTimeIsValidatedLikeAnyOther) {
  const auto text = R"({"metadata": {"name": "ask", "namespace": "shop", "uid": "u1"},
      "spec": {"template": {"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"},
                            "spec": {"containers": [{"name": "c", "image": "i"}],
                                     "tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]}}}})";
  const auto read = read_question(scan_report(text).value(), 600s);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(admit_question(*read, {}, unit::default_config()));
}

TEST(AdmitQuestion, ThePodIsPendingAndTheReportsOwn) {
  const auto admitted =
      admit_question(question(R"("schedulingGates": [{"name": "g"}])"), {}, unit::default_config());
  ASSERT_TRUE(admitted) << admitted.error().message;
  EXPECT_EQ((*admitted)->node_name, "");
  EXPECT_TRUE((*admitted)->scheduling_gates.empty()) << "where would it go once it may?";
  EXPECT_EQ((*admitted)->meta.uid, "u1");
  EXPECT_EQ((*admitted)->full_name(), "shop/ask");
}

TEST(AdmitQuestion, HasTheTolerationsThatTheApiServerAdds) {
  const auto keys = [](std::string_view spec) {
    const auto admitted = admit_question(question(spec), {}, unit::default_config()).value();
    std::string out;
    for (const auto& each : admitted->tolerations) out += each.key + " ";
    return out;
  };
  EXPECT_EQ(keys(""), "node.kubernetes.io/not-ready node.kubernetes.io/unreachable ");
  EXPECT_EQ(keys(R"("tolerations": [{"operator": "Exists"}])"), " ") << "it tolerates everything already";
  EXPECT_EQ(
      keys(
          R"("tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}])"),
      "node.kubernetes.io/not-ready node.kubernetes.io/unreachable ");
}

TEST(NotModelled, NamesWhatMayChangeTheOutcome) {
  const cluster::Snapshot nothing;
  const std::vector<cluster::Row> no_rows;
  const Answered none{nothing, nothing, no_rows};
  const auto of = [&none](const Question& asked, bool has_extenders) {
    framework::Profile profile;
    profile.has_extenders = has_extenders;
    return not_modelled(asked, profile, none);
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(of(question(""), false),
            (Names{"admission webhooks and policies", "LimitRange", "ResourceQuota"}));
  EXPECT_EQ(of(question(R"("runtimeClassName": "kata")"), true),
            (Names{"HTTP extenders", "admission webhooks and policies", "LimitRange", "ResourceQuota",
                   "RuntimeClass"}));
  EXPECT_EQ(of(unit::about(pod("web"), 1), false), Names{}) << "the API server has admitted it";
  EXPECT_EQ(of(question(R"("schedulingGates": [{"name": "example.com/quota"}])"), false).front(),
            "scheduling gates")
      << "the pod waits for them first";

  api::AdmissionObjects objects;
  objects.limit_ranges.emplace();
  objects.quotas.emplace();
  objects.runtime_classes["kata"];
  EXPECT_EQ(not_modelled(question(R"("runtimeClassName": "kata")"), {}, none, objects),
            Names{"admission webhooks and policies"})
      << "what was read is applied";
}

TEST(AdmitQuestion, LimitRangesBoundTheClaimsOfThePods) {
  api::AdmissionObjects objects;
  auto& range = objects.limit_ranges.emplace().emplace_back();
  range.items = {{.type = "PersistentVolumeClaim", .max = {{"storage", test::quantity("1Gi")}}}};
  auto asked = question("");
  const auto refusal = [&] {
    const auto admitted = admit_question(asked, {}, unit::default_config(), objects);
    return admitted ? "" : admitted.error().message;
  };
  api::PersistentVolumeClaim claim;
  claim.meta.name = "data";
  claim.request = test::quantity("1Gi");
  asked.subject->claim_templates = {claim};
  EXPECT_EQ(refusal(), "");
  claim.request = test::quantity("2Gi");
  asked.subject->claims = {{"scratch", claim}};
  EXPECT_EQ(
      refusal(),
      "spec.template: persistentvolumeclaim scratch: maximum storage usage per PersistentVolumeClaim is 1Gi, "
      "but request is 2Gi");
}

}  // namespace
}  // namespace podium::explain
