// What the API server's admission adds to selectors with matchLabelKeys, and its undoing.
#include "app/kubectl/label_keys.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace podium::kubectl {
namespace {

namespace json = boost::json;

// A pod with this term as its required affinity, its preferred anti-affinity and its spread constraint.
json::value pod_with(std::string_view term) {
  auto pod = json::parse(R"({"metadata": {"labels": {"app": "web", "tenant": "t1"}}, "spec": {"affinity": {
      "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": []},
      "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1}]}},
      "topologySpreadConstraints": []}})");
  auto& affinity = pod.at("spec").at("affinity");
  const auto parsed = json::parse(term);
  affinity.at("podAffinity")
      .at("requiredDuringSchedulingIgnoredDuringExecution")
      .as_array()
      .push_back(parsed);
  affinity.at("podAntiAffinity")
      .at("preferredDuringSchedulingIgnoredDuringExecution")
      .as_array()
      .front()
      .as_object()["podAffinityTerm"] = parsed;
  pod.at("spec").at("topologySpreadConstraints").as_array().push_back(parsed);
  return pod;
}

TEST(MergedLabelKeys, AreRemovedFromTheSelectors) {
  constexpr const char* kOwn = R"({"key": "kind", "operator": "Exists"})";
  const auto term = [&](std::string_view keys, std::string_view added) {
    return std::string(R"({"labelSelector": {"matchExpressions": [)") + kOwn + std::string(added) + "]}, " +
           std::string(keys) + "}";
  };
  struct Case {
    const char* name;
    const char* keys;
    const char* added;
    bool is_removed;
  };
  const Case cases[] = {
      {"a key that matches", R"("matchLabelKeys": ["tenant"])",
       R"(, {"key": "tenant", "operator": "In", "values": ["t1"]})", true},
      {"one that does not match", R"("mismatchLabelKeys": ["tenant"])",
       R"(, {"key": "tenant", "operator": "NotIn", "values": ["t1"]})", true},
      {"of another value, which the author wrote", R"("mismatchLabelKeys": ["tenant"])",
       R"(, {"key": "tenant", "operator": "NotIn", "values": ["t2"]})", false},
      {"without keys", R"("topologyKey": "zone")",
       R"(, {"key": "tenant", "operator": "In", "values": ["t1"]})", false},
      {"a key that the pod does not have", R"("matchLabelKeys": ["pod-template-hash"])", "", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    auto pod = pod_with(term(c.keys, c.added));
    const auto before = pod;
    remove_merged_label_keys(pod);
    EXPECT_EQ(pod, c.is_removed ? pod_with(term(c.keys, "")) : before);
  }
}

// The author may have written the same requirement.
TEST(MergedLabelKeys, OneOfEachIsRemoved) {
  auto pod = json::parse(R"({"metadata": {"labels": {"a": "1"}}, "spec": {"topologySpreadConstraints": [{
      "labelSelector": {"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]},
                                             {"key": "a", "operator": "NotIn", "values": ["1"]}]},
      "mismatchLabelKeys": ["a"]}]}})");
  remove_merged_label_keys(pod);
  EXPECT_EQ(
      pod.at_pointer("/spec/topologySpreadConstraints/0/labelSelector/matchExpressions").as_array().size(),
      1u);
}

TEST(MergedLabelKeys, WhatIsNotAPodStays) {
  for (const auto* text :
       {"null", "{}", "[1]", R"({"spec": {"affinity": 3, "topologySpreadConstraints": [7, {}]}})"}) {
    auto value = json::parse(text);
    const auto before = value;
    remove_merged_label_keys(value);
    EXPECT_EQ(value, before);
  }
}

}  // namespace
}  // namespace podium::kubectl
