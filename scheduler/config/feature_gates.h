// Feature gates: what --feature-gates may say, and what comes of it.
//
// All gates that kube-scheduler 1.36 accepts are known, with their defaults, since people give one list to
// all components. Most of them are about other components and change nothing. Of those that kube-scheduler's
// decisions depend on, podium honours some; a list that would change another one is an Error that names it,
// so that nobody gets other decisions than they asked for.
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

// One gate as kube-scheduler knows it at 1.36; see feature_gate_table.cc.
struct GateSpec {
  enum class Stage : std::uint8_t { alpha, beta, ga, deprecated };
  std::string_view name;
  Stage stage;
  bool on;                        // by default
  bool locked = false;            // to its default
  std::string_view depends_on{};  // names, separated by spaces
};
std::span<const GateSpec> known_gates();  // sorted by name

struct FeatureGates {
  framework::Features features;
  std::vector<std::string> warnings;  // accepted, and worth saying
  struct Value {
    std::string_view name;
    GateSpec::Stage stage;
    bool on;
  };
  std::vector<Value> values;  // of all that are known, AllAlpha and AllBeta among them; sorted by name
};

// Each text is the value of one --feature-gates: "A=true,B=false", "AllAlpha=true", with "kube:" before a
// name or not. Later values win. Errors: everything that is wrong, one a line.
Result<FeatureGates> parse_feature_gates(const std::vector<std::string>& flags);

// How podium takes a gate that kube-scheduler reads; for docs/parity.md's table and its test.
enum class GateTreatment : std::uint8_t {
  not_read,       // kube-scheduler does not look at it either
  honoured,       // both values do what they do upstream
  no_difference,  // upstream's two values are two ways to the same decisions
  refused,        // only the default
};
GateTreatment treatment_of(std::string_view gate);

}  // namespace podium::config
