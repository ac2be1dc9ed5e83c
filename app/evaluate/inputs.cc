#include "app/evaluate/inputs.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "app/evaluate/subjects.h"
#include "app/offline/budgets.h"
#include "app/offline/by_kind.h"
#include "app/offline/files.h"
#include "app/offline/missing_kinds.h"
#include "app/offline/offline_cluster.h"
#include "base/problems.h"
#include "explain/workload/unscheduled.h"

namespace podium::evaluate {
namespace {

using api::Manifests;

constexpr std::string_view kAutoscaler = "HorizontalPodAutoscaler";

Result<config::Config> load_config(const Inputs& inputs, std::vector<std::string>& warnings) {
  const auto gates = config::parse_feature_gates(inputs.feature_gates);
  if (!gates) return std::unexpected(gates.error());
  return offline::read_config(inputs.config, {*gates, inputs.plugins}, warnings);
}

// The subject of --pod.
struct Arguments {
  std::vector<std::string> names, files;
};

// "web-07" without a file of this name.
bool is_bare_name(const std::string& argument) {
  std::error_code error;
  return argument != "-" && argument.find_first_of("/.") == argument.npos &&
         !std::filesystem::exists(argument, error);
}

// "namespace/name" is a pod of the cluster, unless a file has this path.
Arguments arguments_of(const std::vector<std::string>& pods, const std::string& ns, Problems& problems) {
  Arguments out;
  for (const auto& argument : pods) {
    if (is_bare_name(argument)) {
      problems.add(
          fmt::format("--pod {0}: there is no such file; a pod of --cluster is NAMESPACE/NAME, such as "
                      "{1}/{0}",
                      argument, ns));
      continue;
    }
    const auto slash = argument.find('/');
    const bool may_be_name = slash != 0 && slash + 1 < argument.size() && slash == argument.rfind('/');
    std::error_code error;
    const bool is_name =
        slash != std::string::npos && may_be_name && !std::filesystem::exists(argument, error);
    (is_name ? out.names : out.files).push_back(argument);
  }
  return out;
}

// The pod as if it were not placed.
api::PodPtr unplaced(const api::PodPtr& pod) {
  if (pod->node_name.empty()) return pod;
  auto copy = std::make_shared<api::Pod>(*pod);
  copy->node_name.clear();
  copy->nominated_node.clear();
  return copy;
}

using Items = std::vector<AskedObjects::Item>;

// Removes the pods to evaluate from the cluster. A pod of a file replaces the cluster's.
Items select_pods(const Inputs& inputs, const Arguments& arguments, AskedObjects& asked, Contents& out,
                  Problems& problems) {
  auto& cluster = out.cluster;
  std::map<std::string, api::PodPtr> by_name;
  for (const auto& pod : cluster.pods) by_name[pod->full_name()] = pod;
  Items selected;
  const auto select = [&](const std::string& name, const std::string& or_else) {
    const auto pod = by_name.find(name);
    if (pod == by_name.end()) return problems.add(or_else);
    if (const auto end = explain::end_of_pod(*pod->second); !end.empty() && !inputs.as_given)
      out.warnings.push_back(fmt::format("pod {}: this is the answer for a new pod like it: {}", name, end));
    const bool is_pinned = explain::names_its_node(*pod->second) && !inputs.as_given;
    selected.push_back({is_pinned ? pod->second : unplaced(pod->second), std::nullopt, {}});
  };
  for (const auto& name : arguments.names)
    select(name, fmt::format("--pod {}: no such pod in --cluster, and no such file", name));
  for (auto& item : asked.items) {
    // A pod from a cluster exists. A pod that does not exist may name its node, and is placed there.
    if (item.pod->meta.created) item.pod = unplaced(item.pod);
    selected.push_back(std::move(item));
  }
  for (const auto& name : asked.references)
    select(name, fmt::format("spec.podRef: no pod {} in --cluster", name));

  std::set<std::string> names;
  for (const auto& item : selected) {
    const auto name = item.pod->full_name();
    if (!names.insert(name).second) problems.add(fmt::format("pod {} is to be evaluated twice", name));
  }
  std::erase_if(cluster.pods, [&](const api::PodPtr& pod) { return names.contains(pod->full_name()); });
  return selected;
}

// What api::Manifests does not hold of the cluster.
struct Others {
  offline::ByKind objects;
  std::vector<api::ResourceQuota> quotas;
  std::vector<boost::json::value> autoscalers;
};

// Also sets the status of the cluster's budgets. A dump is parsed again for them, if it has any.
Result<Others> read_others(const std::vector<api::ManifestText>& texts, const Inputs& inputs,
                           bool needs_objects, api::Manifests& cluster) {
  if (inputs.as_given) return Others();
  const auto has = [&](std::string_view kind) {
    return std::ranges::any_of(texts, [&](const auto& each) { return each.text.contains(kind); });
  };
  const bool has_budgets = !cluster.disruption_budgets.empty() || needs_objects;
  if (!has_budgets && !has("ResourceQuota") && !has(kAutoscaler)) return Others();
  auto objects = offline::objects_by_kind(texts, inputs.ns);
  if (!objects) return std::unexpected(objects.error());
  offline::count_disruptions(*objects, cluster);
  Others out;
  const auto found = objects->find(offline::kind_key("autoscaling", kAutoscaler));
  if (found != objects->end()) out.autoscalers = found->second;
  auto quotas = offline::quotas_of(*objects, cluster);
  if (!quotas) return std::unexpected(quotas.error());
  out.quotas = std::move(*quotas);
  out.objects = std::move(*objects);
  return out;
}

}  // namespace

Result<Contents> read_inputs(const Inputs& inputs) {
  Contents out;
  Problems problems;
  if (auto config = problems.value_of(load_config(inputs, out.warnings))) out.config = std::move(*config);
  const auto arguments = arguments_of(inputs.pods, inputs.ns, problems);
  std::vector<std::string> named{inputs.config};
  named.insert(named.end(), inputs.cluster.begin(), inputs.cluster.end());
  named.insert(named.end(), arguments.files.begin(), arguments.files.end());
  if (std::ranges::count(named, "-") > 1) problems.add("-: standard input can be read only once");
  const auto cluster_texts = offline::read_files(inputs.cluster, problems);
  const auto pod_texts = offline::read_files(arguments.files, problems);
  if (problems) return std::unexpected(problems.error());

  const api::ManifestOptions options{inputs.allow_unknown_fields, inputs.ns};
  Others others;
  auto cluster = api::read_manifests(cluster_texts, options, out.warnings);
  if (auto read = problems.value_of(std::move(cluster))) {
    out.cluster = std::move(*read);
    if (!inputs.as_given) offline::add_doubts(out.cluster, out.warnings);
    const bool has_budgets = std::ranges::any_of(
        pod_texts, [](const auto& each) { return each.text.contains("PodDisruptionBudget"); });
    if (auto done = problems.value_of(read_others(cluster_texts, inputs, has_budgets, out.cluster)))
      others = std::move(*done);
    out.quotas = std::move(others.quotas);
  }
  auto asked = read_asked(pod_texts, options, others.autoscalers, out.warnings, problems);
  if (problems) return std::unexpected(problems.error());
  out.asked = select_pods(inputs, arguments, asked, out, problems);
  if (problems) return std::unexpected(problems.error());
  merge_into(out.cluster, std::move(asked.others));
  if (!inputs.as_given) offline::count_disruptions(others.objects, out.cluster);
  return out;
}

}  // namespace podium::evaluate
