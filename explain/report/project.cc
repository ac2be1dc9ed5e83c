#include "explain/report/project.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "api/values/device.h"
#include "api/values/drained_pod.h"
#include "api/values/objects.h"
#include "explain/report/each_field.h"
#include "explain/report/pinned_node.h"
#include "explain/report/reason_words.h"
#include "explain/report/state_taints.h"
#include "scheduler/plugins/node_resources/shortfall.h"
#include "scheduler/plugins/shared/node_selector.h"
#include "scheduler/plugins/shared/unmet.h"
#include "scheduler/plugins/shared/untolerated.h"
#include "scheduler/plugins/volumes/volumes_apart.h"

namespace podium::explain {
namespace {

constexpr std::size_t kTopNodes = bound_of(&ReportStatus::top_nodes).items,
                      kStrategyNodes = bound_of(&ReportStrategy::top_nodes).items,
                      kRejections = bound_of(&ReportStatus::rejections).items,
                      kExamples = bound_of(&ReportRejection::examples).items,
                      kGates = bound_of(&ReportStatus::scheduling_gates).items,
                      kDevices = bound_of(&ReportStatus::devices).items,
                      kDeviceRequests = bound_of(&ReportRejection::devices).items,
                      kTaints = bound_of(&ReportRejection::taints).items,
                      kPlaces = bound_of(&VolumePlace::values).items;
constexpr std::size_t kMessageBytes = bound_of(&ReportStatus::message).bytes,
                      kReasonBytes = bound_of(&ReportRejection::reason).bytes, kPartBytes = 512,
                      kValueBytes = 253, kLabelBytes = bound_of(&NearToleration::key).bytes;

std::vector<NodeScore> named(const std::vector<framework::Ranked>& ranked,
                             const cluster::Snapshot& snapshot) {
  std::vector<NodeScore> out;
  out.reserve(ranked.size());
  for (const auto& [row, score] : ranked) out.push_back({std::string(snapshot.node_name(row)), score});
  return out;
}

template <typename T>
std::vector<T> first(const std::vector<T>& all, std::size_t most) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most))};
}

// Puts the chosen node first. `best` has the best nodes, or is empty.
void choice_first(const framework::Decision& decision, std::vector<framework::Ranked>& best) {
  if (best.empty()) return;
  const auto chosen = *decision.choice;
  auto at = std::ranges::find(best, chosen, &framework::Ranked::row);
  if (at == best.end()) {
    at = std::prev(best.end());  // makes room in a full list: a feasible node that is not in it
    *at = {chosen, decision.total[chosen]};
  }
  std::rotate(best.begin(), at, std::next(at));
}

// If all nodes of a full list are tied, the runner-up replaces the last one: the margin is the
// lead over the runner-up.
void keep_runner_up(const framework::Decision& decision, const cluster::Snapshot& snapshot,
                    std::vector<framework::Ranked>& best) {
  if (best.size() < kTopNodes || best.size() < 2 || best.back().score < best.front().score) return;
  if (const auto other = framework::best_below(best.front().score, decision, snapshot)) best.back() = *other;
}

void project_scores(const framework::Decision& decision, const cluster::Snapshot& snapshot,
                    ReportStatus& status) {
  auto& choice = status.choice.emplace();
  choice.node = std::string(snapshot.node_name(*decision.choice));
  auto best = framework::top_total(decision, snapshot, kTopNodes);
  if (const auto lead = framework::lead_of(decision, best)) {
    choice.score = decision.total[*decision.choice];
    choice.tied_nodes = lead->tied;
    choice.margin = lead->margin;
  }
  choice_first(decision, best);
  keep_runner_up(decision, snapshot, best);
  for (const auto& [row, score] : best) {
    auto& top = status.top_nodes.emplace_back(std::string(snapshot.node_name(row)), score);
    top.strategy_scores.reserve(decision.strategies.size());
    for (const auto& strategy : decision.strategies) top.strategy_scores.push_back(strategy.at(row));
  }
  status.strategies.reserve(decision.strategies.size());
  for (std::size_t i = 0; i < decision.strategies.size(); ++i) {
    const auto& s = decision.strategies[i];
    auto& strategy = status.strategies.emplace_back(
        s.name, s.weight, named(framework::top_of(s, decision, snapshot, kStrategyNodes), snapshot));
    if (const auto winner = framework::winner_without(i, decision, snapshot))
      strategy.without.emplace(std::string(snapshot.node_name(winner->row)), winner->score);
  }
}

std::vector<UnmetPart> unmet_parts(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot) {
  std::vector<UnmetPart> out;
  for (auto& part : plugins::selector_parts(*pod.pod, snapshot)) {
    for (auto& value : part.values) value = cut(std::move(value), kValueBytes);
    out.push_back({from_text(part.from), cut(std::move(part.text), kPartBytes), part.nodes,
                   std::move(part.values), part.values_total, cut(std::move(part.missing_node), kValueBytes),
                   std::move(part.missing_key), std::move(part.near)});
  }
  return out;
}

