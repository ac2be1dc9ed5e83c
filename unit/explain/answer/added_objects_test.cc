// The objects of a user's file on which controllers and the API server act: budgets, claims with adminAccess.
#include "explain/answer/added_objects.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::pod;
using unit::ask;
using unit::run_pod;

std::string message_of(const ReportStatus& status) {
  return status.answer->changes.empty() ? std::string() : status.answer->changes.front().message;
}

constexpr const char* kUnknownLabel = "the label of namespace shop that claims with adminAccess need";

// The API server refuses claims with adminAccess, and templates of such claims.
TEST(AddObjects, AdminAccessNeedsALabelOfTheNamespace) {
  const auto with = [](std::vector<std::pair<std::string, std::string>> labels) {
    auto snapshot = unit::two_nodes();
    api::Namespace ns;
    ns.meta.name = "shop";
    ns.meta.labels = api::Labels(std::move(labels));
    snapshot.objects().set<api::Namespace>(test::share(std::move(ns)));
    return snapshot;
  };
  const auto asked = [](const cluster::Snapshot& snapshot, std::string_view kind, std::string_view reference,
                        std::string_view admin = "true") {
    const auto devices = fmt::format(
        R"({{"devices": {{"requests": [{{"name": "gpu", "exactly": {{"deviceClassName": "fast",
           "adminAccess": {}}}}}]}}}})",
        admin);
    return ask(
        fmt::format(R"({{"changes": [{{"type": "AddObjects", "objects": [{{
        "apiVersion": "resource.k8s.io/v1", "kind": "{}", "metadata": {{"name": "one"}}, "spec": {}}}]}}],
        "template": {{"spec": {{"resourceClaims": [{{"name": "gpu", "{}": "one"}}],
                               "containers": [{{"name": "c", "image": "i"}}]}}}}}})",
                    kind, kind == "ResourceClaim" ? devices : fmt::format(R"({{"spec": {}}})", devices),
                    reference),
        snapshot);
  };
  const std::string needs =
      "admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the "
      "containing "
      "namespace";
  const auto without = with({{"kubernetes.io/metadata.name", "shop"}});
  const auto of_template = asked(without, "ResourceClaimTemplate", "resourceClaimTemplateName");
  EXPECT_EQ(of_template.outcome, "DoesNotFit");
  EXPECT_EQ(of_template.answer->first_failure->message,
            "claim gpu: the API server refuses the claim of ResourceClaimTemplate \"one\": " + needs);
  EXPECT_EQ(message_of(of_template), "0 objects added; refused: ResourceClaimTemplate one: " + needs);
  const auto of_claim = asked(without, "ResourceClaim", "resourceClaimName");
  EXPECT_EQ(of_claim.answer->first_failure->message,
            "claim gpu: the API server refuses ResourceClaim \"one\": " + needs);
  const std::string class_is_missing = "request gpu: device class fast does not exist";
  EXPECT_EQ(asked(without, "ResourceClaimTemplate", "resourceClaimTemplateName", "false")
                .answer->first_failure->reason,
            class_is_missing);
  const auto allowed = with({{"resource.kubernetes.io/admin-access", "true"}});
  for (const auto& [kind, reference] : {std::pair("ResourceClaimTemplate", "resourceClaimTemplateName"),
                                        {"ResourceClaim", "resourceClaimName"}})
    EXPECT_EQ(asked(allowed, kind, reference).answer->first_failure->reason, class_is_missing) << kind;
  for (const auto& [kind, reference] : {std::pair("ResourceClaimTemplate", "resourceClaimTemplateName"),
                                        {"ResourceClaim", "resourceClaimName"}}) {
    const auto unknown = asked(unit::two_nodes(), kind, reference);
    EXPECT_EQ(unknown.answer->first_failure->reason, class_is_missing) << kind;
    EXPECT_THAT(unknown.answer->not_modelled, testing::Contains(kUnknownLabel)) << kind;
    EXPECT_THAT(asked(unit::two_nodes(), kind, reference, "false").answer->not_modelled,
                testing::Not(testing::Contains(kUnknownLabel)))
        << kind;
    EXPECT_THAT(asked(allowed, kind, reference).answer->not_modelled,
                testing::Not(testing::Contains(kUnknownLabel)))
        << kind;
  }
}

