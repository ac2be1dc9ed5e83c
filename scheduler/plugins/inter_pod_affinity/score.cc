// Source: plugins/interpodaffinity/scoring.go.
#include <algorithm>
#include <array>
#include <span>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "scheduler/plugins/shared/selector_match.h"
#include "scheduler/plugins/shared/topology_counts.h"

namespace podium::plugins {
namespace {

using cluster::NodeMask;
using cluster::PodClass;
using cluster::Snapshot;

using Weights = CountsByKey<std::int64_t>;

// Keeps upstream's order of floating-point operations: 100 * 0.29 truncates to 28.
std::int64_t normalized(std::int64_t raw, std::int64_t min, std::int64_t max) {
  if (max <= min) return 0;
  return static_cast<std::int64_t>(100.0 * (static_cast<double>(raw - min) / static_cast<double>(max - min)));
}

class AffinityScorer final : public framework::NodeScorer {
 public:
  explicit AffinityScorer(std::vector<ScoreTerm<std::int64_t>> terms) : terms_(std::move(terms)) {}

  void score(const NodeMask& feasible, std::span<std::uint8_t> out) const override {
    const auto raw = [](std::int64_t sum) { return sum; };
    const auto final = [](std::int64_t raw, std::int64_t min, std::int64_t max) {
      return normalized(raw, min, max);
    };
    LevelScore<std::int64_t, decltype(raw), decltype(final)>(terms_, raw, final).write(feasible, out);
  }

 private:
  std::vector<ScoreTerm<std::int64_t>> terms_;
};

// The sum of weights per domain. `touched`: a term matched a pod on a node that has the term's key.
class WeightState {
 public:
  explicit WeightState(const Snapshot& of) : snapshot(of) {}

  // Replicas of one workload match each other's terms: the pod's own and those of the placed pods have the
  // same class and key. The nodes of the first few classes are walked once for all their terms.
  void add(const PodClass& pods, std::string_view key, std::int64_t weight) {
    const auto held = std::span(held_).first(count_);
    const auto same =
        std::ranges::find_if(held, [&](const Held& each) { return each.pods == &pods && each.key == key; });
    if (same != held.end()) {
      same->weight += weight;
    } else if (count_ < held_.size()) {
      held_[count_++] = {&pods, key, weight};
    } else {
      add_now(pods, key, weight);
    }
  }
  void add_held() {
    for (const auto& each : std::span(held_).first(count_)) add_now(*each.pods, each.key, each.weight);
    count_ = 0;
  }

  const Snapshot& snapshot;
  Weights weights;
  bool touched = false;

 private:
  struct Held {
    const PodClass* pods = nullptr;
    std::string_view key;
    std::int64_t weight = 0;
  };
  void add_now(const PodClass& pods, std::string_view key, std::int64_t weight) {
    touched |= weights.of(snapshot, key).add(pods, weight);
  }

  std::array<Held, 8> held_;
  std::size_t count_ = 0;
};

void add_own_terms(WeightState& state, const api::Pod& pod,
                   const std::vector<api::WeightedPodAffinityTerm>& terms, int sign) {
  for (const auto& [weight, term] : terms) {
    const IncomingTerm incoming(term, pod, state.snapshot);
    incoming.each_match(state.snapshot.pod_classes(), [&](const PodClass& pods) {
      state.add(pods, term.topology_key, std::int64_t{weight} * sign);
    });
  }
}

void add_terms_of_placed_pods(WeightState& state, const api::Pod& pod, std::int32_t hard_weight) {
  const auto& ns_labels = namespace_labels(state.snapshot, pod.meta.namespace_);
  const auto add_terms_of = [&](const PodClass& pods) {
    const auto add = [&](const api::PodAffinityTerm& term, std::int64_t weight) {
      if (existing_term_matches(term, pods.namespace_name(), pod, ns_labels))
        state.add(pods, term.topology_key, weight);
    };
    if (hard_weight > 0) {
      for (const auto& term : pods.affinity().required) add(term, hard_weight);
    }
    for (const auto& [weight, term] : pods.affinity().preferred) add(term, weight);
    for (const auto& [weight, term] : pods.anti_affinity().preferred) add(term, -std::int64_t{weight});
  };
  state.snapshot.pod_classes().each_with_scored_terms_for(pod.meta.namespace_, pod.meta.labels, add_terms_of);
}

}  // namespace

framework::PreparedScore InterPodAffinity::prepare_score(const cluster::PodInfo& pod,
                                                         const Snapshot& snapshot, const NodeMask&) const {
  const bool has_preferences =
      !pod->pod_affinity.preferred.empty() || !pod->pod_anti_affinity.preferred.empty();
  if (args_.ignore_preferred_terms_of_existing_pods && !has_preferences) return {};

  WeightState state(snapshot);
  add_own_terms(state, *pod, pod->pod_affinity.preferred, 1);
  add_own_terms(state, *pod, pod->pod_anti_affinity.preferred, -1);
  add_terms_of_placed_pods(state, *pod, args_.hard_pod_affinity_weight);
  state.add_held();
  if (!state.touched) return {};

  std::vector<ScoreTerm<std::int64_t>> terms;
  for (auto& each : state.weights) {
    each.count[cluster::kNoValue] = 0;
    terms.push_back({std::move(each.column), std::move(each.count)});
  }
  return {std::make_unique<AffinityScorer>(std::move(terms))};
}

}  // namespace podium::plugins
