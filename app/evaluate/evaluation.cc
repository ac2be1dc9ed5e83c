#include "app/evaluate/evaluation.h"

#include <fmt/format.h>
#include <algorithm>

#include "api/admission.h"
#include "app/evaluate/asked.h"
#include "app/evaluate/missing_kinds.h"
#include "base/clock.h"
#include "base/problems.h"
#include "scheduler/framework/placement.h"

namespace podium::evaluate {
namespace {

using api::Manifests;

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
  auto contents = read_inputs(inputs, replicas);
  if (!contents) return std::unexpected(contents.error());
  auto& [config, objects, pods, warnings] = *contents;
  if (auto admitted = api::admit(objects, pods); !admitted) return std::unexpected(admitted.error());
  for (auto& line : missing_kinds(objects, pods)) warnings.push_back(std::move(line));

  Prepared prepared{.config = std::move(config), .snapshot = {}, .pods = {}, .warnings = std::move(warnings)};
  const auto rules = framework::request_rules(prepared.config.features);
  prepared.snapshot = to_snapshot(std::move(objects), rules);
  Problems problems;
  for (const auto& pod : pods) {
    const auto* profile = prepared.config.profile(pod->scheduler_name);
    if (!profile) {
      problems.add(fmt::format("pod {}: profile not found for scheduler name \"{}\"", pod->full_name(),
                               pod->scheduler_name));
      continue;
    }
    prepared.pods.push_back({cluster::make_pod_info(pod, rules), profile});
  }
  if (problems) return std::unexpected(problems.error());
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
