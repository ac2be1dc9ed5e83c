#include "scheduler/plugins/pod_topology_spread/pod_topology_spread.h"

#include <algorithm>

#include "api/decode/decode.h"
#include "api/values/tolerations.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/arg_names.h"
#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"
#include "scheduler/plugins/shared/node_selector.h"

namespace podium::plugins {
namespace {

using api::Workload;

std::vector<api::TopologySpreadConstraint> system_default_constraints() {
  api::TopologySpreadConstraint hostname, zone;
  hostname.topology_key = api::label::hostname;
  hostname.max_skew = 3;
  hostname.do_not_schedule = false;
  zone.topology_key = api::label::zone;
  zone.max_skew = 5;
  zone.do_not_schedule = false;
  return {hostname, zone};
}

bool has_all_keys(const api::Labels& node_labels, const std::vector<SpreadConstraint>& constraints) {
  return std::ranges::all_of(constraints,
                             [&](const auto& each) { return node_labels.contains(each.topology_key); });
}

// True for the rejected pod itself, and for assigned or nominated pods in its namespace.
bool is_involved(const api::Pod& changed, const api::Pod& rejected) {
  if (changed.meta.uid == rejected.meta.uid) return true;
  if (changed.node_name.empty() && changed.nominated_node.empty()) return false;
  return changed.meta.namespace_ == rejected.meta.namespace_;
}

// The taint sets with a NoSchedule or NoExecute taint that the pod does not tolerate.
IdSet untolerated_sets(const api::Pod& pod, const cluster::Snapshot& snapshot, bool comparison) {
  const auto sets = snapshot.taint_sets();
  const api::Tolerations tolerations(pod.tolerations, comparison);
  IdSet untolerated(sets.size());
  for (std::uint32_t id = 0; id < sets.size(); ++id) {
    const bool out = std::ranges::any_of(
        sets[id].taints, [&](const auto& taint) { return tolerations.are_kept_away_by(taint); });
    if (sets[id].nodes > 0 && out) untolerated.insert(id);
  }
  return untolerated;
}

std::optional<cluster::NodeMask> included_nodes(const SpreadConstraint& constraint, const api::Pod& pod,
                                                const cluster::Snapshot& snapshot) {
  std::optional<RequiredNodeAffinity> affinity;
  if (constraint.honor_node_affinity) affinity.emplace(pod, snapshot);
  if (affinity && affinity->selects_all()) affinity.reset();
  std::optional<IdSet> untolerated;
  if (constraint.honor_node_taints) untolerated = untolerated_sets(pod, snapshot, constraint.comparison);
  if (untolerated && untolerated->empty()) untolerated.reset();
  if (!affinity && !untolerated) return std::nullopt;

  auto nodes = snapshot.present();
  for (std::size_t chunk = 0; chunk < snapshot.chunks(); ++chunk) {
    ChunkWords rows;
    rows.fill(~std::uint64_t{0});
    if (affinity) affinity->narrow(chunk, rows);
    const auto out = untolerated ? untolerated->match(snapshot.taint_set.chunk(chunk)) : ChunkWords{};
    for (std::size_t w = 0; w < kChunkWords; ++w) nodes.word(chunk * kChunkWords + w) &= rows[w] & ~out[w];
  }
  return nodes;
}

}  // namespace

const std::optional<cluster::NodeMask>& IncludedNodes::of(const SpreadConstraint& constraint) {
  const auto policies = (constraint.honor_node_affinity ? 1U : 0U) + (constraint.honor_node_taints ? 2U : 0U);
  auto& known = known_[policies];
  if (!known) known.emplace(included_nodes(constraint, pod_, snapshot_));
  return *known;
}

Selector default_spread_selector(const api::Pod& pod, const cluster::Snapshot& snapshot) {
  api::Labels merged;
  const auto merge = [&](const api::Labels& labels) {
    for (const auto& [key, value] : labels) merged.set(key, value);
  };
  const auto& workloads = snapshot.objects().workloads();
  const auto& ns = pod.meta.namespace_;
  for (auto it = workloads.lower_bound({ns, Workload::Kind::service, ""});
       it != workloads.end() && std::get<0>(it->first) == ns &&
       std::get<1>(it->first) == Workload::Kind::service;
       ++it) {
    const auto& selector = it->second->selector;
    if (selector && selector->matches(pod.meta.labels)) merge(selector->match_labels);
  }

  const api::LabelSelector* requirements = nullptr;
  if (const auto* owner = pod.meta.controller()) {
    const auto find = [&](Workload::Kind kind) -> const api::LabelSelector* {
      const auto it = workloads.find({ns, kind, owner->name});
      return it != workloads.end() && it->second->selector ? &*it->second->selector : nullptr;
    };
    if (owner->api_version == "v1" && owner->kind == "ReplicationController") {
      if (const auto* selector = find(Workload::Kind::replication_controller)) merge(selector->match_labels);
    } else if (owner->api_version == "apps/v1" && owner->kind == "ReplicaSet") {
      requirements = find(Workload::Kind::replica_set);
    } else if (owner->api_version == "apps/v1" && owner->kind == "StatefulSet") {
      requirements = find(Workload::Kind::stateful_set);
    }
  }

  if (merged.empty() && requirements) return Selector(*requirements);  // shares its labels
  Selector result;
  result.add(std::vector<api::Labels::Entry>(merged.begin(), merged.end()));
  if (requirements) result.add(*requirements);
  return result;
}

std::vector<const cluster::PodClass*> counted_classes(const SpreadConstraint& constraint, std::string_view ns,
                                                      const cluster::Snapshot& snapshot) {
  std::vector<const cluster::PodClass*> classes;
  if (!constraint.selector.everything()) {
    constraint.selector.each_match(snapshot.pod_classes(), ns,
                                   [&](const cluster::PodClass& pods) { classes.push_back(&pods); });
  }
  return classes;
}

std::vector<SpreadConstraint> PodTopologySpread::select(
    const std::vector<api::TopologySpreadConstraint>& from, const api::Labels& pod_labels,
    bool do_not_schedule) const {
  std::vector<SpreadConstraint> result;
  for (const auto& each : from) {
    if (each.do_not_schedule != do_not_schedule) continue;
    SpreadConstraint& constraint = result.emplace_back();
    constraint.max_skew = each.max_skew;
    constraint.min_domains = each.min_domains.value_or(1);
    constraint.topology_key = each.topology_key;
    constraint.selector = Selector(each.label_selector);
    if (features_.match_label_keys_in_pod_topology_spread) {
      std::vector<api::Labels::Entry> same;
      for (const auto& key : each.match_label_keys) {
        if (const auto* value = pod_labels.find(key)) same.emplace_back(key, *value);
      }
      constraint.selector.add(std::move(same));
    }
    constraint.honor_node_affinity = each.honor_node_affinity;
    constraint.honor_node_taints = each.honor_node_taints;
    constraint.comparison = features_.taint_toleration_comparison_operators;
  }
  return result;
}

std::vector<SpreadConstraint> PodTopologySpread::constraints(const api::Pod& pod,
                                                             const cluster::Snapshot& snapshot,
                                                             bool do_not_schedule) const {
  if (!pod.topology_spread.empty()) return select(pod.topology_spread, pod.meta.labels, do_not_schedule);
  auto result = select(defaults_, pod.meta.labels, do_not_schedule);
  if (result.empty()) return result;
  const auto selector = default_spread_selector(pod, snapshot);
  if (selector.everything()) return {};
  for (auto& each : result) each.selector = selector;
  return result;
}

// Source: plugin.go EventsToRegister, isSchedulableAfter….
std::vector<framework::EventHint> PodTopologySpread::hints() const {
  using namespace framework;
  std::vector<EventHint> hints;
  const auto pod_helps = [this](const cluster::PodInfo& rejected, const ClusterEvent& event,
                                const cluster::Snapshot& snapshot) {
    return helps_after_pod_change(*rejected, object_before<api::Pod>(event), object_after<api::Pod>(event),
                                  snapshot);
  };
  hints.push_back({EventResource::assigned_pod, kAdd | kDelete | kUpdatePodLabel, pod_helps});
  const auto own_change_helps = [this](const cluster::PodInfo& rejected, const ClusterEvent& event,
                                       const cluster::Snapshot& snapshot) {
    const auto* before = object_before<api::Pod>(event);
    const auto* after = object_after<api::Pod>(event);
    return !before || !after || helps_after_own_change(*rejected, *before, *after, snapshot);
  };
  hints.push_back({EventResource::target_pod, kUpdatePodLabel | kUpdatePodTolerations, own_change_helps});
  hints.push_back({EventResource::node, kAdd | kDelete | kUpdateNodeLabel | kUpdateNodeTaint,
                   [this](const cluster::PodInfo& rejected, const ClusterEvent& event,
                          const cluster::Snapshot& snapshot) {
                     return helps_after_node_change(*rejected, object_before<api::Node>(event),
                                                    object_after<api::Node>(event), snapshot);
                   }});
  return hints;
}

bool PodTopologySpread::helps_after_pod_change(const api::Pod& rejected, const api::Pod* before,
                                               const api::Pod* after,
                                               const cluster::Snapshot& snapshot) const {
  for (const auto* changed : {before, after}) {
    if (changed && !is_involved(*changed, rejected)) return false;
  }
  if (!before && !after) return true;
  const auto hard = constraints(rejected, snapshot, true);
  const auto any = [&](auto&& holds) { return std::ranges::any_of(hard, holds); };
  if (before && after) {
    return any([&](const auto& each) {
      return each.selector.matches(before->meta.labels) != each.selector.matches(after->meta.labels);
    });
  }
  return any([&](const auto& each) { return each.selector.matches((after ? after : before)->meta.labels); });
}

bool PodTopologySpread::helps_after_own_change(const api::Pod& rejected, const api::Pod& before,
                                               const api::Pod& after,
                                               const cluster::Snapshot& snapshot) const {
  return std::ranges::any_of(constraints(rejected, snapshot, true), [&](const auto& each) {
    return (each.honor_node_taints && before.tolerations != after.tolerations) ||
           each.selector.matches(before.meta.labels) != each.selector.matches(after.meta.labels);
  });
}

bool PodTopologySpread::helps_after_node_change(const api::Pod& rejected, const api::Node* before,
                                                const api::Node* after,
                                                const cluster::Snapshot& snapshot) const {
  if (!before && !after) return true;
  const auto hard = constraints(rejected, snapshot, true);
  const bool fitted = before && has_all_keys(before->meta.labels, hard);
  const bool fits = after && has_all_keys(after->meta.labels, hard);
  if (!before || !after) return fitted || fits;
  if (fitted != fits) return true;
  if (!fits) return false;
  return before->taints != after->taints || std::ranges::any_of(hard, [&](const auto& each) {
           return *before->meta.labels.find(each.topology_key) != *after->meta.labels.find(each.topology_key);
         });
}

PluginPtr make_pod_topology_spread(const boost::json::object& args, const framework::Features& features) {
  const auto* type = args.if_contains(arg_names::kDefaultingType);
  if (!type || *type == "System") {
    return std::make_shared<PodTopologySpread>(system_default_constraints(), true, features);
  }
  std::vector<api::TopologySpreadConstraint> defaults;
  if (const auto* list = args.if_contains(arg_names::kDefaultConstraints); list && list->is_array()) {
    for (const auto& each : list->get_array()) {
      auto constraint = api::decode_topology_spread_constraint(each, arg_names::kDefaultConstraints);
      if (!constraint) return nullptr;
      defaults.push_back(std::move(*constraint));
    }
  }
  return std::make_shared<PodTopologySpread>(std::move(defaults), false, features);
}

}  // namespace podium::plugins
