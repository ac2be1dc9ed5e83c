// The status of budgets that no disruption controller has seen.
#include "app/offline/budgets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "api/decode/manifests.h"
#include "api/text/json_view.h"
#include "unit/support/cost.h"

namespace podium::offline {
namespace {

struct Case {
  const char* name;
  std::string spec;     // of the budget: more fields
  std::string owner;    // "Kind/name" of the pods' controller
  std::string objects;  // more of them
  int allowed;
};

std::string pods_of(const std::string& owner, int count, const std::string& status) {
  const auto slash = owner.find('/');
  const auto references =
      owner.empty()
          ? std::string()
          : fmt::format(
                ", ownerReferences: [{{apiVersion: {}, kind: {}, name: {}, uid: u, controller: true}}]",
                owner.starts_with("Job") ? "batch/v1" : "apps/v1", owner.substr(0, slash),
                owner.substr(slash + 1));
  std::string out;
  for (int i = 0; i < count; ++i)
    out += fmt::format(
        "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: web-{}, labels: {{app: web}}{}}}, spec: "
        "{{nodeName: n-1, containers: [{{name: c, image: i}}]}}, status: {}}}\n",
        i, references, status);
  return out;
}

// The budget's disruptions; the controller's pods are ready unless `status` says otherwise.
int allowed(const std::string& budget, const std::string& objects) {
  const auto text =
      objects + fmt::format(
                    "---\n{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: "
                    "b}}, spec: {{{}}}}}\n",
                    budget);
  const std::vector<api::ManifestText> texts{{"d.yaml", text}};
  std::vector<std::string> warnings;
  auto cluster = api::read_manifests(texts, {.ns = "default"}, warnings);
  auto by_kind = objects_by_kind(texts, "default");
  if (!cluster || !by_kind) return -1;
  count_disruptions(*by_kind, *cluster);
  const auto& object = by_kind->at(kind_key("policy", "PodDisruptionBudget")).front();
  const auto counted = cluster->disruption_budgets.front()->disruptions_allowed;
  EXPECT_EQ(api::integer_at(object, "/status/disruptionsAllowed"), counted);
  return counted;
}

TEST(Budgets, WithoutAStatusHaveWhatTheControllerWouldCount) {
  const std::string selects = "selector: {matchLabels: {app: web}}, ";
  const std::string ready = "{phase: Running}";
  const std::string set =
      "---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: 4}}\n";
  const std::string deployed =
      "---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web, ownerReferences: [{apiVersion: "
      "apps/v1, "
      "kind: Deployment, name: web, uid: d, controller: true}]}, spec: {replicas: 3}}\n"
      "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 6}}\n";
  const Case cases[] = {
      {"a number", selects + "minAvailable: 2", "ReplicaSet/web", set, 1},
      {"a share of the replicas, rounded up", selects + "minAvailable: 50%", "ReplicaSet/web", set, 1},
      {"of a Deployment", selects + "minAvailable: 50%", "ReplicaSet/web", deployed, 0},
      {"unavailable ones", selects + "maxUnavailable: 1", "ReplicaSet/web", set, 0},
      {"two of four", selects + "maxUnavailable: 34%", "ReplicaSet/web", set, 1},
      {"the controller is not there: its pods count", selects + "maxUnavailable: 1", "ReplicaSet/web", "", 1},
      {"none may go", selects + "maxUnavailable: 0", "ReplicaSet/web", set, 0},
      {"a Job has no scale", selects + "maxUnavailable: 1", "Job/web", "", 0},
      {"a number of a Job's", selects + "minAvailable: 2", "Job/web", "", 1},
      {"pods without a controller", selects + "maxUnavailable: 1", "", "", 0},
      {"a number of those", selects + "minAvailable: 1", "", "", 2},
      {"it selects none", "selector: {matchLabels: {app: other}}, minAvailable: 0", "", "", 0},
      {"it selects all", "selector: {}, minAvailable: 1", "", "", 2},
      {"it has no selector", "minAvailable: 1", "", "", 0},
  };
  for (const auto& each : cases)
    EXPECT_EQ(allowed(each.spec, each.objects + pods_of(each.owner, 3, ready)), each.allowed) << each.name;
  const auto unready = "{phase: Running, conditions: [{type: Ready, status: \"False\"}]}";
  EXPECT_EQ(allowed(selects + "minAvailable: 2", pods_of("", 3, unready)), 0);
  EXPECT_EQ(allowed(selects + "minAvailable: 1", pods_of("", 3, "{phase: Pending}")), 0);
}

TEST(Budgets, WithAStatusKeepIt) {
  const auto pods = pods_of("", 3, "{phase: Running}");
  EXPECT_EQ(
      allowed("minAvailable: 1, selector: {matchLabels: {app: web}}}, status: {disruptionsAllowed: 0", pods),
      0);
}

// A budget of pods that each have a ReplicaSet and a Deployment of their own.
TEST(Budgets, ManyControllersTakeLinearTime) {
  const auto prepare = [](std::size_t n) -> test::Work {
    std::string text =
        "---\n{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {selector: "
        "{matchLabels: {app: web}}, maxUnavailable: 1}}\n";
    for (std::size_t i = 0; i < n; ++i) {
      text += fmt::format(
          "---\n{{apiVersion: apps/v1, kind: ReplicaSet, metadata: {{name: r{0}, ownerReferences: "
          "[{{apiVersion: apps/v1, kind: Deployment, name: d{0}, uid: d, controller: true}}]}}, spec: "
          "{{replicas: 1}}}}\n---\n{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: d{0}}}, spec: "
          "{{replicas: 1}}}}\n---\n{{apiVersion: v1, kind: Pod, metadata: {{name: p{0}, labels: {{app: "
          "web}}, ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: r{0}, uid: r, controller: "
          "true}}]}}, spec: {{containers: [{{name: c, image: i}}]}}, status: {{phase: Running}}}}\n",
          i);
    }
    const std::vector<api::ManifestText> texts{{"d.yaml", text}};
    std::vector<std::string> warnings;
    auto cluster = std::make_shared<api::Manifests>(api::read_manifests(texts, {}, warnings).value());
    auto by_kind = std::make_shared<ByKind>(objects_by_kind(texts, "default").value());
    return [cluster, by_kind, n] {
      count_disruptions(*by_kind, *cluster);
      EXPECT_EQ(cluster->disruption_budgets.front()->desired_healthy, static_cast<int>(n) - 1);
    };
  };
  EXPECT_TRUE(test::is_linear(150, prepare));
}

}  // namespace
}  // namespace podium::offline
