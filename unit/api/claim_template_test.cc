#include "api/admission/claim_template.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "api/admission/admission.h"
#include "api/decode/decode.h"

namespace podium::api {
namespace {

Pod pod_with(const char* claims, const char* statuses = "[]") {
  const auto text = std::string(R"({"metadata": {"name": "train", "namespace": "ml", "uid": "u1"},)") +
                    R"("spec": {"resourceClaims": )" + claims + R"(}, "status": {"resourceClaimStatuses": )" +
                    statuses + "}}";
  return decode_pod(boost::json::parse(text)).value();
}

ResourceClaimTemplate gpu_template() {
  return decode_resource_claim_template(boost::json::parse(R"({
    "metadata": {"name": "one-gpu", "namespace": "ml"},
    "spec": {"metadata": {"labels": {"team": "ml"}},
             "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}}}})"))
      .value();
}

std::vector<ResourceClaim> made(Pod& pod, const ClaimTemplates& templates) {
  std::vector<ResourceClaim> claims;
  make_claims_of_templates(templates, pod, [&](ResourceClaim claim) { claims.push_back(std::move(claim)); });
  return claims;
}

TEST(ClaimTemplate, MakesAClaimThatThePodOwnsAndNamesIt) {
  auto pod = pod_with(R"([{"name": "gpus", "resourceClaimTemplateName": "one-gpu"}])");
  const auto claims = made(pod, {{"one-gpu", gpu_template()}});
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_EQ(claims[0].meta.namespace_, "ml");
  EXPECT_EQ(claims[0].meta.controller()->uid, "u1");
  EXPECT_EQ(*claims[0].meta.labels.find("team"), "ml");
  EXPECT_EQ(*claims[0].meta.annotations.find("resource.kubernetes.io/pod-claim-name"), "gpus");
  EXPECT_EQ(claims[0].spec, gpu_template().spec);
  ASSERT_EQ(pod.resource_claim_statuses.size(), 1u);
  EXPECT_EQ(pod.resource_claim_statuses[0].name, "gpus");
  EXPECT_EQ(pod.resource_claim_statuses[0].claim_name, claims[0].meta.name);
}

TEST(ClaimTemplate, TwoEntriesOfOneTemplateHaveAClaimEach) {
  auto pod = pod_with(
      R"([{"name": "a", "resourceClaimTemplateName": "one-gpu"}, {"name": "b", "resourceClaimTemplateName": "one-gpu"}])");
  const auto claims = made(pod, {{"one-gpu", gpu_template()}});
  ASSERT_EQ(claims.size(), 2u);
  EXPECT_NE(claims[0].meta.name, claims[1].meta.name);
  EXPECT_NE(claims[0].meta.uid, claims[1].meta.uid);
}

TEST(ClaimTemplate, LeavesAloneWhatIsThereOrNotKnown) {
  auto pod = pod_with(
      R"([{"name": "there", "resourceClaimTemplateName": "one-gpu"}, {"name": "none", "resourceClaimTemplateName": "one-gpu"},
          {"name": "other", "resourceClaimTemplateName": "other"}, {"name": "named", "resourceClaimName": "shared"}])",
      R"([{"name": "there", "resourceClaimName": "train-gpus-x7k"}, {"name": "none"}])");
  EXPECT_TRUE(made(pod, {{"one-gpu", gpu_template()}}).empty());
  EXPECT_EQ(pod.resource_claim_statuses.size(), 2u);
}

TEST(ClaimTemplate, PendingPodsOfManifestsGetTheirClaims) {
  Manifests manifests;
  manifests.resource_claim_templates.push_back(std::make_shared<const ResourceClaimTemplate>(gpu_template()));
  Manifests::List<Pod> pending;
  for (const auto* ns : {"ml", "web"}) {
    auto pod = pod_with(R"([{"name": "gpus", "resourceClaimTemplateName": "one-gpu"}])");
    pod.meta.namespace_ = ns;
    pod.containers.emplace_back().name = "main";
    pod.containers.write().back().image = "app:v1";
    pending.push_back(std::make_shared<const Pod>(std::move(pod)));
  }
  ASSERT_TRUE(admit(manifests, pending));
  ASSERT_EQ(manifests.resource_claims.size(), 1u) << "a template serves its own namespace";
  EXPECT_EQ(manifests.resource_claims[0]->meta.namespace_, "ml");
  EXPECT_EQ(pending[0]->resource_claim_statuses.size(), 1u);
  EXPECT_TRUE(pending[1]->resource_claim_statuses.empty());
}

}  // namespace
}  // namespace podium::api