// If no node has the resource: those with a similar name.
std::vector<std::string> similar_resources(const std::string& resource, const cluster::Snapshot& snapshot) {
  const auto* column = snapshot.scalar(resource);
  if (!resource.contains('/') || (column && column->nodes > 0)) return {};
  auto names = snapshot.resources_of_nodes();
  std::erase_if(names, [](const std::string& name) { return !name.contains('/'); });
  return plugins::resembling(resource, names);
}

// The names of the cluster's classes that resemble the missing one.
template <typename Class>
std::vector<std::string> similar_classes(std::string_view missing, const cluster::Snapshot& snapshot) {
  std::vector<std::string> names;
  for (const auto& [_, each] : snapshot.objects().all<Class>()) names.push_back(each->meta.name);
  return plugins::resembling(missing, names);
}

// If no node has the label: those with a similar key.
std::vector<std::string> similar_keys(std::string_view key, const cluster::Snapshot& snapshot) {
  if (key.empty() || snapshot.labels().find(key)) return {};
  return plugins::similar_labels(key, snapshot);
}

// Podium never proposes to tolerate a state.
bool reserves_node(const api::Taint& taint) { return !is_of_state(taint); }

std::optional<NearToleration> near_of(std::optional<plugins::MissedToleration> missed) {
  if (!missed) return std::nullopt;
  using enum plugins::MissedToleration::Part;
  return NearToleration{.part = missed->part == value    ? "value"
                                : missed->part == effect ? "effect"
                                                         : "key",
                        .key = cut(std::move(missed->key), kLabelBytes),
                        .has = cut(std::move(missed->has), kLabelBytes),
                        .taint_has = cut(std::move(missed->taint_has), kLabelBytes)};
}

VolumePlace place_of(plugins::PlacedVolume volume) {
  VolumePlace out{volume.claim, volume.volume, volume.key, first(volume.values, kPlaces)};
  for (auto& value : out.values) value = cut(std::move(value), kValueBytes);
  return out;
}

std::vector<VolumePlace> places_apart(const api::Pod& pod, const cluster::Snapshot& snapshot) {
  auto apart = plugins::volumes_apart(pod, snapshot);
  if (!apart) return {};
  return {place_of(std::move(apart->first)), place_of(std::move(apart->second))};
}

// Details that the reason's text does not have. `nodes` have the reason.
void add_details(const framework::Reason& reason, std::size_t nodes, const cluster::PodInfo& pod,
                 const framework::Decision& decision, const cluster::Snapshot& snapshot,
                 const std::vector<plugins::Shortfall>& shortfalls, ReportRejection& rejection) {
  using enum framework::ReasonCode;
  using framework::Topic, framework::named;
  switch (reason.code) {
    case insufficient_resource:
    case too_many_pods: {
      const auto lacks = std::ranges::find(shortfalls, reason.text, &plugins::Shortfall::reason);
      if (lacks != shortfalls.end())
        rejection.shortfall.emplace(lacks->resource, lacks->least, lacks->node, lacks->nodes_without,
                                    similar_resources(lacks->resource, snapshot));
      return;
    }
    case untolerated_taint: {
      auto taints = plugins::untolerated_taints(pod, decision, snapshot);
      // Those of the kind that keeps away more nodes: main_rejection() judges the group by the first one. A
      // toleration of a state would not help, so that comes last on a tie.
      const auto by_state = plugins::nodes_kept_away_only_by(is_of_state, pod, decision, snapshot);
      const bool is_of_states = 2 * by_state > nodes;
      std::ranges::stable_partition(taints, [&](const std::string& taint) {
        return state_of_taint_text(taint).empty() != is_of_states;
      });
      rejection.taints_total = taints.size();
      rejection.taints = first(taints, kTaints);
      rejection.near_toleration = near_of(plugins::missed_toleration(reserves_node, pod, decision, snapshot));
      return;
    }
    case insufficient_devices:
      rejection.devices = first(decision.facts.tallies, kDeviceRequests);
      return;
    case volume_affinity_mismatch:
    case volume_zone_mismatch:
      if (!decision.fits()) rejection.apart = places_apart(*pod.pod, snapshot);
      return;
    case node_not_found:
    case node_selector_mismatch:
      if (!decision.fits()) rejection.parts = unmet_parts(pod, snapshot);
      return;
    case claim_class_not_found:
    case storage_class_not_found:
      rejection.similar =
          similar_classes<api::StorageClass>(named(reason.about, Topic::storage_class), snapshot);
      return;
    case device_class_not_found:
      rejection.similar =
          similar_classes<api::DeviceClass>(named(reason.about, Topic::device_class), snapshot);
      return;
    case affinity_label_missing:
    case topology_label_missing:
      rejection.similar = similar_keys(named(reason.about, Topic::label), snapshot);
      return;
    default:
      return;
  }
}

