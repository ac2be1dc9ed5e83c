// Pods that name their node, and pods of other schedulers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/explain/answer/asking.h"
#include "unit/explain/answer/nodes_wanted.h"

namespace podium::explain {
namespace {

using testing::Contains;
using testing::HasSubstr;
using unit::ask;
using unit::condition;
using unit::Counts;
using unit::placements;

constexpr const char* kPinned = R"({"replicas": 2, "template": {"spec": {
    "nodeName": "n2", "containers": [{"name": "c", "image": "i",
                                      "resources": {"requests": {"cpu": "1"}}}]}}})";

TEST(Pinned, GoesToItsNodePastTheScheduler) {
  auto snapshot = unit::two_nodes();
  snapshot.set_node(test::node("n2")
                        .cap("cpu", "2")
                        .cap("memory", "8Gi")
                        .cap("pods", "110")
                        .taint("gpu", "", "NoSchedule")
                        .unschedulable()
                        .ptr());
  const auto status = ask(kPinned, snapshot);
  EXPECT_EQ(status.outcome, "Fits");
  EXPECT_EQ(placements(status), (Counts{{"n2", 2}})) << "neither the taint nor the cordon counts";
  EXPECT_THAT(status.answer->not_modelled, Contains("the scheduler (a pod with spec.nodeName skips it)"));
}

TEST(Pinned, TheKubeletCountsResources) {
  auto snapshot = unit::two_nodes();
  unit::run_pod(snapshot, test::pod("other").req("cpu", "1").node("n2"));
  const auto status = ask(kPinned, snapshot);
  EXPECT_EQ(status.outcome, "PartlyFits");
  EXPECT_EQ(placements(status), (Counts{{"n2", 1}})) << "n1 has room, and the pods do not go there";
}

TEST(Pinned, ToANodeThatDoesNotExist) {
  const auto status = ask(kPinned, unit::nodes_of({{"n1", "4"}}));
  EXPECT_EQ(status.outcome, "DoesNotFit");
  EXPECT_THAT(condition(status, "Complete"), HasSubstr("didn't satisfy plugin(s) [NodeName]"));
}

// kube-scheduler alone selects the node of such a claim.
TEST(Pinned, DoesNotStartIfItsClaimWaitsForTheScheduler) {
  auto snapshot = unit::two_nodes();
  for (const auto& [name, waits] : {std::pair("local", true), {"shared", false}}) {
    snapshot.objects().set(test::share(test::storage_class(name, "disks.example.com", waits)));
    snapshot.objects().set(
        test::share(test::persistent_volume_claim("shop", name, "5Gi", name, {"ReadWriteOnce"})));
  }
  const auto notes = [&](const char* claim, const char* node) {
    return ask(fmt::format(R"({{"template": {{"spec": {{{}
        "volumes": [{{"name": "d", "persistentVolumeClaim": {{"claimName": "{}"}}}}],
        "containers": [{{"name": "c", "image": "i"}}]}}}}}})",
                           node, claim),
               snapshot)
        .answer->notes;
  };
  constexpr const char* kOnNode = R"("nodeName": "n2",)";
  EXPECT_THAT(
      notes("local", kOnNode),
      testing::ElementsAre(testing::StartsWith("the pod does not start on its node: its claim local waits")));
  EXPECT_THAT(notes("shared", kOnNode), testing::IsEmpty());
  EXPECT_THAT(notes("local", ""), testing::IsEmpty());
}

TEST(OneProfile, AnswersForPodsOfOtherSchedulersAndSaysSo) {
  const auto status = ask(R"({"template": {"spec": {
      "schedulerName": "other", "containers": [{"name": "c", "image": "i"}]}}})",
                          unit::two_nodes());
  EXPECT_EQ(status.outcome, "Fits");
  EXPECT_EQ(status.profile, "default-scheduler");
  EXPECT_THAT(status.answer->not_modelled,
              Contains("scheduler other (evaluated with profile default-scheduler)"));
}

// podium's snapshot has only the nominations of its own pods.
TEST(OneProfile, CountsTheNominationsOfTheOtherScheduler) {
  const auto urgent =
      test::pod("urgent").scheduler("other").priority(10).req("cpu", "3").nominated("n1").build();
  const std::vector<cluster::PodInfoPtr> waiting{cluster::make_pod_info(test::share(urgent))};
  const auto fitting = [&](const char* scheduler) {
    const auto question = unit::read(fmt::format(R"({{"replicas": 5, "template": {{"spec": {{
        "schedulerName": "{}", "containers": [{{"name": "c", "image": "i",
        "resources": {{"requests": {{"cpu": "2"}}}}}}]}}}}}})",
                                                 scheduler));
    return answer(question.value(), unit::two_nodes(), unit::default_config(), {}, {}, waiting)
        .answer->fitting;
  };
  EXPECT_EQ(fitting("other"), 1u) << "on n2";
  EXPECT_EQ(fitting("default-scheduler"), 3u) << "podium itself does not know of it either";
}

// Next to kube-scheduler, most pods are its own.
TEST(OneProfile, FindsNodesForPodsOfOtherSchedulers) {
  constexpr const char* kSmall = R"({"name": "s", "allocatable": {"cpu": "4", "memory": "8Gi"}})";
  const unit::Pods pods{unit::waits(unit::one_of("foreign", 0, "3").scheduler("other"))};
  const auto status = unit::search(kSmall, pods, unit::full_cluster());
  EXPECT_EQ(unit::choice_in(status), "1 s (1 foreign)");
  EXPECT_EQ(status.answer->nodes_wanted->other_scheduler, 0u);
  EXPECT_THAT(status.answer->not_modelled,
              testing::ElementsAre(
                  "schedulers other than default-scheduler (their pods are evaluated with its profile)"));
  EXPECT_THAT(unit::search(kSmall, {unit::waits(unit::one_of("own", 0, "3"))}, unit::full_cluster())
                  .answer->not_modelled,
              testing::IsEmpty());
}

TEST(OneProfile, ThatTheQuestionNamesNeedsNoWord) {
  const auto status = ask(R"({"profile": "default-scheduler", "template": {"spec": {
      "schedulerName": "other", "containers": [{"name": "c", "image": "i"}]}}})",
                          unit::two_nodes());
  EXPECT_THAT(status.answer->not_modelled, testing::Not(Contains(HasSubstr("other"))));
}

TEST(OneProfile, ALongNameIsCut) {
  const auto status = ask(fmt::format(R"({{"template": {{"spec": {{
      "schedulerName": "{}", "containers": [{{"name": "c", "image": "i"}}]}}}}}})",
                                      std::string(5000, 'x')),
                          unit::two_nodes());
  ASSERT_TRUE(status.answer);
  for (const auto& each : status.answer->not_modelled) EXPECT_LE(each.size(), 253u) << "the CRD's bound";
}

TEST(OneProfile, AProfileThatTheQuestionNamesHasToExist) {
  const auto status = ask(R"({"profile": "other", "template": {"spec": {
      "containers": [{"name": "c", "image": "i"}]}}})",
                          unit::two_nodes());
  EXPECT_THAT(condition(status, "Accepted"), HasSubstr("spec.profile: unknown profile \"other\""));
}

}  // namespace
}  // namespace podium::explain
