#include "app/evaluate/inputs.h"

#include <fmt/format.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "api/admission.h"
#include "api/manifests.h"
#include "app/evaluate/asked.h"
#include "base/clock.h"
#include "scheduler/config/config.h"
#include "scheduler/framework/placement.h"

namespace podium::evaluate {
namespace {

using api::Manifests;
using Pods = Manifests::List<api::Pod>;

Result<api::ManifestText> read_file(const std::string& file) {
  if (file == "-") return api::ManifestText{file, {std::istreambuf_iterator<char>(std::cin), {}}};
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  std::error_code error;
  if (!in || std::filesystem::is_directory(file, error)) {
    return invalid(fmt::format("{}: {}", file, errno ? std::strerror(errno) : "cannot be read"));
  }
  return api::ManifestText{file, std::move(text).str()};
}

Result<std::vector<api::ManifestText>> read_files(const std::vector<std::string>& files) {
  std::vector<api::ManifestText> texts;
  for (const auto& file : files) {
    auto text = read_file(file);
    if (!text) return std::unexpected(text.error());
    texts.push_back(std::move(*text));
  }
  return texts;
}

// The pod as if it were not placed.
api::PodPtr unplaced(const api::PodPtr& pod) {
  if (pod->node_name.empty()) return pod;
  auto copy = std::make_shared<api::Pod>(*pod);
  copy->node_name.clear();
  copy->nominated_node.clear();
  return copy;
}

// "namespace/name" of a pod that is not there. Anything else is taken for a file.
bool is_pod_name(const std::string& argument) {
  const auto slash = argument.find('/');
  return slash != std::string::npos && slash > 0 && slash + 1 < argument.size() &&
         argument.find_first_of("/.", slash + 1) == std::string::npos && argument.front() != '.';
}

// An object of a document that was converted is a text of its own, whose source has the place already.
Error with_one_place(Error error, const std::vector<api::ManifestText>& texts) {
  constexpr std::string_view kAlone = ": document 1 (line 1)";
  for (const auto& text : texts) {
    const bool converted = text.source.ends_with(')') && text.source.find(": document ") != std::string::npos;
    if (converted && error.message.starts_with(text.source + std::string(kAlone))) {
      error.message.erase(text.source.size(), kAlone.size());
      break;
    }
  }
  return error;
}

using ByName = std::map<std::string, api::PodPtr>;

// Pods of files, and what comes with them; `replicas`: as many of a workload as it has.
Result<Pods> pods_of_files(const Inputs& inputs, const std::vector<std::string>& files, bool replicas,
                           const ByName& by_name, Manifests& cluster, std::vector<std::string>& warnings) {
  const auto texts = read_files(files);
  if (!texts) return std::unexpected(texts.error());
  auto asked = read_asked(*texts, replicas);
  if (!asked) return std::unexpected(asked.error());
  warnings.insert(warnings.end(), asked->warnings.begin(), asked->warnings.end());
  auto others = api::read_manifests(asked->others, {inputs.allow_unknown_fields}, warnings);
  if (!others) return std::unexpected(with_one_place(others.error(), asked->others));
  merge_into(cluster, std::move(*others));
  auto pods = api::read_pods(asked->pods, {inputs.allow_unknown_fields});
  if (!pods) return std::unexpected(with_one_place(pods.error(), asked->pods));
  // A pod from a cluster has been created. One that was not may name its node: it goes there.
  for (auto& pod : *pods) {
    if (pod->meta.created) pod = unplaced(pod);
  }
  for (const auto& name : asked->references) {
    const auto pod = by_name.find(name);
    if (pod == by_name.end()) return invalid("spec.podRef: no pod " + name + " in --cluster");
    pods->push_back(unplaced(pod->second));
  }
  return pods;
}

// Returns the pods to evaluate, placed ones as if they were not, and removes them from the cluster's. An
// argument that is the name of a pod in the cluster selects it; any other is a file, whose pods replace
// those of the same name.
Result<Pods> select_pods(const Inputs& inputs, bool replicas, Manifests& cluster,
                         std::vector<std::string>& warnings) {
  ByName by_name;
  for (const auto& pod : cluster.pods) by_name[pod->full_name()] = pod;
  Pods selected;
  std::vector<std::string> files;
  for (const auto& argument : inputs.pods) {
    const auto pod = by_name.find(argument);
    std::error_code error;
    const bool is_file = argument == "-" || std::filesystem::exists(argument, error);
    if (pod != by_name.end() && !is_file) {
      selected.push_back(unplaced(pod->second));
    } else if (!is_file && is_pod_name(argument)) {
      return invalid(fmt::format("--pod {}: no such pod in --cluster, and no such file", argument));
    } else {
      files.push_back(argument);
    }
  }
  const auto from_files = pods_of_files(inputs, files, replicas, by_name, cluster, warnings);
  if (!from_files) return std::unexpected(from_files.error());
  selected.insert(selected.end(), from_files->begin(), from_files->end());

  std::set<std::string> names;
  for (const auto& pod : selected) {
    const auto name = pod->full_name();
    if (!names.insert(name).second) return invalid(fmt::format("pod {} is to be evaluated twice", name));
  }
  std::erase_if(cluster.pods, [&](const api::PodPtr& pod) { return names.contains(pod->full_name()); });
  return selected;
}

// Adds nodes by name and pods in the order of the input: upstream's results depend on that order.
cluster::Snapshot to_snapshot(Manifests manifests, const cluster::RequestRules& rules) {
  cluster::Snapshot snapshot;
  snapshot.set_moment({.time = system_clock().wall()});
  std::ranges::sort(manifests.nodes, {}, [](const api::NodePtr& node) { return node->meta.name; });
  for (auto& node : manifests.nodes) snapshot.set_node(std::move(node));
  for (auto& pod : manifests.pods) {
    if (!pod->node_name.empty())
      snapshot.add_pod(cluster::make_pod_info(pod, rules));
    else if (!pod->nominated_node.empty())
      snapshot.nominate(cluster::make_pod_info(pod, rules), pod->nominated_node);
  }
  auto& objects = snapshot.objects();
  const auto set_all = [&](const auto& list) {
    for (const auto& object : list) objects.set(object);
  };
  set_all(manifests.namespaces);
  set_all(manifests.priority_classes);
  set_all(manifests.disruption_budgets);
  set_all(manifests.persistent_volumes);
  set_all(manifests.persistent_volume_claims);
  set_all(manifests.storage_classes);
  set_all(manifests.csi_nodes);
  set_all(manifests.csi_drivers);
  set_all(manifests.csi_storage_capacities);
  set_all(manifests.volume_attachments);
  set_all(manifests.resource_slices);
  set_all(manifests.device_classes);
  set_all(manifests.resource_claims);
  for (const auto& workload : manifests.workloads) objects.set_workload(workload);
  return snapshot;
}

Result<config::Config> load_config(const Inputs& inputs) {
  const auto gates = config::parse_feature_gates(inputs.feature_gates);
  if (!gates) return std::unexpected(gates.error());
  const config::LoadOptions options{*gates, inputs.plugins};
  return inputs.config.empty() ? config::load("", "", options) : config::load_file(inputs.config, options);
}

std::vector<plugins::PreemptionCandidate> preemption_candidates(const cluster::PodInfo& pod,
                                                                const cluster::Snapshot& snapshot,
                                                                const framework::Profile& profile,
                                                                const framework::Decision& decision) {
  if (!decision.tried_preemption || plugins::not_eligible_to_preempt(pod, snapshot, decision)) return {};
  return plugins::dry_run_preemption(pod, snapshot, framework::Filters(pod, snapshot, profile), decision)
      .candidates;
}

bool wants_devices(const cluster::PodInfo& pod, const cluster::Objects& objects) {
  return !pod->resource_claims.empty() || std::ranges::any_of(pod.requests.scalars, [&](const auto& entry) {
    return objects.extended_classes().find(entry.first) != nullptr;
  });
}

// What Reserve puts in flight on a fork for each node.
decltype(PodResult::allocations) allocations_of(const cluster::PodInfoPtr& pod,
                                                const cluster::Snapshot& snapshot,
                                                const framework::Profile& profile,
                                                const framework::Decision& decision) {
  decltype(PodResult::allocations) out;
  if (!wants_devices(*pod, snapshot.objects())) return out;
  decision.feasible.each([&](cluster::Row row) {
    auto fork = snapshot;
    if (framework::place(pod, row, profile, fork)) return;
    for (const auto& [uid, claim] : fork.objects().claims_in_flight())
      out[std::string(snapshot.node_name(row))].push_back(claim);
  });
  return out;
}

// The contents of all input files, admitted.
struct Prepared {
  struct Asked {
    cluster::PodInfoPtr pod;
    const framework::Profile* profile;  // of the configuration
  };
  config::Config config;
  cluster::Snapshot snapshot;
  std::vector<Asked> pods;  // to evaluate, in the order of the input
  std::vector<std::string> warnings;
};

Result<Prepared> prepare(const Inputs& inputs, bool replicas) {
  auto config = load_config(inputs);
  if (!config) return std::unexpected(config.error());
  Prepared prepared{.config = std::move(*config)};
  prepared.warnings = prepared.config.warnings;
  for (const auto& extender : prepared.config.extenders) {
    prepared.warnings.push_back(
        fmt::format("extender {} is not called: podium evaluate works offline", extender.url_prefix));
  }

  const auto texts = read_files(inputs.cluster);
  if (!texts) return std::unexpected(texts.error());
  auto manifests = api::read_manifests(*texts, {inputs.allow_unknown_fields}, prepared.warnings);
  if (!manifests) return std::unexpected(manifests.error());
  auto pods = select_pods(inputs, replicas, *manifests, prepared.warnings);
  if (!pods) return std::unexpected(pods.error());
  if (auto admitted = api::admit(*manifests, *pods); !admitted) return std::unexpected(admitted.error());
  for (auto& line : missing_kinds(*manifests, *pods)) prepared.warnings.push_back(std::move(line));

  const auto rules = framework::request_rules(prepared.config.features);
  prepared.snapshot = to_snapshot(std::move(*manifests), rules);
  for (const auto& pod : *pods) {
    const auto* profile = prepared.config.profile(pod->scheduler_name);
    if (!profile) {
      return invalid(fmt::format("pod {}: profile not found for scheduler name \"{}\"", pod->full_name(),
                                 pod->scheduler_name));
    }
    prepared.pods.push_back({cluster::make_pod_info(pod, rules), profile});
  }
  return prepared;
}

// `start`: node index at which the search starts; updated for the next pod.
PlacedPod place(const Prepared::Asked& asked, cluster::Snapshot& snapshot, std::size_t& start) {
  const auto decision = framework::evaluate(*asked.pod, snapshot, *asked.profile, start);
  start = decision.next_start;
  PlacedPod placed{.pod = asked.pod->pod->full_name(),
                   .nodes = decision.node_count,
                   // After an error no node is feasible, as in kube-scheduler.
                   .feasible = decision.error.empty() ? decision.feasible.count() : 0,
                   .message = decision.error.empty() ? decision.message : decision.error};
  if (!decision.fits()) return placed;
  const auto row = *decision.choice;
  if (const auto refused = framework::place(asked.pod, row, *asked.profile, snapshot)) {
    placed.message = refused->message("Reserve");
  } else {
    placed.node = snapshot.node_name(row);
    if (!decision.total.empty()) placed.score = decision.total[row];
  }
  return placed;
}

}  // namespace

Result<Evaluation> evaluate_files(const Inputs& inputs) {
  auto prepared = prepare(inputs, false);
  if (!prepared) return std::unexpected(prepared.error());
  Evaluation evaluation{.snapshot = std::move(prepared->snapshot), .warnings = std::move(prepared->warnings)};
  for (auto& [pod, profile] : prepared->pods) {
    PodResult result{.pod = pod, .profile = profile->scheduler_name};
    result.decision = framework::evaluate(*pod, evaluation.snapshot, *profile);
    result.allocations = allocations_of(pod, evaluation.snapshot, *profile, result.decision);
    if (inputs.preemption_candidates) {
      result.candidates = preemption_candidates(*pod, evaluation.snapshot, *profile, result.decision);
    }
    evaluation.results.push_back(std::move(result));
  }
  return evaluation;
}

Result<Placements> place_files(const Inputs& inputs) {
  auto prepared = prepare(inputs, true);
  if (!prepared) return std::unexpected(prepared.error());
  Placements placements{.warnings = std::move(prepared->warnings)};
  std::size_t start = 0;
  for (const auto& asked : prepared->pods) placements.pods.push_back(place(asked, prepared->snapshot, start));
  return placements;
}

}  // namespace podium::evaluate