// Whether the pod's selector, its tolerations and its requests would allow a node without its cordon. There
// may be as many cordoned nodes as terms and tolerations, so these are compiled once.
class WithoutCordon {
 public:
  WithoutCordon(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot)
      : pod_(pod),
        snapshot_(snapshot),
        selected_(plugins::selected_nodes(*pod.pod, snapshot)),
        untolerated_(*pod.pod) {}

  bool takes_pod(cluster::Row row) const {
    const auto is_of_cordon = [](const std::string& taint) {
      return taint.starts_with("node.kubernetes.io/unschedulable:");
    };
    return selected_.test(row) && plugins::has_room(pod_, row, snapshot_) &&
           std::ranges::all_of(untolerated_.on(snapshot_, row), is_of_cordon);
  }

 private:
  const cluster::PodInfo& pod_;
  const cluster::Snapshot& snapshot_;
  const cluster::NodeMask selected_;
  const plugins::Untolerated untolerated_;
};

// A cordon is easily undone, so this reason leads only if a cordoned node would then take the pod.
void put_vain_cordons_last(const cluster::PodInfo& pod, const framework::Decision& decision,
                           const cluster::Snapshot& snapshot,
                           std::vector<framework::RejectionGroup>& groups) {
  const auto is_cordon = [](const framework::Reason& reason) {
    return reason.code == framework::ReasonCode::node_unschedulable;
  };
  const auto cordons =
      std::ranges::find_if(groups, [&](const auto& group) { return is_cordon(group.reason); });
  if (groups.size() < 2 || cordons == groups.end()) return;
  const WithoutCordon without(pod, snapshot);
  bool helps = false;
  snapshot.present().each([&](cluster::Row row) {
    const auto id = decision.rejections.id(row);
    if (helps || id == framework::kFits) return;
    const auto& reasons = decision.rejections.verdict(id).reasons;
    helps = std::ranges::any_of(reasons, is_cordon) && without.takes_pod(row);
  });
  if (!helps) std::rotate(cordons, std::next(cordons), groups.end());
}

// The reason of the nodes that the pod names comes before that it does not name the others.
void put_excluded_last(std::vector<framework::RejectionGroup>& groups) {
  std::ranges::stable_partition(groups, [](const framework::RejectionGroup& group) {
    return group.reason.code != framework::ReasonCode::excluded_by_name;
  });
}

void project_rejections(const cluster::PodInfo& pod, const framework::Decision& decision,
                        const cluster::Snapshot& snapshot, ReportStatus& status) {
  auto groups = framework::group_rejections(decision, snapshot, kExamples);
  status.rejections_total = groups.size();
  if (groups.empty()) return;
  const auto shortfalls = plugins::shortfalls(pod, decision, snapshot);
  put_vain_cordons_last(pod, decision, snapshot, groups);
  put_excluded_last(groups);
  groups.resize(std::min(groups.size(), kRejections));
  for (auto& group : groups) {
    auto& rejection = status.rejections.emplace_back();
    const auto& reason = group.reason;
    rejection.code = framework::row_of(reason.code).name;
    rejection.about = about_of(reason);
    add_details(reason, group.nodes, pod, decision, snapshot, shortfalls, rejection);
    rejection.plugin = std::move(group.plugin);
    rejection.reason = cut(std::move(group.reason.text), kReasonBytes);
    rejection.nodes = group.nodes;
    rejection.preemption_may_help = group.preemption_may_help;
    rejection.examples = std::move(group.examples);
  }
}

// No node was evaluated: the reasons are about the pod.
void project_gate(const framework::Verdict& gate, std::size_t nodes, ReportStatus& status) {
  status.rejections_total = gate.reasons.size();
  for (const auto& reason : first(gate.reasons, kRejections))
    status.rejections.push_back({.plugin = gate.plugin,
                                 .code = std::string(framework::row_of(reason.code).name),
                                 .reason = cut(reason.text, kReasonBytes),
                                 .nodes = nodes,
                                 .about = about_of(reason)});
}

std::optional<PodBefore> pod_before(const api::Pod& pod, const cluster::Snapshot& snapshot) {
  if (!api::is_of_daemon_set(pod)) return std::nullopt;
  const auto* owner = pod.meta.controller();
  const auto node = pinned_node(pod);
  const auto row = node.empty() ? std::nullopt : snapshot.find_row(node);
  if (!row) return std::nullopt;
  for (const auto& other : snapshot.entry(*row).pods) {
    const auto* of_other = other->pod->meta.controller();
    if (!of_other || of_other->kind != owner->kind || of_other->name != owner->name ||
        of_other->uid != owner->uid || other->pod->meta.namespace_ != pod.meta.namespace_ ||
        other->pod->meta.name == pod.meta.name)
      continue;
    return PodBefore{other->pod->meta.name, std::string(node), other->pod->meta.deleted.has_value()};
  }
  return std::nullopt;
}

