#include "scheduler/config/kube/kube_defaults.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "scheduler/config/schema/kube_schema.h"

namespace podium::config {
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
  const auto* given = args.if_contains("shape");
  if (given && !given->as_array().empty()) return;
  args["shape"] = {json::object{{"utilization", 0}, {"score", 10}},
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
  if (plugin == "DefaultPreemption") {
    if_absent(args, "minCandidateNodesPercentage", 10);
    if_absent(args, "minCandidateNodesAbsolute", 100);
  } else if (plugin == "DynamicResources") {
    if_absent(args, "filterTimeout", "10s");
    if_absent(args, "bindingTimeout", "10m0s");
  } else if (plugin == "InterPodAffinity") {
    if_absent(args, "hardPodAffinityWeight", 1);
  } else if (plugin == "NodeResourcesBalancedAllocation") {
    default_resource_list(args.at("resources"));
  } else if (plugin == "NodeResourcesFit") {
    if_absent(args, "scoringStrategy",
              json::object{{"type", "LeastAllocated"}, {"resources", json::array()}});
    default_resource_list(args.at("scoringStrategy").as_object().at("resources"));
  } else if (plugin == "PodTopologySpread") {
    if_zero(args, "defaultingType", "", "System");
  } else if (plugin == "VolumeBinding") {
    if_absent(args, "bindTimeoutSeconds", 600);
    if (features.storage_capacity_scoring) default_storage_shape(args);
  }
}

}  // namespace podium::config