// The namespace may come after the claims that need its label.
TEST(AddObjects, ANamespaceOfTheFileHasItsLabels) {
  const auto asked = [](const char* labels, const cluster::Snapshot& snapshot) {
    const auto status = ask(fmt::format(R"({{"changes": [
      {{"type": "AddObjects", "objects": [
        {{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {{"name": "one"}}, "spec": {{
          "devices": {{"requests": [{{"name": "gpu", "exactly": {{"deviceClassName": "fast",
                                                                  "adminAccess": true}}}}]}}}}}}]}},
      {{"type": "AddObjects", "objects": [
        {{"apiVersion": "v1", "kind": "Namespace", "metadata": {{"name": "shop", "labels": {}}}}}]}}],
      "template": {{"spec": {{"resourceClaims": [{{"name": "gpu", "resourceClaimName": "one"}}],
                             "containers": [{{"name": "c", "image": "i"}}]}}}}}})",
                                        labels),
                            snapshot);
    EXPECT_THAT(status.answer->not_modelled, testing::Not(testing::Contains(kUnknownLabel)));
    return status.answer->first_failure->message;
  };
  EXPECT_THAT(asked("{}", unit::two_nodes()), testing::HasSubstr("the API server refuses ResourceClaim"));
  const std::string class_is_missing = "device class fast does not exist";
  constexpr const char* kAllows = R"({"resource.kubernetes.io/admin-access": "true"})";
  EXPECT_THAT(asked(kAllows, unit::two_nodes()), testing::HasSubstr(class_is_missing));
  auto allowed = unit::two_nodes();
  api::Namespace ns;
  ns.meta.name = "shop";
  ns.meta.labels.set("resource.kubernetes.io/admin-access", "true");
  allowed.objects().set<api::Namespace>(test::share(std::move(ns)));
  EXPECT_THAT(asked(R"({"team": "shop"})", allowed), testing::HasSubstr(class_is_missing))
      << "a manifest keeps the labels that it does not name";
}

// No controller has counted a budget of the user's file.
TEST(AddObjects, ABudgetAllowsWhatItsControllerWouldCount) {
  auto snapshot = unit::two_nodes();
  std::vector<cluster::PodInfoPtr> placed_since;  // the list of the pods that wait is older than the fork
  for (const auto* name : {"a", "b", "c", "replaced"}) {
    api::Pod web = pod(name).uid(name).ns("shop").label("app", "web").node("n1");
    if (name == std::string_view("replaced")) web.meta.deleted = Wall{};
    web.meta.owners = {
        {.api_version = "apps/v1", .kind = "ReplicaSet", .name = "web", .uid = "r", .controller = true}};
    web.phase = "Running";
    run_pod(snapshot, web);
    placed_since.push_back(cluster::make_pod_info(test::share(web)));
  }
  const auto allowed = [&](const char* spec, const Budget& budget = {}) {
    auto fork = snapshot;
    api::AdmissionObjects objects;
    const auto question = unit::read(fmt::format(
        R"({{"podRef": {{"name": "p"}}, "changes": [{{"type": "AddObjects", "objects": [
        {{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {{"name": "web"}},
          "spec": {{"selector": {{"matchLabels": {{"app": "web"}}}}, {}}}}}]}}]}})",
        spec));
    EXPECT_TRUE(question) << question.error().message;
    add_objects(question->changes, placed_since, budget, fork, objects);
    const auto& all = fork.objects().all<api::PodDisruptionBudget>();
    return all.empty() ? -1 : all.begin()->second->disruptions_allowed;
  };
  EXPECT_EQ(allowed(R"("minAvailable": 1)"), 2);
  EXPECT_EQ(allowed(R"("minAvailable": "50%")"), 1);
  EXPECT_EQ(allowed(R"("maxUnavailable": 1)"), 1);
  EXPECT_EQ(allowed(R"("maxUnavailable": 0)"), 0);
  EXPECT_EQ(allowed(R"("maxUnavailable": 1)", [] { return false; }), -1) << "not counted after the deadline";
}

}  // namespace
}  // namespace podium::explain
