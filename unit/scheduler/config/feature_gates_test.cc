#include "scheduler/config/gates/feature_gates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "scheduler/config/load.h"
#include "scheduler/framework/profile.h"

namespace podium::config {
namespace {

using Flags = std::vector<std::string>;

TEST(FeatureGates, Values) {
  const framework::Features defaults;
  framework::Features comparison;
  comparison.taint_toleration_comparison_operators = true;
  framework::Features no_keys;
  no_keys.match_label_keys_in_pod_topology_spread = false;
  framework::Features silent;
  silent.nominated_node_name_for_expectation = false;
  framework::Features patient;
  patient.pop_from_backoff_queue = false;
  framework::Features containers_only;
  containers_only.pod_level_resources = containers_only.in_place_pod_level_resize = false;
  framework::Features storage;
  storage.storage_capacity_scoring = storage.volume_limit_scaling = false;
  const struct {
    const char* name;
    Flags flags;
    framework::Features want;
  } cases[] = {
      {"nothing said", {}, defaults},
      {"empty", {"", ","}, defaults},
      {"on", {"TaintTolerationComparisonOperators=true"}, comparison},
      {"as Go writes booleans", {" TaintTolerationComparisonOperators = T "}, comparison},
      {"with its component", {"kube:TaintTolerationComparisonOperators=1"}, comparison},
      {"the last one counts", {"SchedulerPopFromBackoffQ=false", "SchedulerPopFromBackoffQ=true"}, defaults},
      {"nominations", {"NominatedNodeNameForExpectation=false"}, silent},
      {"several flags", {"SchedulerPopFromBackoffQ=false", "GracefulNodeShutdown=true"}, patient},
      {"a gate that kube-scheduler does not read", {"CSIVolumeHealth=true"}, defaults},
      {"a locked gate at its value", {"DynamicResourceAllocation=true"}, defaults},
      {"its dependents go with it",
       {"MatchLabelKeysInPodTopologySpread=false,MatchLabelKeysInPodTopologySpreadSelectorMerge=false"},
       no_keys},
      {"pod-level resources",
       {"PodLevelResources=false", "InPlacePodLevelResourcesVerticalScaling=false",
        "PodLevelResourcesFixDefaulting=false,PodLevelResourcesFixKubeletQOSClass=false"},
       containers_only},
      {"storage", {"StorageCapacityScoring=false,VolumeLimitScaling=false"}, storage},
      {"all alpha off", {"AllAlpha=false"}, defaults},
  };
  for (const auto& c : cases) {
    const auto got = parse_feature_gates(c.flags);
    ASSERT_TRUE(got) << c.name << ": " << got.error().message;
    EXPECT_EQ(got->features, c.want) << c.name;
    EXPECT_EQ(got->warnings, std::vector<std::string>()) << c.name;
  }
}

TEST(FeatureGates, Errors) {
  const struct {
    const char* name;
    Flags flags;
    std::string want;
  } cases[] = {
      {"unknown", {"Nonsense=true"}, "unrecognized feature gate: Nonsense"},
      {"gone, and its feature is part of another",
       {"GangScheduling=true"},
       "unrecognized feature gate: GangScheduling (removed in 1.37; GenericWorkload includes it, which "
       "podium "
       "does not support)"},
      {"gone, because its feature cannot be turned off",
       {"SidecarContainers=true"},
       "unrecognized feature gate: SidecarContainers (removed in 1.37; the feature is always on)"},
      {"several, of which one is known",
       {"SchedulerQueueingHints=true,Nonsense=true,GracefulNodeShutdown=true", "SidecarContainers=false"},
       "unrecognized feature gate: Nonsense\n--feature-gates: unrecognized feature gate: "
       "SchedulerQueueingHints "
       "(removed in 1.37; the feature is always on)\n--feature-gates: unrecognized feature gate: "
       "SidecarContainers (removed in 1.37; the feature is always on)"},
      {"no value", {"GangScheduling"}, "missing bool value for GangScheduling"},
      {"no boolean",
       {"GangScheduling=yes"},
       "invalid value of GangScheduling=yes, err: strconv.ParseBool: parsing \"yes\": invalid syntax"},
      {"another component", {"kubelet:NodeSwap=true"}, "component not registered: kubelet"},
      {"locked",
       {"DynamicResourceAllocation=false"},
       "cannot set feature gate DynamicResourceAllocation to false, feature is locked to true"},
      {"a dependency is off",
       {"MatchLabelKeysInPodTopologySpread=false"},
       "MatchLabelKeysInPodTopologySpreadSelectorMerge is enabled, but depends on features that are "
       "disabled: "
       "[MatchLabelKeysInPodTopologySpread]"},
      {"a dependency is off, of a gate that is on by default",
       {"PodLevelResources=false,PodLevelResourcesFixDefaulting=false,PodLevelResourcesFixKubeletQOSClass="
        "false"},
       "InPlacePodLevelResourcesVerticalScaling is enabled, but depends on features that are disabled: "
       "[PodLevelResources]"},
      {"not honoured",
       {"CoordinatedLeaderElection=true"},
       "feature gate CoordinatedLeaderElection cannot be set to true: not supported by podium: podium "
       "acquires its lease itself"},
  };
  for (const auto& c : cases) {
    const auto got = parse_feature_gates(c.flags);
    ASSERT_FALSE(got) << c.name;
    EXPECT_EQ(got.error().message, "--feature-gates: " + c.want) << c.name;
    EXPECT_EQ(got.error().kind, Error::Kind::invalid) << c.name;
  }
}

// The error names every gate that podium rejects, so that the user can correct the list.
TEST(FeatureGates, AllAlphaNamesWhatItCannotDo) {
  const auto all = parse_feature_gates({"AllAlpha=true"});
  ASSERT_FALSE(all);
  std::string exceptions = "AllAlpha=true";
  for (const auto& gate : known_gates()) {
    const bool refused =
        gate.stage == GateSpec::Stage::alpha && treatment_of(gate.name) == GateTreatment::refused;
    EXPECT_EQ(
        all.error().message.find("feature gate " + std::string(gate.name) + " cannot") != std::string::npos,
        refused)
        << gate.name;
    if (refused || gate.depends_on == "GenericWorkload")
      exceptions += "," + std::string(gate.name) + "=false";
  }
  const auto most = parse_feature_gates({exceptions});
  ASSERT_TRUE(most) << most.error().message;
  EXPECT_TRUE(most->features.taint_toleration_comparison_operators);
}

TEST(FeatureGates, AWarningWhereTheTwoValuesDecideAlike) {
  const auto got = parse_feature_gates({"OpportunisticBatching=false"});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->warnings,
            std::vector<std::string>{"feature gate OpportunisticBatching=false makes no difference: podium "
                                     "always reuses what it computed for an equal pod"});
  EXPECT_EQ(load("", "", {*got, {}})->warnings, got->warnings);
}

// For the metric kubernetes_feature_enabled.
TEST(FeatureGates, EachIsReportedWithItsValue) {
  const auto got = parse_feature_gates({"AllBeta=true,SchedulerPopFromBackoffQ=false",
                                        "CoordinatedLeaderElection=false,DRAFractionalCapacityRange=false",
                                        "DRAWorkloadResourceClaims=false,GenericWorkload=false"});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->values.size(), known_gates().size() + 2);
  EXPECT_TRUE(std::ranges::is_sorted(got->values, {}, &FeatureGates::Value::name));
  const auto value = [&](std::string_view name) {
    return std::ranges::find(got->values, name, &FeatureGates::Value::name)->on;
  };
  EXPECT_FALSE(value("AllAlpha"));
  EXPECT_TRUE(value("AllBeta"));
  EXPECT_FALSE(value("SchedulerPopFromBackoffQ"));
  EXPECT_TRUE(value("ClusterTrustBundle")) << "beta, and off by default";
  EXPECT_FALSE(value("CSIVolumeHealth")) << "alpha";
}

