// Validates plugin arguments.
// Source: pkg/scheduler/apis/config/validation/validation_pluginargs.go, and
// component-helpers/scheduling/corev1/nodeaffinity for addedAffinity.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <chrono>
#include <set>
#include <utility>

#include "api/validate/name_forms.h"
#include "api/values/decimal.h"
#include "base/duration.h"
#include "scheduler/config/kube/validation.h"
#include "scheduler/config/schema/names.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/arg_names.h"

namespace podium::config {
namespace arg = plugins::arg_names;
namespace json = boost::json;
namespace {

std::string_view text_of(const json::object& object, std::string_view name) {
  return object.at(name).as_string();
}

void check_range(const json::object& object, std::string_view name, std::int64_t low, std::int64_t high,
                 std::string_view detail, const std::string& path, Problems& problems) {
  const auto value = object.at(name).as_int64();
  if (value < low || value > high) problems.invalid(child(path, name), shown(object.at(name)), detail);
}

void check_label_name(const json::value& value, const std::string& path, Problems& problems) {
  for (const auto& error : check_label_key(value.as_string())) problems.invalid(path, shown(value), error);
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const auto& text : texts) out += (out.empty() ? "" : "; ") + text;
  return out;
}

void default_preemption(const json::object& args, const std::string& path, Problems& problems) {
  constexpr auto kMax = std::int64_t{1} << 32;
  check_range(args, arg::kMinCandidateNodesPercentage, 0, 100, "not in valid range [0, 100]", path, problems);
  check_range(args, arg::kMinCandidateNodesAbsolute, 0, kMax, "not in valid range [0, inf)", path, problems);
  if (args.at(arg::kMinCandidateNodesPercentage) == 0 && args.at(arg::kMinCandidateNodesAbsolute) == 0) {
    problems.invalid(child(path, arg::kMinCandidateNodesPercentage), shown(0),
                     "cannot be zero at the same time as minCandidateNodesAbsolute");
    problems.invalid(child(path, arg::kMinCandidateNodesAbsolute), shown(0),
                     "cannot be zero at the same time as minCandidateNodesPercentage");
  }
}

void dynamic_resources(const json::object& args, const std::string& path, Problems& problems) {
  using namespace std::chrono_literals;
  const auto at_least = [&](std::string_view name, std::chrono::nanoseconds least, std::string_view detail) {
    if (parse_duration(text_of(args, name)).value_or(0s) < least) {
      problems.invalid(child(path, name), shown(args.at(name)), detail);
    }
  };
  at_least(arg::kFilterTimeout, 0s, "must be zero or positive");
  at_least(arg::kBindingTimeout, 1s, "must be at least 1 second");
}

// --- scoring by resources ---

void balanced_allocation(const json::object& args, const std::string& path, Problems& problems) {
  std::set<std::string_view> seen;
  const auto& resources = args.at(arg::kResources).as_array();
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const auto at = item(child(path, arg::kResources), i);
    const auto& resource = resources[i].as_object();
    if (!seen.insert(text_of(resource, "name")).second)
      problems.duplicate(child(at, "name"), shown(resource.at("name")));
    if (resource.at("weight") != 1)
      problems.invalid(child(at, "weight"), shown(resource.at("weight")), "must be 1");
  }
}

void function_shape(const json::array& shape, const std::string& path, Problems& problems) {
  if (shape.empty()) return problems.required(path, "at least one point must be specified");
  for (std::size_t i = 1; i < shape.size(); ++i) {
    if (shape[i - 1].at("utilization").as_int64() >= shape[i].at("utilization").as_int64()) {
      problems.invalid(child(item(path, i), "utilization"), shown(shape[i].at("utilization")),
                       "values must be sorted in increasing order");
      break;
    }
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto& point = shape[i].as_object();
    check_range(point, "utilization", 0, 100, "not in valid range [0, 100]", item(path, i), problems);
    check_range(point, "score", 0, 10, "not in valid range [0, 10]", item(path, i), problems);
  }
}

