// ResourceQuota: what the quota admission counts of a pod and its claims, and which quotas count it.
#include "api/admission/quota.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <map>
#include <string>

#include "api/admission/quota_sums.h"
#include "unit/support/builders.h"

namespace podium::api {
namespace {

using namespace test;

using Texts = std::map<std::string, std::string>;
Texts texts(const ResourceList& list) {
  Texts out;
  for (const auto& [name, amount] : list) out[name] = quota_text(name, amount);
  return out;
}

ResourceQuota quota(std::string_view spec, std::string_view hard = R"({"pods": "5"})") {
  return decode_resource_quota(boost::json::parse(fmt::format(R"({{"metadata": {{"name": "q"}}, "spec": {},
                                                "status": {{"hard": {}, "used": {{"pods": "1"}}}}}})",
                                                              spec, hard)))
      .value();
}

TEST(QuotaUsage, OfAPodWithSidecarsLimitsAndExtendedResources) {
  const auto made = pod("p")
                        .req("cpu", "500m")
                        .limit("cpu", "1")
                        .req("nvidia.com/gpu", "2")
                        .container("second")
                        .req("cpu", "250m")
                        .req("hugepages-2Mi", "4Mi")
                        .limit("memory", "1Gi")
                        .init_container("first")
                        .req("cpu", "2")
                        .overhead("cpu", "100m")
                        .build();
  EXPECT_EQ(texts(quota_usage(made)), (Texts{{"pods", "1"},
                                             {"count/pods", "1"},
                                             {"cpu", "2100m"},
                                             {"requests.cpu", "2100m"},
                                             {"limits.cpu", "1100m"},
                                             {"limits.memory", "1Gi"},
                                             {"hugepages-2Mi", "4Mi"},
                                             {"requests.hugepages-2Mi", "4Mi"},
                                             {"requests.nvidia.com/gpu", "2"}}));
}

TEST(QuotaUsage, OfAPodWithAmountsOfItsOwn) {
  const auto made = pod("p")
                        .req("cpu", "500m")
                        .req("ephemeral-storage", "1Gi")
                        .pod_req("cpu", "3")
                        .pod_limit("memory", "2Gi")
                        .build();
  EXPECT_EQ(texts(quota_usage(made)), (Texts{{"pods", "1"},
                                             {"count/pods", "1"},
                                             {"cpu", "3"},
                                             {"requests.cpu", "3"},
                                             {"ephemeral-storage", "1Gi"},
                                             {"requests.ephemeral-storage", "1Gi"},
                                             {"limits.memory", "2Gi"}}));
}

TEST(QuotaUsage, OfAClaimAndItsClass) {
  PersistentVolumeClaim claim;
  claim.request = quantity("10Gi");
  EXPECT_EQ(texts(quota_usage(claim)), (Texts{{"persistentvolumeclaims", "1"},
                                              {"count/persistentvolumeclaims", "1"},
                                              {"requests.storage", "10Gi"}}));
  claim.storage_class = "fast";
  const auto of_class = texts(quota_usage(claim));
  EXPECT_EQ(of_class.at("fast.storageclass.storage.k8s.io/requests.storage"), "10Gi");
  EXPECT_EQ(of_class.at("fast.storageclass.storage.k8s.io/persistentvolumeclaims"), "1");
}

TEST(QuotaUsage, OfDevicesTheMostThatAlternativesMayGet) {
  ResourceClaim claim;
  const auto exact = [](std::string name, std::int64_t count) {
    return ExactRequest{.device_class = std::move(name), .count = count};
  };
  auto all = exact("nic", 1);
  all.mode = ExactRequest::Mode::all;
  claim.spec.requests = {{.name = "one", .exactly = exact("gpu", 2)},
                         {.name = "either",
                          .first_available = {{.name = "big", .request = exact("gpu", 1)},
                                              {.name = "small", .request = exact("gpu", 4)}}},
                         {.name = "all", .exactly = all}};
  const auto usage = texts(quota_usage(
      claim, [](std::string_view name) { return name == "gpu" ? std::string("example.com/gpu") : ""; }));
  EXPECT_EQ(usage, (Texts{{"count/resourceclaims.resource.k8s.io", "1"},
                          {"gpu.deviceclass.resource.k8s.io/devices", "6"},
                          {"nic.deviceclass.resource.k8s.io/devices", "32"},
                          {"requests.deviceclass.resource.kubernetes.io/gpu", "6"},
                          {"requests.deviceclass.resource.kubernetes.io/nic", "32"},
                          {"requests.example.com/gpu", "6"}}));
}

