// LimitRange: defaults of containers, and what the API server would refuse, in its words.
#include "api/admission/limit_range.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>

#include "api/admission/admission.h"
#include "api/decode/decode.h"
#include "unit/support/builders.h"
#include "unit/support/cost.h"

namespace podium::api {
namespace {

using namespace test;

// As the API server returns one: the text is a list of spec.limits.
LimitRange limits(std::string_view items) {
  const auto text = R"({"metadata": {"name": "bounds"}, "spec": {"limits": )" + std::string(items) + "}}";
  return decode_limit_range(boost::json::parse(text)).value();
}

ResourceList amounts(std::initializer_list<std::pair<std::string_view, std::string_view>> entries) {
  ResourceList list;
  for (const auto& [name, amount] : entries) set_resource(list, name, amount);
  return list;
}

TEST(LimitRange, DefaultsWhatAContainerLacks) {
  const auto range = limits(R"([
      {"type": "Container", "default": {"cpu": "1", "memory": "1Gi"}, "defaultRequest": {"cpu": "500m"}},
      {"type": "Container", "defaultRequest": {"cpu": "200m", "memory": "64Mi"}},
      {"type": "Pod", "max": {"cpu": "8"}}])");
  auto given = pod("p").req("cpu", "2").limit("cpu", "4").init_container("i").limit("memory", "2Gi").build();
  set_limit_range_defaults(range, given);
  EXPECT_EQ(given.containers[0].requests, amounts({{"cpu", "2"}, {"memory", "64Mi"}}));
  EXPECT_EQ(given.containers[0].limits, amounts({{"cpu", "4"}, {"memory", "1Gi"}}));
  EXPECT_EQ(given.init_containers[0].requests, amounts({{"cpu", "200m"}, {"memory", "64Mi"}}))
      << "of two defaults in one object, the last";
  EXPECT_EQ(given.init_containers[0].limits, amounts({{"cpu", "1"}, {"memory", "2Gi"}}));
  EXPECT_EQ(set_by_limit_range(given.meta),
            "memory request for container c1; memory limit for container c1; "
            "cpu, memory request for init container i; cpu limit for init container i")
      << "as the API server writes it";
  const auto once = given;
  set_limit_range_defaults(range, given);
  EXPECT_EQ(given, once);
}

TEST(LimitRange, SaysWhatTheApiServerWouldRefuse) {
  struct Case {
    const char* name;
    PodBuilder pod;
    const char *limits, *refusal;
  };
  const auto two_cpus = [] { return pod("p").req("cpu", "2").limit("cpu", "4"); };
  const Case cases[] = {
      {"nothing is bounded", two_cpus(), "[]", ""},
      {"within the bounds", two_cpus(),
       R"([{"type": "Container", "min": {"cpu": "2"}, "max": {"cpu": "4"},
            "maxLimitRequestRatio": {"cpu": "2"}}])",
       ""},
      {"less than the least", two_cpus(), R"([{"type": "Container", "min": {"cpu": "2500m"}}])",
       "minimum cpu usage per Container is 2500m, but request is 2"},
      {"no request", two_cpus(), R"([{"type": "Container", "min": {"memory": "64Mi"}}])",
       "minimum memory usage per Container is 64Mi.  No request is specified"},
      {"more than the most", two_cpus(), R"([{"type": "Container", "max": {"cpu": "3"}}])",
       "maximum cpu usage per Container is 3, but limit is 4"},
      {"no limit", pod("p").req("memory", "1Gi"), R"([{"type": "Container", "max": {"memory": "1536Mi"}}])",
       "maximum memory usage per Container is 1536Mi.  No limit is specified"},
      {"the ratio", two_cpus(), R"([{"type": "Container", "maxLimitRequestRatio": {"cpu": "1500m"}}])",
       "cpu max limit to request ratio per Container is 1500m, but provided ratio is 2.000000"},
      {"no ratio without a limit", pod("p").req("cpu", "1"),
       R"([{"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}}])",
       "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0"},
      {"several, each once", two_cpus().container("b").req("cpu", "2").limit("cpu", "4"),
       R"([{"type": "Container", "min": {"cpu": "3"}, "max": {"cpu": "3"}}])",
       "[minimum cpu usage per Container is 3, but request is 2, maximum cpu usage per Container is 3, but "
       "limit is 4]"},
      {"the whole pod", two_cpus().container("b").req("cpu", "2").limit("cpu", "4"),
       R"([{"type": "Pod", "max": {"cpu": "7"}}])", "maximum cpu usage per Pod is 7, but limit is 8"},
      {"pod-level amounts go first", two_cpus().pod_req("cpu", "2").pod_limit("cpu", "3"),
       R"([{"type": "Pod", "max": {"cpu": "3"}}])", ""},
      {"claims are not pods", two_cpus(),
       R"([{"type": "PersistentVolumeClaim", "max": {"cpu": "1", "storage": "1Gi"}}])", ""},
  };
  for (const auto& c : cases)
    EXPECT_EQ(limit_range_refusal(limits(c.limits), c.pod.build()), c.refusal) << c.name;
}

