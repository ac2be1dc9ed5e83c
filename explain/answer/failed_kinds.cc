#include "explain/answer/failed_kinds.h"

#include <algorithm>
#include <tuple>

#include "scheduler/framework/events.h"
#include "scheduler/framework/profile.h"
#include "scheduler/plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "scheduler/plugins/pod_topology_spread/pod_topology_spread.h"

namespace podium::explain {
namespace {

bool has_claims(const api::Pod& pod) { return has_read_volume(pod) || !pod.resource_claims.empty(); }

}  // namespace

// Whether an additional pod on a node may change what the plugin says.
bool FailedKinds::listens(const framework::Profile& profile, const std::string& plugin) {
  const auto [known, is_new] = listens_.try_emplace({&profile, plugin}, true);
  if (!is_new) return known->second;
  const framework::ClusterEvent placed{framework::EventResource::assigned_pod, framework::kAdd, {}, {}};
  for (const auto* list : {&profile.pre_filters, &profile.filters}) {
    for (const auto& entry : *list) {
      if (!entry.plugin || entry.name != plugin) continue;
      const auto hints = entry.plugin->hints();
      return known->second =
                 std::ranges::any_of(hints, [&](const auto& hint) { return hint.matches(placed); });
    }
  }
  return true;
}

void FailedKinds::add(const Waiter& waiter, const framework::Decision& decision) {
  const auto& pod = *waiter.pod->pod;
  auto& failure = failures_[waiter.kind];
  failure = {.pod = &pod, .number = failure.number + 1};
  const Filed filed{waiter.kind, failure.number};
  const auto& rejecting = decision.unschedulable_plugins;
  if (decision.choice || !decision.error.empty() || rejecting.empty()) return any_.push_back(filed);
  if (has_claims(pod)) with_claims_.push_back(filed);
  for (const auto& plugin : rejecting) {
    if (!listens(*waiter.profile, plugin)) continue;
    if (plugin == plugins::InterPodAffinity::kName) {
      // A pod that helps matches all terms.
      failure.by_affinity = !pod.pod_affinity.required.empty();
      if (failure.by_affinity) file(pod.pod_affinity.required.front().label_selector, filed);
    } else if (plugin == plugins::PodTopologySpread::kName && !pod.topology_spread.empty()) {
      failure.by_spread = true;
      for (const auto& constraint : pod.topology_spread) {
        if (constraint.do_not_schedule) file(constraint.label_selector, filed);
      }
    } else {
      any_.push_back(filed);
    }
  }
}

// Files it under a label with a value that the selector requires.
void FailedKinds::file(const std::optional<api::LabelSelector>& selector, const Filed& filed) {
  if (!selector) return;  // it selects nothing
  if (!selector->match_labels.empty()) {
    const auto& [key, value] = *selector->match_labels.begin();
    return by_label_[{key, value}].push_back(filed);
  }
  constexpr std::size_t kMostValues = 16;
  for (const auto& requirement : selector->match_expressions) {
    if (requirement.op != api::Requirement::Op::in || requirement.values.size() > kMostValues) continue;
    for (const auto& value : requirement.values) by_label_[{requirement.key, value}].push_back(filed);
    return;
  }
  by_no_label_.push_back(filed);
}

bool FailedKinds::is_here(const Filed& filed) const {
  const auto& failure = failures_[filed.kind];
  return failure.pod && failure.number == filed.number;
}

bool FailedKinds::is_selected(const api::Pod& placed, const cluster::Snapshot& fork, Failure& failure) const {
  const auto& pod = *failure.pod;
  const auto& [ns, labels] = std::tie(placed.meta.namespace_, placed.meta.labels);
  if (failure.by_affinity) {
    if (!failure.terms) failure.terms = plugins::incoming_terms(pod.pod_affinity.required, pod, fork);
    if (plugins::matches_all(*failure.terms, ns, labels)) return true;
  }
  return failure.by_spread && ns == pod.meta.namespace_ &&
         std::ranges::any_of(pod.topology_spread, [&](const api::TopologySpreadConstraint& constraint) {
           return constraint.do_not_schedule && constraint.label_selector &&
                  constraint.label_selector->matches(labels);
         });
}

void FailedKinds::take(const Filed& filed, std::vector<std::size_t>& out) {
  failures_[filed.kind].pod = nullptr;
  out.push_back(filed.kind);
}

void FailedKinds::take_all(List& list, std::vector<std::size_t>& out) {
  for (const auto& filed : list) {
    if (is_here(filed)) take(filed, out);
  }
  list.clear();
}

void FailedKinds::take_selected(List& list, const api::Pod& placed, const cluster::Snapshot& fork,
                                std::vector<std::size_t>& out) {
  std::erase_if(list, [&](const Filed& filed) {
    if (!is_here(filed)) return true;
    if (!is_selected(placed, fork, failures_[filed.kind])) return false;
    take(filed, out);
    return true;
  });
}

std::vector<std::size_t> FailedKinds::take_helped(const api::Pod& placed, const cluster::Snapshot& fork) {
  std::vector<std::size_t> out;
  take_all(any_, out);
  if (has_claims(placed)) take_all(with_claims_, out);
  take_selected(by_no_label_, placed, fork, out);
  if (by_label_.empty()) return out;
  for (const auto& [key, value] : placed.meta.labels) {
    const auto found = by_label_.find({key, value});
    if (found != by_label_.end()) take_selected(found->second, placed, fork, out);
  }
  return out;
}

}  // namespace podium::explain
