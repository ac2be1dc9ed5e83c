// Feature gates: parses --feature-gates.
//
// podium knows all gates of kube-scheduler 1.37 with their defaults, since users give one list to all
// components. Most gates concern other components and have no effect. podium honours some of the gates that
// change kube-scheduler's decisions. Changing any other such gate is an Error that names it, so that podium
// never silently ignores one.
// Source: component-base/featuregate, pkg/features/kube_features.go.
// Threads: values and pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "scheduler/framework/features.h"

namespace podium::config {

// One gate as kube-scheduler knows it at 1.37; see feature_gate_table.cc.
struct GateSpec {
  enum class Stage : std::uint8_t { alpha, beta, ga, deprecated };
  std::string_view name;
  Stage stage;
  bool on;                        // the default
  bool locked = false;            // to the default
  std::string_view depends_on{};  // names, separated by spaces
};
std::span<const GateSpec> known_gates();  // sorted by name

// A gate that earlier releases had.
struct GoneGate {
  std::string_view name;
  std::string_view since;  // the first release without it
  bool on;                 // its last default
};
std::span<const GoneGate> gone_gates();

struct FeatureGates {
  framework::Features features;
  std::vector<std::string> warnings;  // about accepted gates without effect
  struct Value {
    std::string_view name;
    GateSpec::Stage stage;
    bool on;
  };
  std::vector<Value> values;  // all known gates, AllAlpha and AllBeta included; sorted by name
};

inline constexpr auto kFeatureGatesHelp = "A=true,B=false: feature gates as kube-scheduler has them";

// Each element is the value of one --feature-gates flag: "A=true,B=false", "AllAlpha=true". A name may have
// the prefix "kube:". Later values win. Errors: all problems, one per line.
Result<FeatureGates> parse_feature_gates(const std::vector<std::string>& flags);

// How podium treats a gate that kube-scheduler reads; for the table in docs/parity.md and its test.
enum class GateTreatment : std::uint8_t {
  not_read,       // kube-scheduler does not read it either
  honoured,       // both values behave as upstream
  no_difference,  // both of upstream's values lead to the same decisions
  refused,        // only the default is accepted
};
GateTreatment treatment_of(std::string_view gate);

}  // namespace podium::config
