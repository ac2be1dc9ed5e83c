#include "scheduler/config/kube/kube_defaults.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "scheduler/config/schema/kube_schema.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/arg_names.h"

namespace podium::config {
namespace arg = plugins::arg_names;
namespace json = boost::json;
namespace {

// For all other fields: zero means absent.
void if_zero(json::object& object, std::string_view name, const json::value& zero, json::value value) {
  auto& field = object.at(name);
  if (field == zero) field = std::move(value);
}

json::array default_resources() {
  return {json::object{{"name", "cpu"}, {"weight", 1}}, json::object{{"name", "memory"}, {"weight", 1}}};
}

void default_resource_list(json::value& resources) {
  if (resources.as_array().empty()) resources = default_resources();
  for (auto& resource : resources.as_array()) if_zero(resource.as_object(), "weight", 0, 1);
}

void default_storage_shape(json::object& args) {
  const auto* given = args.if_contains(arg::kShape);
  if (given && !given->as_array().empty()) return;
  args[arg::kShape] = {json::object{{"utilization", 0}, {"score", 10}},
                       json::object{{"utilization", 100}, {"score", 0}}};
}

json::object defaulted_leader_election(json::object election) {
  if_zero(election, "resourceLock", "", "leases");
  if_zero(election, "resourceNamespace", "", "kube-system");
  if_zero(election, "resourceName", "", "kube-scheduler");
  if_zero(election, "leaseDuration", "0s", "15s");
  if_zero(election, "renewDeadline", "0s", "10s");
  if_zero(election, "retryPeriod", "0s", "2s");
  if_absent(election, "leaderElect", true);
  return election;
}

json::object defaulted_client_connection(json::object connection) {
  if_zero(connection, "contentType", "", "application/vnd.kubernetes.protobuf");
  if_zero(connection, "qps", 0, 50);
  if_zero(connection, "burst", 0, 100);
  return connection;
}

}  // namespace

void set_defaults(json::object& config) {
  config["apiVersion"] = kKubeApiVersion;
  config["kind"] = kKubeKind;
  if_absent(config, "parallelism", 16);
  auto& profiles = config.at("profiles").as_array();
  if (profiles.empty()) profiles.push_back(json::object{{"pluginConfig", json::array()}});
  if (profiles.size() == 1) if_absent(profiles[0].as_object(), "schedulerName", "default-scheduler");
  if_absent(config, "percentageOfNodesToScore", 0);
  config["leaderElection"] = defaulted_leader_election(config.at("leaderElection").as_object());
  config["clientConnection"] = defaulted_client_connection(config.at("clientConnection").as_object());
  if_absent(config, "podInitialBackoffSeconds", 1);
  if_absent(config, "podMaxBackoffSeconds", 10);
  if_absent(config, "enableProfiling", true);
  if_absent(config, "enableContentionProfiling", config.at("enableProfiling"));
}

void set_args_defaults(std::string_view plugin, json::object& args, const framework::Features& features) {
  args["apiVersion"] = kKubeApiVersion;
  args["kind"] = std::string(plugin) + "Args";
  if (plugin == framework::names::kDefaultPreemption) {
    if_absent(args, arg::kMinCandidateNodesPercentage, 10);
    if_absent(args, arg::kMinCandidateNodesAbsolute, 100);
  } else if (plugin == framework::names::kDynamicResources) {
    if_absent(args, arg::kFilterTimeout, "10s");
    if_absent(args, arg::kBindingTimeout, "10m0s");
  } else if (plugin == framework::names::kInterPodAffinity) {
    if_absent(args, arg::kHardPodAffinityWeight, 1);
  } else if (plugin == framework::names::kNodeResourcesBalancedAllocation) {
    default_resource_list(args.at(arg::kResources));
  } else if (plugin == framework::names::kNodeResourcesFit) {
    if_absent(args, arg::kScoringStrategy,
              json::object{{"type", "LeastAllocated"}, {arg::kResources, json::array()}});
    default_resource_list(args.at(arg::kScoringStrategy).as_object().at(arg::kResources));
  } else if (plugin == framework::names::kPodTopologySpread) {
    if_zero(args, arg::kDefaultingType, "", "System");
  } else if (plugin == framework::names::kVolumeBinding) {
    if_absent(args, arg::kBindTimeoutSeconds, 600);
    if (features.storage_capacity_scoring) default_storage_shape(args);
  }
}

}  // namespace podium::config
