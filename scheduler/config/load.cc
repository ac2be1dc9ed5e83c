#include "scheduler/config/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/text/json_view.h"
#include "api/text/yaml.h"
#include "base/duration.h"
#include "base/input.h"
#include "scheduler/config/kube/kube_defaults.h"
#include "scheduler/config/kube/node_searches.h"
#include "scheduler/config/kube/plugin_sets.h"
#include "scheduler/config/kube/policy.h"
#include "scheduler/config/kube/profile_args.h"
#include "scheduler/config/kube/profiles.h"
#include "scheduler/config/kube/read_extenders.h"
#include "scheduler/config/kube/validation.h"
#include "scheduler/config/podium/podium_config.h"
#include "scheduler/config/schema/file_problems.h"
#include "scheduler/config/schema/kube_schema.h"

namespace podium::config {
namespace json = boost::json;
namespace {

constexpr std::size_t kMaxBytes = 1u << 20;
constexpr std::size_t kMaxNodes = 200'000;

// --- the documents of the file ---

struct Documents {
  const api::Document* kube = nullptr;
  const api::Document* podium = nullptr;
};

void refuse(const json::object& document, const std::string& version, const std::string& kind,
            Problems& problems) {
  if (kind == "Policy") return refuse_policy(document, problems);
  if (kind.empty()) return problems.add("", "Object 'Kind' is missing");
  if (version.empty()) return problems.add("", "Object 'apiVersion' is missing");
  auto text = not_registered(kind, version);
  if (kind == kKubeKind) text += fmt::format(": use {}", kKubeApiVersion);
  if (kind == kPodiumKind) text += fmt::format(": use {}", kPodiumApiVersion);
  problems.add("apiVersion", text);
}

Documents sort_documents(const std::vector<api::Document>& documents, FileProblems& file) {
  Documents out;
  for (const auto& document : documents) {
    auto& problems = file.of(document.lines);
    if (!document.value.is_object()) {
      problems.add("", "the document is not an object");
      continue;
    }
    const auto version = api::text_at(document.value, "/apiVersion");
    const auto kind = api::text_at(document.value, "/kind");
    const api::Document** slot = nullptr;
    if (version == kKubeApiVersion && kind == kKubeKind) slot = &out.kube;
    if (version == kPodiumApiVersion && kind == kPodiumKind) slot = &out.podium;
    if (!slot) {
      refuse(document.value.get_object(), version, kind, problems);
    } else if (*slot) {
      problems.add("kind", fmt::format("the file has more than one {}", kind));
    } else {
      *slot = &document;
    }
  }
  return out;
}

// --- the KubeSchedulerConfiguration ---

template <typename T>
T duration(const json::object& object, std::string_view name) {
  return std::chrono::duration_cast<T>(
      parse_duration(object.at(name).as_string()).value_or(std::chrono::nanoseconds(0)));
}

LeaderElection leader_election(const json::object& election) {
  LeaderElection out;
  out.leader_elect = election.at("leaderElect").as_bool();
  out.lease_duration = duration<std::chrono::milliseconds>(election, "leaseDuration");
  out.renew_deadline = duration<std::chrono::milliseconds>(election, "renewDeadline");
  out.retry_period = duration<std::chrono::milliseconds>(election, "retryPeriod");
  out.resource_lock = election.at("resourceLock").as_string();
  out.resource_name = election.at("resourceName").as_string();
  out.resource_namespace = election.at("resourceNamespace").as_string();
  return out;
}

ClientConnection client_connection(const json::object& connection) {
  ClientConnection out;
  out.kubeconfig = connection.at("kubeconfig").as_string();
  return out;
}

// Caps the value at 100 years, so that doubling it and adding it to a time cannot overflow.
std::chrono::seconds backoff(const json::object& config, std::string_view name) {
  constexpr std::int64_t kLongest = 100LL * 365 * 24 * 60 * 60;
  return std::chrono::seconds(std::min(config.at(name).as_int64(), kLongest));
}

void read_profiles(json::array& profiles, const json::array& extenders, const plugins::Registry& registry,
                   Config& out, Problems& problems) {
  const auto ignored = ignored_resources(extenders);
  const auto& features = out.features;
  std::vector<PluginSets> merged;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const auto path = child(item("profiles", i), "plugins");
    const auto custom = read_plugin_sets(profiles[i].as_object().if_contains("plugins"), path);
    merged.push_back(merge_plugin_sets(default_plugin_sets(features), custom));
  }
  validate_plugin_sets(merged, problems);
  validate_queue_sort_args(profiles, problems);
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const auto path = item("profiles", i);
    auto& profile = profiles[i].as_object();
    auto args = read_plugin_args(profile.at("pluginConfig").as_array(), merged[i].enabled_names(), features,
                                 registry, child(path, "pluginConfig"), problems);
    const auto* name = profile.if_contains("schedulerName");
    const auto scheduler_name = name ? std::string(name->as_string()) : std::string();
    if (!ignored.empty()) ignore_resources(ignored, args, child(path, "pluginConfig"), problems);
    out.profiles.push_back(
        resolve_profile(scheduler_name, merged[i], args, path, problems, features, registry));
    profile["plugins"] = print_plugin_sets(merged[i]);
    profile["pluginConfig"] = print_plugin_args(args);
  }
}

