#include "scheduler/config/kube/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <map>
#include <set>

#include "base/check.h"
#include "base/duration.h"
#include "base/result.h"
#include "scheduler/cluster/resources.h"
#include "scheduler/config/schema/kube_schema.h"
#include "scheduler/config/schema/names.h"
#include "scheduler/framework/plugin_names.h"

namespace podium::config {
namespace json = boost::json;
namespace {

constexpr std::array<std::string_view, 4> kRemovedPlugins{"AzureDiskLimits", "CinderLimits", "EBSLimits",
                                                          "GCEPDLimits"};

std::chrono::nanoseconds duration(const json::object& object, std::string_view name) {
  return parse_duration(object.at(name).as_string()).value_or(std::chrono::nanoseconds(0));
}

void validate_leader_election(const json::object& election, Problems& problems) {
  const std::string path = "leaderElection";
  if (!election.at("leaderElect").as_bool()) return;
  const auto lease = duration(election, "leaseDuration");
  const auto renew = duration(election, "renewDeadline");
  const auto retry = duration(election, "retryPeriod");
  for (const auto* name : {"leaseDuration", "renewDeadline", "retryPeriod"}) {
    if (duration(election, name).count() <= 0) {
      problems.invalid(child(path, name), shown(election.at(name)), kNotPositiveError);
    }
  }
  if (lease <= renew) {
    problems.invalid(child(path, "leaseDuration"), shown(election.at("leaseDuration")),
                     fmt::format("must be greater than `RenewDeadline` ({})", format_duration(renew)));
  }
  constexpr double kJitterFactor = 1.2;
  if (static_cast<double>(renew.count()) <= kJitterFactor * static_cast<double>(retry.count())) {
    problems.invalid(child(path, "renewDeadline"), shown(election.at("renewDeadline")),
                     fmt::format("renewDeadline must be greater than retryPeriod*JitterFactor ({}*{})",
                                 format_duration(retry), kJitterFactor));
  }
  if (election.at("resourceLock") != "leases") {
    problems.invalid(child(path, "resourceLock"), shown(election.at("resourceLock")),
                     "resourceLock value must be \"leases\"");
  }
}

void validate_percentage(const json::object& object, const std::string& path, Problems& problems) {
  const auto* percentage = object.if_contains("percentageOfNodesToScore");
  if (percentage && (percentage->as_int64() < 0 || percentage->as_int64() > 100)) {
    problems.invalid(child(path, "percentageOfNodesToScore"), shown(*percentage),
                     "not in valid range [0-100]");
  }
}

void validate_profiles(const json::array& profiles, Problems& problems) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const auto path = item("profiles", i);
    const auto& profile = profiles[i].as_object();
    const auto* name = profile.if_contains("schedulerName");
    const auto text = name ? std::string(name->as_string()) : std::string();
    if (text.empty()) problems.required(child(path, "schedulerName"));
    validate_percentage(profile, path, problems);
    const auto [first, is_new] = seen.try_emplace(text, i);
    if (!is_new && !text.empty()) {
      problems.add(child(path, "schedulerName"), fmt::format("Duplicate value: \"{}\": already used by {}",
                                                             text, item("profiles", first->second)));
    }
  }
}

void validate_managed_resources(const json::array& resources, const std::string& path,
                                std::set<std::string>& seen, Problems& problems) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const auto at = child(item(path, i), "name");
    const auto& value = resources[i].at("name");
    const std::string name(value.as_string());
    const auto errors = check_label_key(name);
    for (const auto& error : errors) problems.invalid(at, shown(value), error);
    if (errors.empty() && !cluster::is_extended_resource(name)) {
      problems.invalid(at, shown(value), "is an invalid extended resource name");
    }
    if (!seen.insert(name).second)
      problems.invalid(at, shown(value), "duplicate extender managed resource name");
  }
}

std::vector<std::string> names_of(const std::vector<PluginRef>& plugins) {
  std::vector<std::string> out;
  for (const auto& plugin : plugins) out.push_back(plugin.name);
  return out;
}

}  // namespace