TEST(FeatureGates, NoGateIsBothKnownAndGone) {
  ASSERT_FALSE(gone_gates().empty());
  for (const auto& gone : gone_gates())
    EXPECT_EQ(std::ranges::find(known_gates(), gone.name, &GateSpec::name), known_gates().end()) << gone.name;
}

TEST(FeatureGates, EveryDependencyIsKnown) {
  const auto gates = known_gates();
  for (const auto& gate : gates) {
    for (auto rest = gate.depends_on; !rest.empty();) {
      const auto name = rest.substr(0, rest.find(' '));
      EXPECT_NE(std::ranges::find(gates, name, &GateSpec::name), gates.end()) << gate.name << ": " << name;
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    }
  }
}

TEST(FeatureGates, ThePageOnParityListsThem) {
  std::ifstream page("docs/parity.md");
  std::map<GateTreatment, std::string> rows;
  for (std::string line; std::getline(page, line);) {
    const auto row = [&](std::string_view words) { return line.ends_with(std::string(words) + " |"); };
    if (row("equal, on and off")) rows[GateTreatment::honoured] += line;
    if (row("why the decisions are the same")) rows[GateTreatment::no_difference] += line;
    if (row("an error that names the gate")) rows[GateTreatment::refused] += line;
  }
  for (const auto& gate : known_gates()) {
    const auto treatment = treatment_of(gate.name);
    for (const auto& [of, line] : rows) {
      const auto name = " " + std::string(gate.name);
      const bool listed = line.contains(name + ",") || line.contains(name + " ");
      EXPECT_EQ(listed, of == treatment) << gate.name;
    }
  }
  EXPECT_EQ(rows.size(), 3u);
}

TEST(FeatureGates, APluginWhoseGateIsOffIsNotOnTheDefaultList) {
  FeatureGates off;
  off.features.node_declared_features = false;
  const auto has = [](const Result<Config>& config) {
    const auto& filters = config->profiles[0]->filters;
    return std::ranges::any_of(filters,
                               [](const auto& entry) { return entry.name == "NodeDeclaredFeatures"; });
  };
  EXPECT_TRUE(has(load("", "")));
  EXPECT_FALSE(has(load("", "", {off, {}})));
}

}  // namespace
}  // namespace podium::config
