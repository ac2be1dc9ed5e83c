#include "scheduler/config/gates/feature_gates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/ascii.h"

namespace podium::config {
namespace {

using Stage = GateSpec::Stage;
using framework::Features;
using Values = std::map<std::string, bool, std::less<>>;

constexpr std::string_view kAllAlpha = "AllAlpha", kAllBeta = "AllBeta";

struct Honoured {
  std::string_view gate;
  bool Features::* value;
};
constexpr std::array kHonoured = std::to_array<Honoured>({
    {"InPlacePodLevelResourcesVerticalScaling", &Features::in_place_pod_level_resize},
    {"MatchLabelKeysInPodTopologySpread", &Features::match_label_keys_in_pod_topology_spread},
    {"NominatedNodeNameForExpectation", &Features::nominated_node_name_for_expectation},
    {"PodLevelResources", &Features::pod_level_resources},
    {"SchedulerPopFromBackoffQ", &Features::pop_from_backoff_queue},
    {"StorageCapacityScoring", &Features::storage_capacity_scoring},
    {"TaintTolerationComparisonOperators", &Features::taint_toleration_comparison_operators},
    {"VolumeLimitScaling", &Features::volume_limit_scaling},
});

// Gates that kube-scheduler reads but that do not change its decisions.
struct Note {
  std::string_view gate, text;
};
constexpr std::array kNoDifference = std::to_array<Note>({
    {"ComponentFlagz", "podium always serves /flagz"},
    {"ComponentStatusz", "podium always serves /statusz"},
    {"InterPodAffinityHostnameFastPath", "podium's counts are the same on every topology key"},
    {"NativeHistograms", "podium writes metrics as text"},
    {"OpportunisticBatching", "podium always reuses what it computed for an equal pod"},
    {"SchedulerAsyncAPICalls", "podium never waits for the API server before the next pod"},
    {"SchedulerAsyncPreemption", "podium never waits for the API server before the next pod"},
    {"SchedulerPreQueueingHints", "podium calls the same hints in both cases"},
});

constexpr std::array kRefused = std::to_array<Note>({
    {"CompositePodGroup", "podium schedules pods one by one"},
    {"CoordinatedLeaderElection", "podium acquires its lease itself"},
    {"DRAConsumableCapacity", "podium allocates devices as with the gate's default"},
    {"DRADerivedAttributes", "podium allocates devices as with the gate's default"},
    {"DRADeviceBindingConditions", "podium allocates devices as with the gate's default"},
    {"DRADeviceCompatibilityGroups", "podium allocates devices as with the gate's default"},
    {"DRADeviceTaintRules", "podium allocates devices as with the gate's default"},
    {"DRADeviceTaints", "podium allocates devices as with the gate's default"},
    {"DRAFractionalCapacityRange", "podium counts capacity in whole numbers"},
    {"DRAListTypeAttributes", "podium matches no attributes that are lists"},
    {"DRANodeAllocatableResources", "podium counts no cpu or memory of devices"},
    {"DRAOptionalNodeOperations", "podium allocates devices as with the gate's default"},
    {"DRAPartitionableDevices", "podium allocates devices as with the gate's default"},
    {"DRAPartitionableDevicesType", "podium allocates devices as with the gate's default"},
    {"DRASchedulerFilterTimeout", "podium allocates devices as with the gate's default"},
    {"DRAWorkloadResourceClaims", "podium gives devices to the claims of pods only"},
    {"GenericWorkload", "podium schedules pods one by one"},
    {"InPlacePodVerticalScalingSchedulerPreemption", "podium does not preempt for resizes"},
    {"PodGroupPreemptionPolicy", "podium schedules pods one by one"},
    {"TopologyAwareWorkloadScheduling", "podium schedules pods one by one"},
    {"VolumeBindMountOptions", "podium does not ask nodes for the feature"},
});

// What has taken the place of a gate that was off.
constexpr std::array kReplaced = std::to_array<Note>({
    {"GangScheduling", "GenericWorkload includes it, which podium does not support"},
    {"WorkloadAwarePreemption", "GenericWorkload includes it, which podium does not support"},
});

template <typename List>
const auto* find_gate(const List& list, std::string_view name) {
  const auto it = std::ranges::find(list, name, [](const auto& each) { return each.gate; });
  return it == std::ranges::end(list) ? nullptr : &*it;
}

const GateSpec* spec_of(std::string_view name) {
  const auto gates = known_gates();
  const auto it = std::ranges::lower_bound(gates, name, {}, &GateSpec::name);
  return it == gates.end() || it->name != name ? nullptr : &*it;
}

// " (why)" for a gate that an earlier release had; else empty.
std::string why_gone(std::string_view name) {
  const auto gates = gone_gates();
  const auto it = std::ranges::find(gates, name, &GoneGate::name);
  if (it == gates.end()) return {};
  const auto* note = find_gate(kReplaced, name);
  return fmt::format(" (removed in {}; {})", it->since,
                     note     ? note->text
                     : it->on ? "the feature is always on"
                              : "the feature was removed");
}

// Equals strconv.ParseBool.
std::optional<bool> parse_bool(std::string_view text) {
  for (const auto* yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (const auto* no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

void parse_one(std::string_view text, Values& values, std::vector<std::string>& errors) {
  const auto equals = text.find('=');
  auto name = trimmed(text.substr(0, equals));
  if (const auto colon = name.find(':'); colon != std::string_view::npos) {
    if (trimmed(name.substr(0, colon)) != "kube") {
      errors.push_back(fmt::format("component not registered: {}", trimmed(name.substr(0, colon))));
      return;
    }
    name = trimmed(name.substr(colon + 1));
  }
  if (equals == std::string_view::npos) {
    errors.push_back(fmt::format("missing bool value for {}", name));
    return;
  }
  const auto value = trimmed(text.substr(equals + 1));
  if (const auto parsed = parse_bool(value)) {
    values.insert_or_assign(std::string(name), *parsed);
  } else {
    errors.push_back(fmt::format(
        "invalid value of {0}={1}, err: strconv.ParseBool: parsing \"{1}\": invalid syntax", name, value));
  }
}

Values parse(const std::vector<std::string>& flags, std::vector<std::string>& errors) {
  Values values;
  for (const auto& flag : flags) {
    for (const auto one : split_without_empty(flag, ",")) parse_one(one, values, errors);
  }
  return values;
}

// The value of each known gate. AllAlpha and AllBeta set the gates that the flag does not name.
Values resolve(const Values& given, std::vector<std::string>& errors) {
  for (const auto& [name, value] : given) {
    if (name == kAllAlpha || name == kAllBeta) continue;
    const auto* spec = spec_of(name);
    if (!spec) {
      errors.push_back(fmt::format("unrecognized feature gate: {}{}", name, why_gone(name)));
    } else if (spec->locked && value != spec->on) {
      errors.push_back(
          fmt::format("cannot set feature gate {} to {}, feature is locked to {}", name, value, spec->on));
    }
  }
  Values values;
  const auto special = [&](std::string_view gate) {
    const auto it = given.find(gate);
    return it == given.end() ? std::optional<bool>() : it->second;
  };
  const auto alpha = special(kAllAlpha), beta = special(kAllBeta);
  for (const auto& spec : known_gates()) {
    bool value = spec.on;
    if (spec.stage == Stage::alpha) value = alpha.value_or(value);
    if (spec.stage == Stage::beta) value = beta.value_or(value);
    const auto it = given.find(spec.name);
    values.emplace(spec.name, it == given.end() ? value : it->second);
  }
  return values;
}

void check_dependencies(const Values& values, std::vector<std::string>& errors) {
  for (const auto& spec : known_gates()) {
    if (!values.find(spec.name)->second) continue;
    std::vector<std::string_view> missing;
    for (auto rest = spec.depends_on; !rest.empty();) {
      const auto space = rest.find(' ');
      const auto name = rest.substr(0, space);
      const auto it = values.find(name);
      if (it != values.end() && !it->second) missing.push_back(name);
      rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
    }
    if (!missing.empty()) {
      errors.push_back(fmt::format("{} is enabled, but depends on features that are disabled: [{}]",
                                   spec.name, fmt::join(missing, " ")));
    }
  }
}

}  // namespace

GateTreatment treatment_of(std::string_view gate) {
  if (find_gate(kHonoured, gate)) return GateTreatment::honoured;
  if (find_gate(kNoDifference, gate)) return GateTreatment::no_difference;
  if (find_gate(kRefused, gate)) return GateTreatment::refused;
  return GateTreatment::not_read;
}

Result<FeatureGates> parse_feature_gates(const std::vector<std::string>& flags) {
  std::vector<std::string> errors;
  const auto given = parse(flags, errors);
  const auto values = resolve(given, errors);
  if (errors.empty()) check_dependencies(values, errors);

  FeatureGates out;
  const auto given_on = [&](std::string_view name) {
    const auto it = given.find(name);
    return it != given.end() && it->second;
  };
  out.values = {{kAllAlpha, Stage::alpha, given_on(kAllAlpha)}, {kAllBeta, Stage::beta, given_on(kAllBeta)}};
  for (const auto& spec : known_gates()) {
    const bool value = values.find(spec.name)->second;
    out.values.push_back({spec.name, spec.stage, value});
    if (const auto* honoured = find_gate(kHonoured, spec.name)) out.features.*(honoured->value) = value;
    if (value == spec.on || spec.locked) continue;
    if (const auto* note = find_gate(kRefused, spec.name)) {
      errors.push_back(fmt::format("feature gate {} cannot be set to {}: not supported by podium: {}",
                                   spec.name, value, note->text));
    } else if (const auto* no_difference = find_gate(kNoDifference, spec.name)) {
      out.warnings.push_back(
          fmt::format("feature gate {}={} makes no difference: {}", spec.name, value, no_difference->text));
    }
  }
  std::ranges::sort(out.values, {}, &FeatureGates::Value::name);
  if (errors.empty()) return out;
  for (auto& error : errors) error.insert(0, "--feature-gates: ");
  return invalid(join_lines(errors));
}

}  // namespace podium::config