struct Kube {
  bool writes_zero_percentage = false;
  std::vector<std::int64_t> percentages;  // of nodes to score, by profile
};

Kube read_kube(json::value document, const plugins::Registry& registry, Config& out, Problems& problems) {
  read(document, kube_schema(), "", problems);
  auto& config = document.as_object();
  Kube kube{.writes_zero_percentage = writes_zero_percentage(config)};
  set_defaults(config);
  validate_settings(config, problems);
  auto& extenders = config.at("extenders").as_array();
  validate_extenders(extenders, problems);
  out.extenders = read_extenders(extenders);
  read_profiles(config.at("profiles").as_array(), extenders, registry, out, problems);

  out.parallelism = config.at("parallelism").as_int64();
  out.percentage_of_nodes_to_score = config.at("percentageOfNodesToScore").as_int64();
  out.pod_initial_backoff = backoff(config, "podInitialBackoffSeconds");
  out.pod_max_backoff = backoff(config, "podMaxBackoffSeconds");
  out.delay_cache_until_active = config.at("delayCacheUntilActive").as_bool();
  out.leader_election = leader_election(config.at("leaderElection").as_object());
  out.client_connection = client_connection(config.at("clientConnection").as_object());
  out.view = printed(document, kube_schema());
  kube.percentages = percentages(config);
  return kube;
}

// Sets the fields of profiles that depend on the rest of the file.
void finish_profiles(const std::vector<std::int64_t>& percentages, Config& out) {
  for (std::size_t i = 0; i < out.profiles.size(); ++i) {
    auto profile = std::make_shared<framework::Profile>(*out.profiles[i]);
    profile->has_extenders = !out.extenders.empty();
    profile->search = node_search(percentages[i], *profile, out.extenders, out.podium.adaptive_search);
    out.profiles[i] = std::move(profile);
  }
}

// Merges objects recursively and replaces other values. If `into` is not an object, the schema rejects it.
void merge(const json::object& from, json::value& into) {
  if (!into.is_object()) return;
  for (const auto& [name, value] : from) {
    auto& slot = into.get_object()[name];
    if (slot.is_null()) slot = value.is_object() ? json::value(json::object()) : value;
    if (value.is_object()) {
      merge(value.get_object(), slot);
    } else {
      slot = value;
    }
  }
}

Result<Config> load_documents(const std::vector<api::Document>& documents, std::string_view file_name,
                              const LoadOptions& options) {
  FileProblems file{std::string(file_name)};
  const auto found = sort_documents(documents, file);

  Config out;
  out.features = options.gates.features;
  const FileProblems::Lines no_lines;
  auto document = found.kube ? found.kube->value : json::value(json::object());
  merge(options.overrides, document);
  const auto kube = read_kube(std::move(document), options.plugins, out,
                              file.of(found.kube ? found.kube->lines : no_lines));
  out.podium_view = found.podium ? found.podium->value : json::value(json::object());
  out.podium = read_podium(out.podium_view, kube.writes_zero_percentage,
                           file.of(found.podium ? found.podium->lines : no_lines));
  if (file) return invalid(file.text());
  finish_profiles(kube.percentages, out);
  out.warnings = options.gates.warnings;
  std::ranges::move(file.warnings(), std::back_inserter(out.warnings));
  return out;
}

}  // namespace

Result<Config> load(std::string_view text, std::string_view file_name, const LoadOptions& options) {
  const auto documents = api::parse_documents(text, file_name, {kMaxBytes, kMaxNodes});
  if (!documents) return std::unexpected(documents.error());
  return load_documents(*documents, file_name, options);
}

Result<Config> load_file(const std::string& path, const LoadOptions& options) {
  // Reads at most one byte more than the limit; the parser rejects a text of that size.
  const auto text =
      options.regular_files_only ? read_file(path, kMaxBytes + 1) : read_input(path, kMaxBytes + 1);
  if (!text) return std::unexpected(text.error());
  const auto documents = api::parse_documents(*text, path, {kMaxBytes, kMaxNodes});
  if (!documents) return std::unexpected(documents.error());
  // As kube-scheduler: a file that was truncated by mistake must not start a default scheduler.
  if (documents->empty())
    return invalid(fmt::format("{}: Object 'Kind' is missing: the file is empty", path));
  return load_documents(*documents, path, options);
}

}  // namespace podium::config