void scoring_strategy(const json::object& strategy, const std::string& path, Problems& problems) {
  const auto type = text_of(strategy, "type");
  if (type != "LeastAllocated" && type != "MostAllocated" && type != "RequestedToCapacityRatio") {
    problems.not_supported(child(path, "type"), type,
                           {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"});
  }
  const auto& resources = strategy.at(arg::kResources).as_array();
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const auto& resource = resources[i].as_object();
    check_range(resource, "weight", 1, 100,
                fmt::format("resource weight of {} not in valid range (0, 100]", text_of(resource, "name")),
                item(child(path, arg::kResources), i), problems);
  }
  const auto* ratio = strategy.if_contains(arg::kRequestedToCapacityRatio);
  const auto at = child(path, arg::kRequestedToCapacityRatio);
  if (type != "RequestedToCapacityRatio") {
    if (ratio) problems.forbidden(at, "must be nil when type is not RequestedToCapacityRatio");
  } else if (!ratio) {
    problems.required(at, "must be specified when type is RequestedToCapacityRatio");
  } else {
    function_shape(ratio->at(arg::kShape).as_array(), child(at, arg::kShape), problems);
  }
}

void resources_fit(const json::object& args, const std::string& path, Problems& problems) {
  const auto& ignored = args.at(arg::kIgnoredResources).as_array();
  for (std::size_t i = 0; i < ignored.size(); ++i) {
    check_label_name(ignored[i], item(child(path, arg::kIgnoredResources), i), problems);
  }
  const auto& groups = args.at(arg::kIgnoredResourceGroups).as_array();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto at = item(child(path, arg::kIgnoredResourceGroups), i);
    if (std::string_view(groups[i].as_string()).contains('/')) {
      problems.invalid(at, shown(groups[i]), "resource group name can't contain '/'");
    }
    check_label_name(groups[i], at, problems);
  }
  scoring_strategy(args.at(arg::kScoringStrategy).as_object(), child(path, arg::kScoringStrategy), problems);
}

// --- default spread constraints ---

void topology_spread(const json::object& args, const std::string& path, Problems& problems) {
  const auto type = text_of(args, arg::kDefaultingType);
  const auto& constraints = args.at(arg::kDefaultConstraints).as_array();
  if (type != "System" && type != "List") {
    problems.not_supported(child(path, arg::kDefaultingType), type, {"System", "List"});
  } else if (type == "System" && !constraints.empty()) {
    problems.invalid(child(path, arg::kDefaultingType), shown(args.at(arg::kDefaultingType)),
                     "when .defaultConstraints are not empty");
  }
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const auto at = item(child(path, arg::kDefaultConstraints), i);
    const auto& constraint = constraints[i].as_object();
    const auto key = text_of(constraint, "topologyKey");
    const auto action = text_of(constraint, "whenUnsatisfiable");
    if (constraint.at("maxSkew").as_int64() <= 0) {
      problems.invalid(child(at, "maxSkew"), shown(constraint.at("maxSkew")), "not in valid range (0, inf)");
    }
    if (key.empty()) {
      problems.required(child(at, "topologyKey"), "can not be empty");
    } else {
      check_label_name(constraint.at("topologyKey"), child(at, "topologyKey"), problems);
    }
    if (action.empty()) {
      problems.required(child(at, "whenUnsatisfiable"), "can not be empty");
    } else if (action != "DoNotSchedule" && action != "ScheduleAnyway") {
      problems.not_supported(child(at, "whenUnsatisfiable"), action, {"DoNotSchedule", "ScheduleAnyway"});
    }
    if (constraint.contains("labelSelector")) {
      problems.forbidden(child(at, "labelSelector"),
                         "constraint must not define a selector, as they deduced for each pod");
    }
    if (!seen.insert({key, action}).second) {
      problems.duplicate(at, fmt::format("{{{}, {}}}", key, action));
    }
  }
}

// --- added node affinity ---