TEST(LimitRange, BoundsClaims) {
  PersistentVolumeClaim claim;
  claim.request = quantity("2Gi");
  const auto refusal = [&](const char* text) { return limit_range_refusal(limits(text), claim); };
  EXPECT_EQ(
      refusal(R"([{"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "2Gi"}}])"),
      "");
  EXPECT_EQ(refusal(R"([{"type": "PersistentVolumeClaim", "min": {"storage": "3Gi"}}])"),
            "minimum storage usage per PersistentVolumeClaim is 3Gi, but request is 2Gi");
  EXPECT_EQ(refusal(R"([{"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}}])"),
            "maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi");
  EXPECT_EQ(refusal(R"([{"type": "Container", "max": {"storage": "1Gi"}}])"), "");
}

// A what-if of 128 KiB has both.
TEST(LimitRange, ThousandsOfContainersGetNoThousandsOfDefaults) {
  std::vector<Container> containers(2000);
  for (std::size_t i = 0; i < containers.size(); ++i) {
    containers[i].name = fmt::format("c{}", i);
    containers[i].image = "i";
  }
  auto large = pod("p").container("c").image("i").build();
  large.containers = containers;
  std::vector<ResourceList::value_type> names;
  for (int i = 0; i < 5000; ++i) names.emplace_back(fmt::format("a/{:04}", i), quantity("1"));
  const auto refusal = [&](ResourceList LimitRange::Item::* list) {
    AdmissionObjects objects;
    auto& item = objects.limit_ranges.emplace(1).front().items.emplace_back();
    item.type = "Container";
    item.*list = names;
    auto given = large;
    std::string why;
    const auto cost = podium::test::cost_of([&] {
      const auto admitted = PodAdmission({}).admit(given, objects);
      if (!admitted) why = admitted.error().message;
    });
    EXPECT_LE(cost.peak, 20'000'000) << cost;
    return why;
  };
  for (const auto list : {&LimitRange::Item::requests, &LimitRange::Item::min, &LimitRange::Item::max_ratio})
    EXPECT_EQ(refusal(list), "the LimitRanges have 5001 entries, too many to compare 2001 objects with them");
  EXPECT_EQ(too_many_comparisons({}, 1'000'000), "");
}

TEST(LimitRange, IsAppliedOnAdmission) {
  const PodAdmission admission({});
  AdmissionObjects objects;
  objects.limit_ranges = {limits(R"([{"type": "Container", "default": {"cpu": "1"},
                                      "defaultRequest": {"cpu": "250m"}, "max": {"cpu": "1"}}])")};
  auto given = pod("p").container("c").image("i").build();
  ASSERT_TRUE(admission.admit(given, objects));
  EXPECT_EQ(given.containers[0].requests, amounts({{"cpu", "250m"}}));

  auto large = pod("p").container("c").image("i").limit("cpu", "2").build();
  const auto refused = admission.admit(large, objects);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "maximum cpu usage per Container is 1, but limit is 2");
  EXPECT_EQ(large.containers[0].requests, amounts({{"cpu", "2"}})) << "defaulting comes before LimitRanger";

  auto stored = pod("p").container("c").image("i").created("2026-01-01T00:00:00Z").build();
  ASSERT_TRUE(admission.admit(stored, objects));
  EXPECT_TRUE(stored.containers[0].requests.empty()) << "it was admitted when it was created";
}

}  // namespace
}  // namespace podium::api
