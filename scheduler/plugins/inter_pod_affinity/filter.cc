// Source: plugins/interpodaffinity/filtering.go.
#include <algorithm>

#include "scheduler/plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "scheduler/plugins/shared/selector_match.h"
#include "scheduler/plugins/shared/topology_counts.h"

namespace podium::plugins {
namespace {

using cluster::NodeMask;
using cluster::PodInfoPtr;
using cluster::Row;
using cluster::Snapshot;
using framework::Code;
using framework::PodDelta;
using framework::Verdict;

using Counts = TopologyCounts<std::int32_t>;

Verdict verdict(Code code, std::string reason) {
  return {std::string(InterPodAffinity::kName), code, {std::move(reason)}};
}
Verdict affinity_verdict() {
  return verdict(Code::unschedulable_and_unresolvable, "node(s) didn't match pod affinity rules");
}
Verdict anti_affinity_verdict() {
  return verdict(Code::unschedulable, "node(s) didn't match pod anti-affinity rules");
}
Verdict existing_verdict() {
  return verdict(Code::unschedulable, "node(s) didn't satisfy existing pods anti-affinity rules");
}

// PreFilter state: the pod's required terms, and pod counts per topology domain.
struct AffinityState {
  std::vector<IncomingTerm> affinity, anti_affinity;
  const api::Labels* namespace_labels = nullptr;  // of the pod's namespace
  std::vector<Counts> affinity_counts;            // placed pods that match all affinity terms, once per term
  std::vector<Counts> anti_affinity_counts;       // placed pods that match an anti-affinity term
  std::vector<Counts> existing_anti_affinity_counts;  // placed pods whose anti-affinity term matches the pod
  std::size_t affinity_domains = 0;                   // (key, value) pairs with a count in affinity_counts
  bool matches_itself = false;                        // the pod matches all its own affinity terms
};

void count_affinity(AffinityState& state, const Snapshot& snapshot) {
  for (const auto& term : state.affinity) counts_of(state.affinity_counts, snapshot, term.topology_key());
  if (state.affinity.empty()) return;
  state.affinity.front().each_match(snapshot.pod_classes(), [&](const cluster::PodClass& pods) {
    if (!matches_all(state.affinity, pods.namespace_name(), pods.labels())) return;
    for (const auto& term : state.affinity)
      counts_of(state.affinity_counts, snapshot, term.topology_key()).add(pods, 1);
  });
  for (const auto& counts : state.affinity_counts) {
    state.affinity_domains += static_cast<std::size_t>(
        std::count_if(counts.count.begin() + 1, counts.count.end(), [](auto n) { return n > 0; }));
  }
}

void count_anti_affinity(AffinityState& state, const Snapshot& snapshot) {
  for (const auto& term : state.anti_affinity) {
    auto& counts = counts_of(state.anti_affinity_counts, snapshot, term.topology_key());
    term.each_match(snapshot.pod_classes(), [&](const cluster::PodClass& pods) { counts.add(pods, 1); });
  }
}

// Returns true if a term matches the pod and its owner runs on a node that has the term's key.
bool count_existing_anti_affinity(AffinityState& state, const api::Pod& pod, const Snapshot& snapshot) {
  bool touched = false;
  const auto count = [&](const cluster::PodClass& pods) {
    for (const auto& term : pods.anti_affinity().required) {
      if (!existing_term_matches(term, pods.namespace_name(), pod, *state.namespace_labels)) continue;
      touched |= counts_of(state.existing_anti_affinity_counts, snapshot, term.topology_key).add(pods, 1);
    }
  };
  snapshot.pod_classes().each_with_required_anti_affinity_for(pod.meta.namespace_, pod.meta.labels, count);
  return touched;
}

// Calls f(pod, sign) for each pod of the delta; sign is 1 for added and -1 for removed pods.
template <typename F>
void each_change(const PodDelta& delta, F&& f) {
  for (const auto& pod : delta.added) f(**pod, 1);
  for (const auto& pod : delta.removed) f(**pod, -1);
}

class AffinityFilter final : public framework::NodeFilter {
 public:
  AffinityFilter(const Snapshot& snapshot, const api::Pod& pod, AffinityState state)
      : NodeFilter(snapshot), pod_(pod), state_(std::move(state)) {}

  void filter(NodeMask& nodes, framework::Rejections& out) const override {
    const bool first_of_its_group = state_.affinity_domains == 0 && state_.matches_itself;
    if (!state_.affinity_counts.empty()) {
      const auto id = out.add(affinity_verdict());
      for (const auto& counts : state_.affinity_counts) {
        std::vector<std::uint8_t> flags(counts.count.size(), 1);
        for (std::size_t value = 1; value < flags.size(); ++value) {
          flags[value] = !first_of_its_group && counts.count[value] <= 0;
        }
        reject_by_level(nodes, out, counts.column, flags, id, id);
      }
    }
    reject_populated(state_.anti_affinity_counts, anti_affinity_verdict(), nodes, out);
    reject_populated(state_.existing_anti_affinity_counts, existing_verdict(), nodes, out);
  }