void label_requirement(const json::object& requirement, const std::string& path, Problems& problems) {
  const auto op = text_of(requirement, "operator");
  const auto& values = requirement.at("values").as_array();
  const auto values_path = child(path, "values");
  const auto wrong = [&](std::string_view detail) {
    problems.invalid(values_path, shown(requirement.at("values")), detail);
  };
  const bool comparison = op == "Gt" || op == "Lt";
  if (op != "In" && op != "NotIn" && op != "Exists" && op != "DoesNotExist" && !comparison) {
    return problems.not_supported(child(path, "operator"), op,
                                  {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"});
  }
  const auto& key = requirement.at("key");
  if (const auto errors = check_label_key(key.as_string()); !errors.empty()) {
    problems.invalid(child(path, "key"), shown(key), joined(errors));
  }
  if ((op == "In" || op == "NotIn") && values.empty()) wrong(api::kNoValuesError);
  if ((op == "Exists" || op == "DoesNotExist") && !values.empty()) {
    wrong(api::kValuesOfExistsError);
  }
  if (comparison && values.size() != 1) wrong(api::kOneValueError);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (comparison && !api::parse_integer(values[i].as_string())) {
      problems.invalid(item(values_path, i), shown(values[i]), api::kIntegerError);
    }
    if (const auto errors = check_label_value(values[i].as_string()); !errors.empty()) {
      problems.invalid(item(values_path, i), shown(values[i]), joined(errors));
    }
  }
}

void field_requirement(const json::object& requirement, const std::string& path, Problems& problems) {
  const auto op = text_of(requirement, "operator");
  if (op != "In" && op != "NotIn") {
    problems.not_supported(child(path, "operator"), op, {"In", "NotIn"});
  } else if (requirement.at("values").as_array().size() != 1) {
    problems.invalid(child(path, "values"), shown(requirement.at("values")), api::kOneElementError);
  }
}

void node_selector_term(const json::object& term, const std::string& path, Problems& problems) {
  const auto each = [&](std::string_view name, auto check) {
    const auto& list = term.at(name).as_array();
    for (std::size_t i = 0; i < list.size(); ++i) {
      check(list[i].as_object(), item(child(path, name), i), problems);
    }
  };
  each("matchExpressions", label_requirement);
  each("matchFields", field_requirement);
}

void node_affinity(const json::object& args, const std::string& path, Problems& problems) {
  const auto* affinity = args.if_contains(arg::kAddedAffinity);
  if (!affinity) return;
  const auto at = child(path, arg::kAddedAffinity);
  if (const auto* required =
          affinity->as_object().if_contains("requiredDuringSchedulingIgnoredDuringExecution")) {
    const auto& terms = required->at("nodeSelectorTerms").as_array();
    const auto terms_path = at + ".requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    for (std::size_t i = 0; i < terms.size(); ++i) {
      node_selector_term(terms[i].as_object(), item(terms_path, i), problems);
    }
  }
  const auto& preferred = affinity->at("preferredDuringSchedulingIgnoredDuringExecution").as_array();
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    if (preferred[i].at("weight") == 0) continue;  // terms of weight 0 are not used
    node_selector_term(preferred[i].at("preference").as_object(),
                       item(at + ".preferredDuringSchedulingIgnoredDuringExecution", i), problems);
  }
}

void volume_binding(const json::object& args, const framework::Features& features, const std::string& path,
                    Problems& problems) {
  if (args.at(arg::kBindTimeoutSeconds).as_int64() < 0) {
    problems.invalid(child(path, arg::kBindTimeoutSeconds), shown(args.at(arg::kBindTimeoutSeconds)),
                     "invalid BindTimeoutSeconds, should not be a negative value");
  }
  const auto* shape = args.if_contains(arg::kShape);
  if (features.storage_capacity_scoring) {
    function_shape(shape->as_array(), child(path, arg::kShape), problems);
  } else if (shape) {
    problems.invalid(
        child(path, arg::kShape), shown(*shape),
        "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring");
  }
}

}  // namespace

void validate_args(std::string_view plugin, const json::object& args, const framework::Features& features,
                   const std::string& path, Problems& problems) {
  if (plugin == framework::names::kDefaultPreemption) return default_preemption(args, path, problems);
  if (plugin == framework::names::kDynamicResources) return dynamic_resources(args, path, problems);
  if (plugin == framework::names::kInterPodAffinity) {
    return check_range(args, arg::kHardPodAffinityWeight, 0, 100, "not in valid range [0, 100]", path,
                       problems);
  }
  if (plugin == framework::names::kNodeAffinity) return node_affinity(args, path, problems);
  if (plugin == framework::names::kNodeResourcesBalancedAllocation)
    return balanced_allocation(args, path, problems);
  if (plugin == framework::names::kNodeResourcesFit) return resources_fit(args, path, problems);
  if (plugin == framework::names::kPodTopologySpread) return topology_spread(args, path, problems);
  if (plugin == framework::names::kVolumeBinding) return volume_binding(args, features, path, problems);
}

}  // namespace podium::config
