#include "explain/workload/template_change.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "explain/workload/eviction_cost.h"

namespace podium::explain {
namespace {

// That controllers set in each pod, with other values for another template.
constexpr std::array<std::string_view, 3> kHashes = {"pod-template-hash", "controller-revision-hash",
                                                     "pod-template-generation"};

// Whether the pod has all that is asked, in the same order. Others may add to the list.
template <typename List>
bool is_same(const List& pod, const List& asked, bool may_have_more) {
  if (pod.size() < asked.size() || (pod.size() > asked.size() && !may_have_more)) return false;
  auto next = asked.begin();
  for (const auto& each : pod) {
    if (next != asked.end() && each == *next) ++next;
  }
  return next == asked.end();
}

bool is_less(const api::Toleration* a, const api::Toleration* b) {
  return std::tie(a->key, a->value, a->op, a->effect) < std::tie(b->key, b->value, b->op, b->effect);
}

// Those that admission gives each pod, and that a handwritten dump may lack: api::add_default_tolerations().
bool is_default(const api::Toleration& each) {
  return each.op == api::Toleration::Op::exists && each.effect == api::TaintEffect::no_execute &&
         (each.key == "node.kubernetes.io/not-ready" || each.key == "node.kubernetes.io/unreachable");
}

// Controllers and admission add some in orders of their own.
std::vector<const api::Toleration*> sorted(const api::SharedList<api::Toleration>& tolerations) {
  std::vector<const api::Toleration*> out;
  for (const auto& each : tolerations)
    if (!is_default(each)) out.push_back(&each);
  std::ranges::sort(out, is_less);
  return out;
}

bool are_same(const api::SharedList<api::Toleration>& pod, const std::vector<const api::Toleration*>& asked,
              bool may_have_more) {
  const auto its = sorted(pod);
  return (its.size() == asked.size() || may_have_more) && std::ranges::includes(its, asked, is_less);
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
  if (!selector || keys.empty()) return;
  const std::set<std::string_view> merged(keys.begin(), keys.end());
  std::erase_if(selector->match_expressions, [&](const auto& each) { return merged.contains(each.key); });
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

AskedTemplate::AskedTemplate(const Subject& subject, const api::Pod& asked)
    : subject_(subject),
      asked_(asked),
      tolerations_(sorted(asked.tolerations)),
      volumes_(volumes_of(subject, asked)),
      affinity_(as_written(asked.pod_affinity)),
      anti_affinity_(as_written(asked.pod_anti_affinity)),
      spread_(as_written(asked.topology_spread)) {}

bool AskedTemplate::is_of(const api::Pod& pod) const {
  const bool more = subject_.existing.has_value();
  const bool is_pinned = subject_.kind == Subject::Kind::daemon_set;  // by the node affinity
  return has_labels(asked_, pod) && is_same(pod.containers, asked_.containers, more) &&
         is_same(pod.init_containers, asked_.init_containers, more) &&
         is_same(pod.node_selector, asked_.node_selector, more) &&
         are_same(pod.tolerations, tolerations_, more) &&
         is_same(volumes_of(subject_, pod), volumes_, more) &&
         (is_pinned || pod.node_affinity == asked_.node_affinity) &&
         as_written(pod.pod_affinity) == affinity_ && as_written(pod.pod_anti_affinity) == anti_affinity_ &&
         as_written(pod.topology_spread) == spread_ && pod.priority_or_zero() == asked_.priority_or_zero() &&
         pod.runtime_class == asked_.runtime_class && pod.host_network == asked_.host_network &&
         pod.resource_claims == asked_.resource_claims && pod.pod_requests == asked_.pod_requests &&
         pod.pod_limits == asked_.pod_limits;
}

bool is_unready(const api::Pod& pod) { return !pod.phase.empty() && !is_ready(pod); }

std::optional<std::int32_t> ordinal_of(const Subject& set, std::string_view pod) {
  if (!pod.starts_with(set.name)) return std::nullopt;
  auto digits = pod.substr(set.name.size());
  if (digits.size() < 2 || digits.front() != '-') return std::nullopt;
  digits.remove_prefix(1);
  std::int32_t ordinal = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  return digits.front() != '-' && error == std::errc() && end == digits.data() + digits.size()
             ? std::optional(ordinal)
             : std::nullopt;
}

}  // namespace podium::explain
