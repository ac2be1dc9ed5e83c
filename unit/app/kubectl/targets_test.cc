// The forms in which a user names pods and workloads.
#include "app/kubectl/targets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace podium::kubectl {
namespace {

std::string read(const std::vector<std::string>& words, const std::string& ns = "") {
  const auto targets = parse_targets(words, ns);
  if (!targets) return targets.error().message;
  std::string out;
  for (const auto& each : *targets)
    out += fmt::format("{}{} {}/{}", out.empty() ? "" : ", ", each.maker->kind, each.ns, each.name);
  return out;
}

TEST(Targets, AllFormsOfKubectl) {
  EXPECT_EQ(read({"web-07"}), "Pod /web-07");
  EXPECT_EQ(read({"shop/web-07"}), "Pod shop/web-07");
  EXPECT_EQ(read({"shop/web-07"}, "shop"), "Pod shop/web-07");
  EXPECT_EQ(read({"pod/web-07"}), "Pod /web-07");
  EXPECT_EQ(read({"po/web-07"}), "Pod /web-07");
  EXPECT_EQ(read({"deploy/web"}), "Deployment /web");
  EXPECT_EQ(read({"Deployment/web"}), "Deployment /web");
  EXPECT_EQ(read({"deployment.apps/web"}), "Deployment /web");
  EXPECT_EQ(read({"deployment.v1.apps/web"}), "Deployment /web");
  EXPECT_EQ(read({"cronjob/nightly"}), "CronJob /nightly");
  EXPECT_EQ(read({"deploy", "web"}), "Deployment /web");
  EXPECT_EQ(read({"sts", "a", "b"}), "StatefulSet /a, StatefulSet /b");
  EXPECT_EQ(read({"web-1", "web-2"}), "Pod /web-1, Pod /web-2");
  EXPECT_EQ(read({"deploy/a", "job/b", "web"}), "Deployment /a, Job /b, Pod /web");
  EXPECT_EQ(read({"deploy"}), "Pod /deploy") << "one word is a name";
}

TEST(Targets, SaysWhatIsWrong) {
  EXPECT_EQ(read({"shop/web"}, "ml"), "\"shop/web\" names another namespace than -n ml");
  EXPECT_EQ(read({"a/b/c"}), "\"a/b/c\" is not a pod; write POD, TYPE/NAME or NAMESPACE/POD");
  EXPECT_EQ(read({"deploy/"}), "\"deploy/\" is not a pod; write POD, TYPE/NAME or NAMESPACE/POD");
  EXPECT_EQ(read({""}), "the name is empty");
  EXPECT_EQ(read({"deploy", "job/x"}), "\"job/x\" after the type deploy: give its name alone");
  const std::string types =
      "pods, deployments, statefulsets, replicasets, daemonsets, jobs, cronjobs, replicationcontrollers";
  EXPECT_EQ(read({"svc/web"}), "\"svc\" is not a type that makes pods: " + types);
  EXPECT_EQ(read({"services/web"}), "\"services\" is not a type that makes pods: " + types);
  EXPECT_EQ(read({"deployment.batch/web"}), "\"deployment.batch\" is not a type that makes pods: " + types);
}

TEST(Targets, ASelectorIsCheckedBeforeAnybodyIsAsked) {
  EXPECT_TRUE(check_selector("app=web,tier!=test"));
  EXPECT_EQ(check_selector("app=").has_value(), true) << "an empty value is one";
  EXPECT_EQ(check_selector("=web").error().message, "-l: \"=web\" has no label key; try app=web");
}

}  // namespace
}  // namespace podium::kubectl
