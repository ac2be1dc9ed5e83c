// Dump: answers from files.
#include "app/offline/dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/temp_dir.h"

namespace podium::offline {
namespace {

using testing::HasSubstr;

constexpr const char* kCluster = R"(
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: large}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "5"}}}]}}
)";
constexpr const char* kSearch = R"({"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport",
  "metadata": {"name": "q", "namespace": "default", "uid": "q", "generation": 1},
  "spec": {"dryRun": true, "search": {"forPending": {}}}})";
constexpr const char* kPod = R"({"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport",
  "metadata": {"name": "q", "namespace": "default", "uid": "q", "generation": 1},
  "spec": {"dryRun": true, "replicas": 3, "podRef": {"name": "large"}}})";

TEST(Dump, AnAnswerEndsAtItsTimeLimit) {
  const unit::TempDir directory;
  const auto file = directory.write("cluster.yaml", kCluster);
  for (const auto* question : {kSearch, kPod}) {
    const auto whole = Dump::read({.cluster = {file}});
    ASSERT_TRUE(whole) << whole.error().message;
    const auto answer = whole->answer(question);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_THAT(answer->status.message, Not(HasSubstr("deadline")));

    const auto late = Dump::read({.cluster = {file}, .timeout = std::chrono::milliseconds(0)});
    ASSERT_TRUE(late) << late.error().message;
    const auto cut = late->answer(question);
    ASSERT_TRUE(cut) << cut.error().message;
    EXPECT_THAT(cut->status.message, HasSubstr("deadline"));
  }
}

}  // namespace
}  // namespace podium::offline