bool is_removed_plugin(std::string_view name) {
  return std::ranges::find(kRemovedPlugins, name) != kRemovedPlugins.end();
}

std::string removed_plugin_text() {
  return fmt::format("was invalid in version \"{0}\" (KubeSchedulerConfiguration is version \"{0}\")",
                     kKubeApiVersion);
}

void validate_settings(const json::object& config, Problems& problems) {
  const auto& burst = config.at("clientConnection").at("burst");
  if (burst.as_int64() < 0) problems.invalid("clientConnection.burst", shown(burst), "must be non-negative");
  validate_leader_election(config.at("leaderElection").as_object(), problems);
  if (const auto& value = config.at("parallelism"); value.as_int64() <= 0) {
    problems.invalid("parallelism", shown(value), "should be an integer value greater than zero");
  }
  validate_profiles(config.at("profiles").as_array(), problems);
  validate_percentage(config, "", problems);
  const auto& initial = config.at("podInitialBackoffSeconds");
  const auto& max = config.at("podMaxBackoffSeconds");
  if (initial.as_int64() <= 0)
    problems.invalid("podInitialBackoffSeconds", shown(initial), "must be greater than 0");
  if (max.as_int64() < initial.as_int64()) {
    problems.invalid("podMaxBackoffSeconds", shown(max),
                     "must be greater than or equal to PodInitialBackoffSeconds");
  }
}

void validate_extenders(const json::array& extenders, Problems& problems) {
  std::size_t binders = 0;
  std::set<std::string> managed;
  for (std::size_t i = 0; i < extenders.size(); ++i) {
    const auto path = item("extenders", i);
    const auto& extender = extenders[i].as_object();
    if (!extender.at("prioritizeVerb").as_string().empty() && extender.at("weight").as_int64() <= 0) {
      problems.invalid(child(path, "weight"), shown(extender.at("weight")),
                       "must have a positive weight applied to it");
    }
    if (!extender.at("bindVerb").as_string().empty()) ++binders;
    validate_managed_resources(extender.at("managedResources").as_array(), child(path, "managedResources"),
                               managed, problems);
  }
  if (binders > 1) {
    problems.invalid("extenders", fmt::format("found {} extenders implementing bind", binders),
                     "only one extender can implement bind");
  }
}

void validate_plugin_sets(const std::vector<PluginSets>& profiles, Problems& problems) {
  PODIUM_CHECK(!profiles.empty());
  const auto& first = profiles.front()[Point::queue_sort];
  if (first.enabled.size() > 1) {
    problems.invalid("profiles[0].plugins.queueSort.enabled", shown(first.enabled.size()),
                     "only one queue sort plugin can be enabled");
  }
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    for (const auto& set : profiles[i].sets) {
      for (const auto& plugin : set.enabled) {
        if (!is_removed_plugin(plugin.name)) continue;
        problems.invalid(plugin.path, plugin.name, removed_plugin_text());
      }
    }
    const auto& own = profiles[i][Point::queue_sort];
    if (names_of(own.enabled) != names_of(first.enabled) ||
        names_of(own.disabled) != names_of(first.disabled)) {
      problems.add(item("profiles", i) + ".plugins.queueSort",
                   "Invalid value: must be the same for all profiles");
    }
  }
}

// Source: pkg/scheduler/profile/profile.go cfgValidator.
void validate_queue_sort_args(const json::array& profiles, Problems& problems) {
  const auto args_of = [](const json::value& profile) {
    for (const auto& entry : profile.at("pluginConfig").as_array()) {
      const auto& config = entry.as_object();
      const auto* args = config.if_contains("args");
      if (config.at("name") == framework::names::kPrioritySort) return args ? *args : json::value();
    }
    return json::value();
  };
  for (std::size_t i = 1; i < profiles.size(); ++i) {
    if (args_of(profiles[i]) == args_of(profiles[0])) continue;
    const auto* name = profiles[i].as_object().if_contains("schedulerName");
    problems.add(item("profiles", i) + ".pluginConfig",
                 fmt::format("different queue sort plugin args for profile \"{}\"",
                             name ? std::string_view(name->as_string()) : ""));
  }
}

}  // namespace podium::config