  std::optional<Verdict> check(Row row, const PodDelta& delta) const override {
    if (!satisfies_affinity(row, delta)) return affinity_verdict();
    if (!satisfies_anti_affinity(row, delta)) return anti_affinity_verdict();
    if (!satisfies_existing(row, delta)) return existing_verdict();
    return std::nullopt;
  }

 private:
  static void reject_populated(const std::vector<Counts>& all, Verdict verdict, NodeMask& nodes,
                               framework::Rejections& out) {
    if (all.empty()) return;
    const auto id = out.add(std::move(verdict));
    for (const auto& counts : all) {
      std::vector<std::uint8_t> flags(counts.count.size());
      for (std::size_t value = 1; value < flags.size(); ++value) flags[value] = counts.count[value] > 0;
      reject_by_level(nodes, out, counts.column, flags, id, id);
    }
  }

  bool satisfies_affinity(Row row, const PodDelta& delta) const {
    if (state_.affinity.empty()) return true;
    int change = 0;
    each_change(delta, [&](const api::Pod& pod, int sign) {
      if (matches_all(state_.affinity, pod.meta.namespace_, pod.meta.labels)) change += sign;
    });
    bool beside = true;
    auto domains = static_cast<std::int64_t>(state_.affinity_domains);
    for (const auto& counts : state_.affinity_counts) {
      const auto value = counts.column.at(row);
      if (value == cluster::kNoValue) return false;
      const auto terms = std::ranges::count(state_.affinity, counts.key, &IncomingTerm::topology_key);
      const auto before = counts.count[value];
      const auto now = before + change * terms;
      domains += (now != 0) - (before != 0);
      beside &= now > 0;
    }
    return beside || (domains == 0 && state_.matches_itself);
  }

  bool satisfies_anti_affinity(Row row, const PodDelta& delta) const {
    return std::ranges::none_of(state_.anti_affinity_counts, [&](const Counts& counts) {
      const auto value = counts.column.at(row);
      if (value == cluster::kNoValue) return false;
      std::int64_t count = counts.count[value];
      each_change(delta, [&](const api::Pod& pod, int sign) {
        count += sign * std::ranges::count_if(state_.anti_affinity, [&](const IncomingTerm& term) {
                   return term.topology_key() == counts.key && term.matches(pod);
                 });
      });
      return count > 0;
    });
  }

  bool satisfies_existing(Row row, const PodDelta& delta) const {
    const auto matching_terms = [&](const api::Pod& pod, std::string_view key) {
      return std::ranges::count_if(pod.pod_anti_affinity.required, [&](const api::PodAffinityTerm& term) {
        return term.topology_key == key &&
               existing_term_matches(term, pod.meta.namespace_, pod_, *state_.namespace_labels);
      });
    };
    const auto violated = [&](std::string_view key, std::int64_t count) {
      each_change(delta, [&](const api::Pod& pod, int sign) { count += sign * matching_terms(pod, key); });
      return count > 0;
    };
    for (const auto& counts : state_.existing_anti_affinity_counts) {
      const auto value = counts.column.at(row);
      if (value != cluster::kNoValue && violated(counts.key, counts.count[value])) return false;
    }
    // Topology keys that only terms of added pods use.
    const auto& labels = snapshot_.entry(row).node->meta.labels;
    for (const auto& pod : delta.added) {
      for (const auto& term : (*pod)->pod_anti_affinity.required) {
        const bool counted = std::ranges::find(state_.existing_anti_affinity_counts, term.topology_key,
                                               &Counts::key) != state_.existing_anti_affinity_counts.end();
        if (!counted && labels.contains(term.topology_key) && violated(term.topology_key, 0)) return false;
      }
    }
    return true;
  }

  const api::Pod& pod_;
  AffinityState state_;
};

}  // namespace

framework::PreparedFilter InterPodAffinity::prepare_filter(const cluster::PodInfo& pod,
                                                           const Snapshot& snapshot) const {
  AffinityState state;
  state.affinity = incoming_terms(pod->pod_affinity.required, *pod, snapshot);
  state.anti_affinity = incoming_terms(pod->pod_anti_affinity.required, *pod, snapshot);
  state.namespace_labels = &namespace_labels(snapshot, pod->meta.namespace_);
  const bool existing_terms_match = count_existing_anti_affinity(state, *pod, snapshot);
  if (!existing_terms_match && state.affinity.empty() && state.anti_affinity.empty()) return {};

  count_affinity(state, snapshot);
  count_anti_affinity(state, snapshot);
  state.matches_itself = matches_all(state.affinity, pod->meta.namespace_, pod->meta.labels);
  framework::PreparedFilter prepared;
  prepared.filter = std::make_unique<AffinityFilter>(snapshot, *pod, std::move(state));
  return prepared;
}

}  // namespace podium::plugins
