#include "explain/workload/template_change.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string>
#include <vector>

#include "explain/workload/eviction_cost.h"

namespace podium::explain {
namespace {

// That controllers set in each pod, with other values for another template.
constexpr std::array<std::string_view, 3> kHashes = {"pod-template-hash", "controller-revision-hash",
                                                     "pod-template-generation"};

template <typename List>
bool contains_all(const List& all, const List& some) {
  return std::ranges::all_of(some,
                             [&](const auto& each) { return std::ranges::find(all, each) != all.end(); });
}

template <typename List>
bool is_same(const List& pod, const List& asked, bool may_have_more) {
  return contains_all(pod, asked) && (may_have_more || pod.size() == asked.size());
}

bool has_labels(const api::Pod& asked, const api::Pod& pod) {
  return std::ranges::all_of(asked.meta.labels, [&](const auto& label) {
    const auto& [key, value] = label;
    const auto* its = pod.meta.labels.find(key);
    return std::ranges::find(kHashes, key) != kHashes.end() || (its && *its == value);
  });
}

// Without the requirements that the API server has added for matchLabelKeys, with the pod's own values.
void drop_merged(const std::vector<std::string>& keys, std::optional<api::LabelSelector>& selector) {
  if (!selector) return;
  std::erase_if(selector->match_expressions,
                [&](const auto& each) { return std::ranges::find(keys, each.key) != keys.end(); });
}

api::SharedList<api::TopologySpreadConstraint> as_written(
    api::SharedList<api::TopologySpreadConstraint> list) {
  list.change_each([](auto& each) { drop_merged(each.match_label_keys, each.label_selector); });
  return list;
}

void drop_merged(api::PodAffinityTerm& term) {
  drop_merged(term.match_label_keys, term.label_selector);
  drop_merged(term.mismatch_label_keys, term.label_selector);
}
api::PodAffinity as_written(api::PodAffinity affinity) {
  affinity.required.change_each([](auto& term) { drop_merged(term); });
  affinity.preferred.change_each([](auto& each) { drop_merged(each.term); });
  return affinity;
}

// Those that a decision depends on, without those that a StatefulSet's controller adds.
std::vector<api::Volume> volumes_of(const Subject& subject, const api::Pod& pod) {
  std::set<std::string_view> added;
  for (const auto& claim : subject.claim_templates) added.insert(claim.meta.name);
  std::vector<api::Volume> out;
  for (const auto& volume : pod.volumes) {
    if (volume.kind != api::Volume::Kind::other && !added.contains(volume.name)) out.push_back(volume);
  }
  return out;
}

}  // namespace

bool has_template(const Subject& subject, const api::Pod& asked, const api::Pod& pod) {
  const bool more = subject.existing.has_value();
  const bool is_pinned = subject.kind == Subject::Kind::daemon_set;  // by the node affinity
  return has_labels(asked, pod) && is_same(pod.containers, asked.containers, more) &&
         is_same(pod.init_containers, asked.init_containers, more) &&
         is_same(pod.node_selector, asked.node_selector, more) &&
         is_same(pod.tolerations, asked.tolerations, more) &&
         is_same(volumes_of(subject, pod), volumes_of(subject, asked), more) &&
         (is_pinned || pod.node_affinity == asked.node_affinity) &&
         as_written(pod.pod_affinity) == as_written(asked.pod_affinity) &&
         as_written(pod.pod_anti_affinity) == as_written(asked.pod_anti_affinity) &&
         as_written(pod.topology_spread) == as_written(asked.topology_spread) &&
         pod.priority_or_zero() == asked.priority_or_zero() && pod.runtime_class == asked.runtime_class &&
         pod.host_network == asked.host_network && pod.resource_claims == asked.resource_claims &&
         pod.pod_requests == asked.pod_requests && pod.pod_limits == asked.pod_limits;
}

RemovedPods with_other_template(const Subject& subject, const api::Pod& asked, const RemovedPods& pods) {
  RemovedPods out;
  for (auto list : {&RemovedPods::placed, &RemovedPods::waiting}) {
    for (const auto& pod : pods.*list) {
      if (!has_template(subject, asked, *pod->pod)) (out.*list).push_back(pod);
    }
  }
  return out;
}

bool is_unready(const api::Pod& pod) { return !pod.phase.empty() && !is_ready(pod); }

std::optional<std::int32_t> ordinal_of(const Subject& set, std::string_view pod) {
  if (!pod.starts_with(set.name) || pod.size() < set.name.size() + 2) return std::nullopt;
  const auto digits = pod.substr(set.name.size() + 1);
  std::int32_t ordinal = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(ordinal) : std::nullopt;
}

}  // namespace podium::explain
