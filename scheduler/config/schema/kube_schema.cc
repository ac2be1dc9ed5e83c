#include "scheduler/config/schema/kube_schema.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/arg_names.h"

namespace podium::config {
namespace arg = plugins::arg_names;
namespace {

using enum SchemaField::Presence;
using Fields = std::vector<SchemaField>;

Schema object(Fields fields) { return {Schema::Kind::object, std::move(fields)}; }
Schema list(const Schema& element) { return {Schema::Kind::list, {}, &element}; }

// Every argument type includes TypeMeta.
Schema args(Fields fields) {
  fields.push_back({"apiVersion", &schema::text, omit});
  fields.push_back({"kind", &schema::text, omit});
  return object(std::move(fields));
}

// --- parts of the core API ---

const Schema& requirements() {
  static const Schema one =
      object({{"key", &schema::text}, {"operator", &schema::text}, {"values", &schema::texts, omit}});
  static const Schema all = list(one);
  return all;
}

const Schema& label_selector() {
  static const Schema type =
      object({{"matchLabels", &schema::text_map, omit}, {"matchExpressions", &requirements(), omit}});
  return type;
}

const Schema& node_selector_term() {
  static const Schema type =
      object({{"matchExpressions", &requirements(), omit}, {"matchFields", &requirements(), omit}});
  return type;
}

const Schema& node_affinity() {
  static const Schema terms = list(node_selector_term());
  static const Schema required = object({{"nodeSelectorTerms", &terms}});
  static const Schema preferred_term =
      object({{"weight", &schema::int32}, {"preference", &node_selector_term()}});
  static const Schema preferred = list(preferred_term);
  static const Schema type = object({{"requiredDuringSchedulingIgnoredDuringExecution", &required, pointer},
                                     {"preferredDuringSchedulingIgnoredDuringExecution", &preferred, omit}});
  return type;
}

const Schema& spread_constraints() {
  static const Schema one = object({{"maxSkew", &schema::int32},
                                    {"topologyKey", &schema::text},
                                    {"whenUnsatisfiable", &schema::text},
                                    {"labelSelector", &label_selector(), pointer},
                                    {"minDomains", &schema::int32, pointer},
                                    {"nodeAffinityPolicy", &schema::text, pointer},
                                    {"nodeTaintsPolicy", &schema::text, pointer},
                                    {"matchLabelKeys", &schema::texts, omit}});
  static const Schema all = list(one);
  return all;
}

// --- plugin arguments ---

const Schema& resource_specs() {
  static const Schema one = object({{"name", &schema::text}, {"weight", &schema::int64, omit}});
  static const Schema all = list(one);
  return all;
}

const Schema& shape() {
  static const Schema point = object({{"utilization", &schema::int32}, {"score", &schema::int32}});
  static const Schema all = list(point);
  return all;
}

const Schema& scoring_strategy() {
  static const Schema ratio = object({{arg::kShape, &shape(), omit}});
  static const Schema type = object({{"type", &schema::text, omit},
                                     {arg::kResources, &resource_specs(), omit},
                                     {arg::kRequestedToCapacityRatio, &ratio, pointer}});
  return type;
}

std::map<std::string_view, Schema> make_args_schemas() {
  return {
      {framework::names::kDefaultPreemption,
       args({{arg::kMinCandidateNodesPercentage, &schema::int32, pointer},
             {arg::kMinCandidateNodesAbsolute, &schema::int32, pointer}})},
      {framework::names::kDynamicResources, args({{arg::kFilterTimeout, &schema::duration, pointer},
                                                  {arg::kBindingTimeout, &schema::duration, pointer}})},
      {framework::names::kInterPodAffinity,
       args({{arg::kHardPodAffinityWeight, &schema::int32, pointer},
             {arg::kIgnorePreferredTermsOfExistingPods, &schema::boolean}})},
      {framework::names::kNodeAffinity, args({{arg::kAddedAffinity, &node_affinity(), pointer}})},
      {framework::names::kNodeResourcesBalancedAllocation,
       args({{arg::kResources, &resource_specs(), omit}})},
      {framework::names::kNodeResourcesFit, args({{arg::kIgnoredResources, &schema::texts, omit},
                                                  {arg::kIgnoredResourceGroups, &schema::texts, omit},
                                                  {arg::kScoringStrategy, &scoring_strategy(), pointer}})},
      {framework::names::kPodTopologySpread, args({{arg::kDefaultConstraints, &spread_constraints(), omit},
                                                   {arg::kDefaultingType, &schema::text, omit}})},
      {framework::names::kVolumeBinding,
       args({{arg::kBindTimeoutSeconds, &schema::int64, pointer}, {arg::kShape, &shape(), pointer}})},
  };
}

// --- the configuration itself ---

const Schema& plugins() {
  static const Schema plugin = object({{"name", &schema::text}, {"weight", &schema::int32, pointer}});
  static const Schema plugin_list = list(plugin);
  static const Schema set = object({{"enabled", &plugin_list, omit}, {"disabled", &plugin_list, omit}});
  static const Schema type = object({{"preEnqueue", &set},
                                     {"queueSort", &set},
                                     {"preFilter", &set},
                                     {"filter", &set},
                                     {"postFilter", &set},
                                     {"preScore", &set},
                                     {"score", &set},
                                     {"reserve", &set},
                                     {"permit", &set},
                                     {"preBind", &set},
                                     {"bind", &set},
                                     {"postBind", &set},
                                     {"multiPoint", &set},
                                     {"placementGenerate", &set},
                                     {"placementScore", &set},
                                     {"podGroupPostFilter", &set}});
  return type;
}

const Schema& profiles() {
  static const Schema plugin_config = object({{"name", &schema::text}, {"args", &schema::any, pointer}});
  static const Schema plugin_configs = list(plugin_config);
  static const Schema one = object({{"schedulerName", &schema::text, pointer},
                                    {"percentageOfNodesToScore", &schema::int32, pointer},
                                    {"plugins", &plugins(), pointer},
                                    {"pluginConfig", &plugin_configs, omit}});
  static const Schema all = list(one);
  return all;
}

const Schema& extenders() {
  static const Schema resource =
      object({{"name", &schema::text}, {"ignoredByScheduler", &schema::boolean, omit}});
  static const Schema resources = list(resource);
  static const Schema tls = object({{"insecure", &schema::boolean, omit},
                                    {"serverName", &schema::text, omit},
                                    {"certFile", &schema::text, omit},
                                    {"keyFile", &schema::text, omit},
                                    {"caFile", &schema::text, omit},
                                    {"certData", &schema::bytes, omit},
                                    {"keyData", &schema::bytes, omit},
                                    {"caData", &schema::bytes, omit}});
  static const Schema one = object({{"urlPrefix", &schema::text},
                                    {"filterVerb", &schema::text, omit},
                                    {"preemptVerb", &schema::text, omit},
                                    {"prioritizeVerb", &schema::text, omit},
                                    {"weight", &schema::int64, omit},
                                    {"bindVerb", &schema::text, omit},
                                    {"enableHTTPS", &schema::boolean, omit},
                                    {"tlsConfig", &tls, pointer},
                                    {"httpTimeout", &schema::duration},
                                    {"nodeCacheCapable", &schema::boolean, omit},
                                    {"managedResources", &resources, omit},
                                    {"ignorable", &schema::boolean, omit}});
  static const Schema all = list(one);
  return all;
}

Schema make_kube_schema() {
  static const Schema leader_election = object({{"leaderElect", &schema::boolean, pointer},
                                                {"leaseDuration", &schema::duration},
                                                {"renewDeadline", &schema::duration},
                                                {"retryPeriod", &schema::duration},
                                                {"resourceLock", &schema::text},
                                                {"resourceName", &schema::text},
                                                {"resourceNamespace", &schema::text}});
  static const Schema client_connection = object({{"kubeconfig", &schema::text},
                                                  {"acceptContentTypes", &schema::text},
                                                  {"contentType", &schema::text},
                                                  {"qps", &schema::number},
                                                  {"burst", &schema::int32}});
  return object({{"apiVersion", &schema::text, omit},
                 {"kind", &schema::text, omit},
                 {"parallelism", &schema::int32, pointer},
                 {"leaderElection", &leader_election},
                 {"clientConnection", &client_connection},
                 {"enableProfiling", &schema::boolean, pointer},
                 {"enableContentionProfiling", &schema::boolean, pointer},
                 {"percentageOfNodesToScore", &schema::int32, pointer},
                 {"podInitialBackoffSeconds", &schema::int64, pointer},
                 {"podMaxBackoffSeconds", &schema::int64, pointer},
                 {"profiles", &profiles(), omit},
                 {"extenders", &extenders(), omit},
                 {"delayCacheUntilActive", &schema::boolean, omit}});
}

}  // namespace

std::string not_registered(std::string_view kind, std::string_view version) {
  return fmt::format("no kind \"{}\" is registered for version \"{}\"", kind, version);
}

const Schema& kube_schema() {
  static const Schema type = make_kube_schema();
  return type;
}

const Schema* args_schema(std::string_view plugin) {
  static const auto schemas = make_args_schemas();
  const auto it = schemas.find(plugin);
  return it == schemas.end() ? nullptr : &it->second;
}

}  // namespace podium::config
