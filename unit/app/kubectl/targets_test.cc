// The forms in which a user names pods and workloads.
#include "app/kubectl/targets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace podium::kubectl {
namespace {

std::string targets_of(const std::vector<std::string>& words, const std::string& ns = "") {
  const auto targets = parse_targets(words, ns);
  if (!targets) return targets.error().message;
  std::string out;
  for (const auto& each : *targets)
    out += fmt::format("{}{} {}/{}", out.empty() ? "" : ", ", each.maker->kind, each.ns, each.name);
  return out;
}

TEST(Targets, AllFormsOfKubectl) {
  EXPECT_EQ(targets_of({"web-07"}), "Pod /web-07");
  EXPECT_EQ(targets_of({"shop/web-07"}), "Pod shop/web-07");
  EXPECT_EQ(targets_of({"shop/web-07"}, "shop"), "Pod shop/web-07");
  EXPECT_EQ(targets_of({"pod/web-07"}), "Pod /web-07");
  EXPECT_EQ(targets_of({"po/web-07"}), "Pod /web-07");
  EXPECT_EQ(targets_of({"deploy/web"}), "Deployment /web");
  EXPECT_EQ(targets_of({"Deployment/web"}), "Deployment /web");
  EXPECT_EQ(targets_of({"deployment.apps/web"}), "Deployment /web");
  EXPECT_EQ(targets_of({"deployment.v1.apps/web"}), "Deployment /web");
  EXPECT_EQ(targets_of({"cronjob/nightly"}), "CronJob /nightly");
  EXPECT_EQ(targets_of({"deploy", "web"}), "Deployment /web");
  EXPECT_EQ(targets_of({"sts", "a", "b"}), "StatefulSet /a, StatefulSet /b");
  EXPECT_EQ(targets_of({"web-1", "web-2"}), "Pod /web-1, Pod /web-2");
  EXPECT_EQ(targets_of({"deploy/a", "job/b", "web"}), "Deployment /a, Job /b, Pod /web");
  EXPECT_EQ(targets_of({"deploy"}), "Pod /deploy") << "one word is a name";
}

TEST(Targets, SaysWhatIsWrong) {
  EXPECT_EQ(targets_of({"shop/web"}, "ml"), "\"shop/web\" names another namespace than -n ml");
  EXPECT_EQ(targets_of({"a/b/c"}), "\"a/b/c\" is not a pod; write POD, TYPE/NAME or NAMESPACE/POD");
  EXPECT_EQ(targets_of({"deploy/"}), "\"deploy/\" is not a pod; write POD, TYPE/NAME or NAMESPACE/POD");
  EXPECT_EQ(targets_of({""}), "the name is empty");
  EXPECT_EQ(targets_of({"deploy", "job/x"}), "\"job/x\" after the type deploy: give only its name");
  const std::string types =
      "pods, deployments, statefulsets, replicasets, daemonsets, jobs, cronjobs, replicationcontrollers";
  EXPECT_EQ(targets_of({"svc/web"}), "\"svc\" is not a type that makes pods: " + types);
  EXPECT_EQ(targets_of({"services/web"}), "\"services\" is not a type that makes pods: " + types);
  EXPECT_EQ(targets_of({"deployment.batch/web"}),
            "\"deployment.batch\" is not a type that makes pods: " + types);
}

TEST(Targets, TheStartOfPodsNames) {
  const auto prefix_of = [](const std::string& word, const std::string& ns = "") {
    const auto pods = parse_pod_prefix(word, ns);
    return pods ? fmt::format("{}|{}", pods->ns, pods->name) : pods.error().message;
  };
  EXPECT_EQ(prefix_of(""), "|");
  EXPECT_EQ(prefix_of("web-"), "|web-");
  EXPECT_EQ(prefix_of("shop/web-"), "shop|web-");
  EXPECT_EQ(prefix_of("shop/"), "shop|");
  EXPECT_EQ(prefix_of("shop/web-", "shop"), "shop|web-");
  EXPECT_EQ(prefix_of("pod/web-"), "|web-");
  EXPECT_EQ(prefix_of("pods/web-07", "shop"), "|web-07");
  EXPECT_EQ(prefix_of("shop/web", "ml"), "\"shop/web\" names another namespace than -n ml");
  EXPECT_EQ(prefix_of("deploy/web"), "\"deploy/web\" is not a pod; write POD or NAMESPACE/POD");
  EXPECT_EQ(prefix_of("/web"), "\"/web\" is not a pod; write POD or NAMESPACE/POD");
  EXPECT_EQ(prefix_of("a/b/c"), "\"a/b/c\" is not a pod; write POD or NAMESPACE/POD");
}

TEST(Targets, ASelectorIsCheckedBeforeAnybodyIsAsked) {
  EXPECT_TRUE(check_selector("app=web,tier!=test"));
  EXPECT_EQ(check_selector("app=").has_value(), true) << "an empty value is one";
  EXPECT_EQ(check_selector("=web").error().message, "-l: \"=web\" has no label key; try app=web");
}

}  // namespace
}  // namespace podium::kubectl