TEST(QuotaCounts, PodsInAllOfItsScopes) {
  const auto plain = pod("p").req("cpu", "1").build();
  const auto best_effort = pod("p").container().build();
  const auto high = pod("p").req("cpu", "1").priority_class("high").build();
  const auto across = pod("p").anti_affinity(term("zone").namespaces({"other"})).build();
  const auto zero = pod("p").req("cpu", "0").build();
  const auto selector = [](std::string_view name, std::string_view op, std::string_view values) {
    return fmt::format(
        R"({{"scopeSelector": {{"matchExpressions": [{{"scopeName": "{}", "operator": "{}", "values": {}}}]}}}})",
        name, op, values);
  };
  struct Case {
    std::string spec;
    const Pod& pod;
    bool counts, has_deadline = false;
  };
  const Case cases[] = {
      {"{}", plain, true},
      {R"({"scopes": ["Terminating"]})", plain, false},
      {R"({"scopes": ["Terminating"]})", plain, true, true},
      {R"({"scopes": ["NotTerminating"]})", plain, true},
      {R"({"scopes": ["NotTerminating"]})", plain, false, true},
      {R"({"scopes": ["BestEffort"]})", best_effort, true},
      {R"({"scopes": ["BestEffort"]})", zero, true},
      {R"({"scopes": ["BestEffort"]})", plain, false},
      {R"({"scopes": ["NotBestEffort", "NotTerminating"]})", plain, true},
      {R"({"scopes": ["NotBestEffort", "Terminating"]})", plain, false},
      {R"({"scopes": ["CrossNamespacePodAffinity"]})", across, true},
      {R"({"scopes": ["CrossNamespacePodAffinity"]})", plain, false},
      {selector("PriorityClass", "In", R"(["high", "higher"])"), high, true},
      {selector("PriorityClass", "In", R"(["high"])"), plain, false},
      {selector("PriorityClass", "NotIn", R"(["high"])"), plain, true},
      {selector("PriorityClass", "NotIn", R"(["high"])"), high, false},
      {selector("PriorityClass", "Exists", "[]"), high, true},
      {selector("PriorityClass", "Exists", "[]"), plain, false},
      {selector("PriorityClass", "DoesNotExist", "[]"), plain, true},
      {selector("VolumeAttributesClass", "In", R"(["gold"])"), plain, false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(is_counted(quota(c.spec), {c.pod, c.has_deadline}), c.counts) << c.spec;
}

TEST(QuotaCounts, ObjectsOfTheKindThatItLimits) {
  const auto made = pod("p").req("cpu", "1").build();
  PersistentVolumeClaim claim;
  const auto gold = [] {
    PersistentVolumeClaim made;
    made.attributes_class = "gold";
    return made;
  }();
  EXPECT_FALSE(is_counted(quota("{}", R"({"requests.storage": "1Gi", "services": "5"})"), QuotaPod{made}));
  EXPECT_TRUE(is_counted(quota("{}", R"({"requests.nvidia.com/gpu": "1"})"), QuotaPod{made}));
  EXPECT_TRUE(is_counted(quota("{}", R"({"requests.storage": "1Gi"})"), claim));
  EXPECT_TRUE(
      is_counted(quota("{}", R"({"fast.storageclass.storage.k8s.io/persistentvolumeclaims": "1"})"), claim));
  EXPECT_FALSE(is_counted(quota("{}"), claim));
  const auto of_gold = R"({"scopeSelector": {"matchExpressions": [
      {"scopeName": "VolumeAttributesClass", "operator": "In", "values": ["gold"]}]}})";
  EXPECT_TRUE(is_counted(quota(of_gold, R"({"requests.storage": "1Gi"})"), gold));
  EXPECT_FALSE(is_counted(quota(of_gold, R"({"requests.storage": "1Gi"})"), claim));
}

TEST(UsageOfMany, IsTheSumInEachSetOfScopes) {
  const auto plain = pod("p").req("cpu", "1").build(), other = pod("o").req("cpu", "2").build();
  const auto best_effort = pod("b").container().build();
  PersistentVolumeClaim claim;
  claim.request = *Quantity::parse("3");
  UsageOfMany usage({QuotaPod{plain}, QuotaPod{other}, QuotaPod{best_effort, true}}, {&claim});
  const auto of = [&](std::string_view spec, std::string_view name) {
    const auto& all = usage.of(quota(spec));
    const auto* found = find_resource(all, name);
    return found ? found->text() : std::string("none");
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(of("{}", "pods"), "3");
    EXPECT_EQ(of("{}", "requests.cpu"), "3");
    EXPECT_EQ(of("{}", "requests.storage"), "3");
    EXPECT_EQ(of(R"({"scopes": ["BestEffort", "BestEffort"]})", "pods"), "1");
    EXPECT_EQ(of(R"({"scopes": ["NotBestEffort"]})", "requests.cpu"), "3");
    EXPECT_EQ(of(R"({"scopes": ["NotBestEffort", "Terminating"]})", "pods"), "none");
    EXPECT_EQ(of(R"({"scopes": ["Terminating"]})", "pods"), "1");
    EXPECT_EQ(of(R"({"scopes": ["Terminating"]})", "requests.storage"), "none");
  }
  UsageOfMany late({QuotaPod{plain}}, {}, [] { return false; });
  EXPECT_TRUE(late.of(quota("{}")).empty());
}

TEST(QuotaRefusal, NamesTheContainersThatLackWhatItNeeds) {
  const auto needs = quota("{}", R"({"pods": "9", "limits.memory": "1Gi", "requests.cpu": "4", "cpu": "4"})");
  const auto made = pod("p").container("a").req("cpu", "1").container("b").limit("memory", "1Gi").build();
  EXPECT_EQ(quota_refusal(needs, made), "must specify cpu for: b; limits.memory for: a; requests.cpu for: b");
  EXPECT_EQ(quota_refusal(quota("{}"), made), "");
  EXPECT_EQ(quota_refusal(needs, pod("p").container("a").pod_req("cpu", "1").build()), "")
      << "with amounts of the pod, its containers need none";
}

}  // namespace
}  // namespace podium::api