// Those of the pod's namespace come first: a what-if names no others.
std::vector<NamespacedName> violated_budgets(const framework::Preemption& preemption, const std::string& ns) {
  std::set<std::tuple<bool, std::string_view, std::string_view>> found;
  for (const auto& [_, budget] : preemption.violated)
    found.emplace(budget->meta.namespace_ != ns, budget->meta.namespace_, budget->meta.name);
  std::vector<NamespacedName> out;
  for (const auto& [is_other, of, name] : found) out.push_back({std::string(of), std::string(name)});
  return out;
}

std::string words_of(const framework::Reason& reason) {
  const auto cause = cause_of(reason);
  return reason_words(cause.code, cause.about, reason.text);
}

}  // namespace

std::optional<NearToleration> near_toleration(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot,
                                              cluster::Row row) {
  return near_of(plugins::missed_toleration(reserves_node, pod, snapshot, row));
}

const char* from_text(plugins::SelectorPart::From from) {
  using enum plugins::SelectorPart::From;
  switch (from) {
    case node_name:
      return "nodeName";
    case node_selector:
      return "nodeSelector";
    case node_affinity:
      return "nodeAffinity";
    case node_affinity_term:
      return kOneOfSeveralTerms;
  }
  return "";
}

ReportStatus project(const cluster::PodInfo& pod, const framework::Decision& decision,
                     const cluster::Snapshot& snapshot) {
  ReportStatus status;
  status.node_counts = {decision.node_count, decision.evaluated, decision.feasible.count()};
  status.message = cut(decision.error.empty() ? decision.message : decision.error, kMessageBytes);
  status.pods_version = snapshot.pods_version();
  if (decision.fits()) project_scores(decision, snapshot, status);
  if (pod->terminating())
    project_gate(
        {"", framework::Code::unschedulable, {framework::Reason(framework::ReasonCode::pod_deleted)}},
        decision.node_count, status);
  else if (decision.pre_enqueue)
    project_gate(*decision.pre_enqueue, decision.node_count, status);
  else
    project_rejections(pod, decision, snapshot, status);
  if (!decision.fits()) status.replaces = pod_before(*pod.pod, snapshot);
  status.devices = first(decision.facts.devices, kDevices);
  status.devices_total = decision.facts.devices.size();
  if (decision.no_preemption) status.no_preemption = framework::row_of(*decision.no_preemption).name;
  if (decision.preemption) {
    auto& preempted = status.preemption.emplace();
    preempted.node = decision.preemption->node;
    preempted.total = decision.preemption->victims.size();
    preempted.static_pods = static_cast<std::size_t>(std::ranges::count_if(
        decision.preemption->victims, [](const auto& victim) { return api::is_static(*victim->pod); }));
    for (const auto& victim : decision.preemption->victims) {
      if (preempted.victims.size() == kVictims) break;
      preempted.victims.push_back({victim->pod->meta.namespace_, victim->pod->meta.name});
    }
    const auto budgets = violated_budgets(*decision.preemption, pod->meta.namespace_);
    preempted.violated_budgets = first(budgets, kViolatedBudgets);
    preempted.violated_budgets_total = budgets.size();
  }
  return status;
}

std::vector<std::string> gates_of(const cluster::PodInfo& pod, const framework::Verdict& gate) {
  if (!pod->scheduling_gates.empty()) return first<std::string>(pod->scheduling_gates, kGates);
  std::vector<std::string> words;
  for (const auto& reason : gate.reasons) words.push_back(words_of(reason));
  return {cut(fmt::format("{}: {}", gate.plugin, fmt::join(words, ", ")), kReasonBytes)};
}

ReportStatus project_gated(const cluster::PodInfo& pod, const framework::Verdict& gate) {
  ReportStatus status;
  status.outcome = kGated;
  status.profile = pod->scheduler_name;
  const auto& gates = pod->scheduling_gates;
  status.scheduling_gates = first<std::string>(gates, kGates);
  auto message = gates.empty() ? "waits for " + gates_of(pod, gate).front()
                 : gates.size() == 1
                     ? "waits for its scheduling gate: " + gates.front()
                     : fmt::format("waits for {} scheduling gates: {}", gates.size(), fmt::join(gates, ", "));
  status.message = cut(std::move(message), kMessageBytes);
  return status;
}

void set_binding(ReportStatus& status, const framework::Reason& wait) {
  status.outcome = kBinding;
  status.message = cut(words_of(wait), kMessageBytes);
}

}  // namespace podium::explain
