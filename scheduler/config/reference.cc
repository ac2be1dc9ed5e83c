#include "scheduler/config/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <vector>

#include "api/text/json_view.h"
#include "scheduler/config/load.h"
#include "scheduler/config/podium/podium_config.h"
#include "scheduler/config/schema/kube_schema.h"
#include "scheduler/config/schema/schema.h"

namespace podium::config {
namespace json = boost::json;
namespace {

using api::member;

constexpr auto kNoClientLimit = "no effect: podium has no client-side rate limit";
constexpr auto kNoGo = "no effect: there is no Go runtime to profile";

constexpr FieldNote kPodium[] = {
    {"adaptiveSearch",
     "meaning of `percentageOfNodesToScore: 0`: true: kube-scheduler's adaptive share of the nodes; "
     "false: all nodes. The default is true if the file sets a 0"},
    {"withholdNodeNames",
     "reports and answers to what-ifs do not name nodes; the HTTPS API and the page name them for users "
     "who may list nodes"},
    {"reports", "the reports of decisions"},
    {"reports.enabled", "writes a report for every pod"},
    {"reports.onlyFailures", "writes only reports of pods that could not be placed"},
    {"reports.sampling", "share of the placed pods that get a report", {"0", "1", "-0.1", "1.1"}},
    {"reports.ttl",
     "how long a report is kept after its last write, and a what-if without `ttlSeconds` after its answer",
     {"1s", "720h", "999ms", "720h0m1s"}},
    {"reports.maxReports",
     "maximum number of reports on decisions, and separately of what-ifs; podium deletes old ones to "
     "stay within it; placed pods and failures have half each",
     {"1", "1000000", "0", "1000001"}},
    {"reports.maxReportsPerNamespace", "the same in one namespace", {"1", "1000000", "0", "1000001"}},
    {"reports.maxBytes",
     "maximum bytes of each kind, as podium writes them; a quantity",
     {"64Ki", "16Gi", "65535", "17Gi"}},
    {"reports.maxBytesPerNamespace", "the same in one namespace", {"64Ki", "16Gi", "65535", "17Gi"}},
    {"reports.excludeNamespaces", "namespaces whose pods get no report; at most 1,000"},
    {"reports.namespaceSelector",
     "labels of the namespaces whose pods get reports: `matchLabels` and `matchExpressions`; without it, "
     "all namespaces",
     {},
     true},
    {"events", "the events on pods"},
    {"events.enabled", "writes kube-scheduler's events, such as Scheduled and FailedScheduling"},
    {"events.bestNodes", "writes one more event on a placed pod, with its best nodes"},
    {"whatIf", "what-ifs: reports with `dryRun: true`"},
    {"whatIf.enabled", "answers what-ifs"},
    {"whatIf.workers", "threads that evaluate what-ifs", {"1", "64", "0", "65"}},
    {"whatIf.deadline", "CPU time of one what-if", {"10ms", "10m", "9ms", "601s"}},
    {"whatIf.maxWaiting",
     "maximum number of waiting what-ifs; podium refuses further ones",
     {"1", "100000", "0", "100001"}},
    {"whatIf.maxWaitingPerNamespace", "the same in one namespace", {"1", "100000", "0", "100001"}},
    {"httpAPI", "the HTTPS API: scores, strategies, reports and what-ifs for programs"},
    {"httpAPI.enabled", "serves the API, and keeps decisions in memory for it"},
    {"httpAPI.memoryMiB",
     "maximum memory of these decisions; podium drops the oldest to stay within it",
     {"1", "16384", "0", "16385"}},
    {"httpAPI.page", "serves the page for browsers at /ui/"},
};

constexpr FieldNote kKube[] = {
    {"parallelism", "no effect: a decision uses one thread", {"1", "", "0", ""}},
    {"leaderElection", "the Lease that replicas compete for; flags override it"},
    {"leaderElection.leaderElect",
     "false: the process leads immediately; two such processes may overcommit nodes"},
    {"leaderElection.leaseDuration",
     "how long a follower waits after the last renewal; longer than `renewDeadline`"},
    {"leaderElection.renewDeadline",
     "the leader gives up after this time without a renewal; longer than 1.2 × `retryPeriod`"},
    {"leaderElection.retryPeriod", "time between two tries"},
    {"leaderElection.resourceLock", "only `leases`"},
    {"leaderElection.resourceName", "name of the Lease"},
    {"leaderElection.resourceNamespace", "namespace of the Lease"},
    {"clientConnection", "how to reach the API server"},
    {"clientConnection.kubeconfig",
     "path of a kubeconfig; empty: $KUBECONFIG, else in-cluster, else ~/.kube/config; "
     "`--kubeconfig` overrides it"},
    {"clientConnection.acceptContentTypes", "no effect: podium speaks JSON"},
    {"clientConnection.contentType", "no effect: podium speaks JSON"},
    {"clientConnection.qps", kNoClientLimit},
    {"clientConnection.burst", kNoClientLimit, {"0", "", "-1", ""}},
    {"enableProfiling", kNoGo},
    {"enableContentionProfiling", kNoGo},
    {"percentageOfNodesToScore",
     "the search ends when this share of the nodes fits. Not set: podium evaluates all nodes; 0: see "
     "`adaptiveSearch`",
     {"0", "100", "-1", "101"}},
    {"podInitialBackoffSeconds",
     "wait after the first failed attempt; it doubles after each further one",
     {"1", "", "0", ""}},
    {"podMaxBackoffSeconds", "the longest wait; at least `podInitialBackoffSeconds`", {"1", "", "0", ""}},
    {"profiles", "one entry for each `schedulerName`; a pod's `schedulerName` selects its profile"},
    {"profiles[].schedulerName", "required if there are several profiles"},
    {"profiles[].percentageOfNodesToScore", "overrides the global one"},
    {"profiles[].plugins", "which plugins run at which extension point, and with which weight"},
    {"profiles[].plugins.*", "an extension point"},
    {"profiles[].plugins.*.enabled", "plugins to add, or to give another weight"},
    {"profiles[].plugins.*.enabled[].name", "the plugin's name"},
    {"profiles[].plugins.*.enabled[].weight", "weight of its score; 0 counts as 1"},
    {"profiles[].plugins.*.disabled", "plugins to remove; `*` removes all default ones"},
    {"profiles[].plugins.*.disabled[].name", "the plugin's name"},
    {"profiles[].plugins.*.disabled[].weight", "no effect"},
    {"profiles[].pluginConfig", "arguments of plugins"},
    {"profiles[].pluginConfig[].name", "the plugin's name"},
    {"profiles[].pluginConfig[].args",
     "see [below](#arguments-of-plugins); a [linked plugin](plugins.md) has its own"},
    {"extenders", "HTTP extenders ([what differs](parity.md#extenders))"},
    {"extenders[].urlPrefix", "URL of the extender"},
    {"extenders[].filterVerb",
     "path after the prefix for filter requests; empty: the extender does not filter"},
    {"extenders[].preemptVerb", "the same for preemption"},
    {"extenders[].prioritizeVerb", "the same for scores"},
    {"extenders[].weight", "factor of its scores; above zero if it has a `prioritizeVerb`"},
    {"extenders[].bindVerb", "the same for bindings; at most one extender"},
    {"extenders[].enableHTTPS", "speaks TLS"},
    {"extenders[].tlsConfig", "how to speak TLS"},
    {"extenders[].tlsConfig.insecure", "does not verify the extender's certificate"},
    {"extenders[].tlsConfig.serverName", "name to verify, in place of the URL's"},
    {"extenders[].tlsConfig.certFile", "podium's certificate"},
    {"extenders[].tlsConfig.keyFile", "its key"},
    {"extenders[].tlsConfig.caFile", "CA of the extender's certificate"},
    {"extenders[].tlsConfig.certData", "podium's certificate, base64"},
    {"extenders[].tlsConfig.keyData", "its key, base64; /configz hides it"},
    {"extenders[].tlsConfig.caData", "CA of the extender's certificate, base64"},
    {"extenders[].httpTimeout", "timeout of one request; 0s means 5s"},
    {"extenders[].nodeCacheCapable", "requests have names of nodes in place of whole nodes"},
    {"extenders[].managedResources", "podium sends only pods that request one of these; empty: all pods"},
    {"extenders[].managedResources[].name", "the resource's name"},
    {"extenders[].managedResources[].ignoredByScheduler", "NodeResourcesFit does not check the resource"},
    {"extenders[].ignorable", "podium also schedules pods while the extender does not answer"},
    {"delayCacheUntilActive", "no effect: a follower always has warm caches"},
};

constexpr auto kNotUsed = "validated; no effect: preemption tries every node on which it may help";
constexpr auto kSteps =
    "limit of a search for devices on one node, counted in steps; 0 and more than 10s mean 10s";
constexpr auto kConditions = "how long devices' binding conditions may take";
constexpr FieldNote kArgs[] = {
    {"DefaultPreemption.minCandidateNodesPercentage", kNotUsed, {"0", "100", "-1", "101"}},
    {"DefaultPreemption.minCandidateNodesAbsolute", kNotUsed, {"0", "", "-1", ""}},
    {"DynamicResources.filterTimeout", kSteps},
    {"DynamicResources.bindingTimeout", kConditions},
    {"InterPodAffinity.hardPodAffinityWeight",
     "weight of placed pods' required affinity to the pod",
     {"0", "100", "-1", "101"}},
    {"InterPodAffinity.ignorePreferredTermsOfExistingPods",
     "does not score by the preferred terms of placed pods if the pod has none"},
    {"NodeAffinity.addedAffinity", "added to every pod's own `nodeAffinity`, in the same form", {}, true},
    {"NodeResourcesBalancedAllocation.resources", "resources whose use is balanced"},
    {"NodeResourcesBalancedAllocation.resources[].name", "the resource's name"},
    {"NodeResourcesBalancedAllocation.resources[].weight", "only 1"},
    {"NodeResourcesFit.ignoredResources", "extended resources that are not checked"},
    {"NodeResourcesFit.ignoredResourceGroups", "the same, by the part of their names before the slash"},
    {"NodeResourcesFit.scoringStrategy", "how nodes are scored"},
    {"NodeResourcesFit.scoringStrategy.type",
     "`LeastAllocated`, `MostAllocated` or `RequestedToCapacityRatio`"},
    {"NodeResourcesFit.scoringStrategy.resources", "resources that count"},
    {"NodeResourcesFit.scoringStrategy.resources[].name", "the resource's name"},
    {"NodeResourcesFit.scoringStrategy.resources[].weight", "its weight, 1 to 100; 0 counts as 1"},
    {"NodeResourcesFit.scoringStrategy.requestedToCapacityRatio", "arguments of the type with this name"},
    {"NodeResourcesFit.scoringStrategy.requestedToCapacityRatio.shape",
     "points of the function from use to score"},
    {"NodeResourcesFit.scoringStrategy.requestedToCapacityRatio.shape[].utilization",
     "use in percent, 0 to 100, increasing"},
    {"NodeResourcesFit.scoringStrategy.requestedToCapacityRatio.shape[].score", "0 to 10"},
    {"PodTopologySpread.defaultConstraints",
     "constraints of pods that have none, in the form of a pod's `topologySpreadConstraints` without "
     "`labelSelector`; needs `defaultingType: List`",
     {},
     true},
    {"PodTopologySpread.defaultingType",
     "`System`: spreads over hosts and zones; `List`: uses `defaultConstraints`"},
    {"VolumeBinding.bindTimeoutSeconds", "how long a pod waits for its volumes", {"0", "", "-1", ""}},
    {"VolumeBinding.shape",
     "function from the use of storage to a score; only with the gate StorageCapacityScoring"},
    {"VolumeBinding.shape[].utilization", "use in percent, 0 to 100, increasing"},
    {"VolumeBinding.shape[].score", "0 to 10"},
};

constexpr std::string_view kPlugins = "profiles[].plugins";

std::string_view shown_type(const Schema& type) {
  switch (type.kind) {
    case Schema::Kind::boolean:
      return "bool";
    case Schema::Kind::int32:
    case Schema::Kind::int64:
      return "integer";
    case Schema::Kind::number:
      return "number";
    case Schema::Kind::text:
      return "string";
    case Schema::Kind::bytes:
      return "base64";
    case Schema::Kind::duration:
      return "duration";
    case Schema::Kind::list:
      return "list";
    case Schema::Kind::object:
      return "object";
    case Schema::Kind::text_map:
      return "map of strings";
    case Schema::Kind::any:
      break;
  }
  return "any";
}

const FieldNote* note_of(std::span<const FieldNote> notes, std::string_view path) {
  const auto it = std::ranges::find(notes, path, &FieldNote::path);
  return it == notes.end() ? nullptr : &*it;
}

std::string default_text(const json::value* value, const Schema& type) {
  if (!value || type.kind == Schema::Kind::object) return "";
  if (value->is_string() && !value->get_string().empty()) {
    return fmt::format("`{}`", std::string_view(value->get_string()));
  }
  if (type.kind != Schema::Kind::list) return fmt::format("`{}`", json::serialize(*value));
  const auto& list = value->get_array();
  if (list.empty() || !list[0].is_object() || !list[0].get_object().contains("weight")) {
    return list.empty() ? "`[]`" : "";
  }
  std::vector<std::string> names;  // of resources with weights
  for (const auto& one : list) {
    names.push_back(fmt::format("{}: {}", std::string_view(one.at("name").as_string()),
                                json::serialize(one.at("weight"))));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string limits_text(const Limits& limits) {
  if (limits.low.empty()) return "";
  if (limits.high.empty()) return fmt::format("at least {}", limits.low);
  return fmt::format("{} to {}", limits.low, limits.high);
}

class Table {
 public:
  explicit Table(std::span<const FieldNote> notes) : notes_(notes) {}

  // Adds a row for each field of the object, and for those below it. `shown` precedes their names in the
  // page, `path` in the notes.
  void add(const Schema& type, const std::string& path, const std::string& shown,
           const json::value* defaults) {
    for (const auto& field : type.fields) {
      if (field.name == "apiVersion" || field.name == "kind") continue;
      const auto dot = [&](const std::string& head) {
        return head.empty() ? std::string(field.name) : fmt::format("{}.{}", head, field.name);
      };
      add_field(*field.type, dot(path), dot(shown), member(defaults, field.name));
    }
  }

  const std::string& text() const { return text_; }

 private:
  void add_field(const Schema& type, std::string path, std::string shown, const json::value* value) {
    const auto* note = note_of(notes_, path);
    text_ += fmt::format("| `{}` | {} | {} | {} | {} |\n", shown, shown_type(type), default_text(value, type),
                         note ? limits_text(note->limits) : "", note ? note->about : "");
    if (note && note->opaque) return;
    if (path == kPlugins) return add_points(type);
    const auto* inner = &type;
    if (inner->kind == Schema::Kind::list) {
      inner = inner->element;
      path += "[]";
      shown += "[]";
      const bool has_one = path == "profiles[]" && value && !value->get_array().empty();
      value = has_one ? &value->get_array()[0] : nullptr;
    }
    if (inner->kind == Schema::Kind::object) add(*inner, path, shown, value);
  }

  // All extension points have the same fields: one row describes all.
  void add_points(const Schema& plugins) {
    std::vector<std::string> names;
    for (const auto& point : plugins.fields) names.push_back(fmt::format("`{}`", point.name));
    const auto path = fmt::format("{}.*", kPlugins);
    const auto* note = note_of(notes_, path);
    text_ += fmt::format("| `{}` | object | | | {}: {} |\n", path, note ? note->about : "",
                         fmt::join(names, ", "));
    add(*plugins.fields.front().type, path, path, nullptr);
  }

  std::span<const FieldNote> notes_;
  std::string text_ = "| Field | Type | Default | Limits | |\n|---|---|---|---|---|\n";
};

const json::value* args_defaults(const json::value& view, std::string_view plugin) {
  for (const auto& one : view.at("profiles").at(0).at("pluginConfig").as_array()) {
    if (one.at("name").as_string() == plugin) return member(&one, "args");
  }
  return nullptr;
}

}  // namespace

std::span<const FieldNote> podium_notes() { return kPodium; }
std::span<const FieldNote> kube_notes() { return kKube; }
std::span<const FieldNote> args_notes() { return kArgs; }

std::string configuration_tables() {
  const auto defaults = load("", "defaults").value();
  Table podium(kPodium), kube(kKube), args(kArgs);
  podium.add(podium_schema(), "", "", &defaults.podium_view);
  kube.add(kube_schema(), "", "", &defaults.view);
  for (const auto& plugin : plugins::in_tree()) {
    const auto* type = args_schema(plugin.name);
    if (type) args.add(*type, plugin.name, plugin.name, args_defaults(defaults.view, plugin.name));
  }
  return fmt::format(
      "## PodiumConfiguration\n\n{}\n## KubeSchedulerConfiguration\n\n{}\n### Arguments of plugins\n\n"
      "The part before the first dot is the plugin. Plugins that are not listed here take no "
      "arguments.\n\n{}",
      podium.text(), kube.text(), args.text());
}

}  // namespace podium::config
