// Source: plugins/interpodaffinity/scoring.go.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
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

constexpr auto kRawOf = [](std::int64_t sum) { return sum; };
constexpr auto kFinalOf = [](std::int64_t raw, std::int64_t min, std::int64_t max) {
  return normalized(raw, min, max);
};

class AffinityScorer final : public framework::NodeScorer {
 public:
  explicit AffinityScorer(std::vector<ScoreTerm<std::int64_t>> terms) : terms_(std::move(terms)) {}

  void score(const NodeMask& feasible, std::span<std::uint8_t> out) const override {
    LevelScore(std::span<const ScoreTerm<std::int64_t>>(terms_), kRawOf, kFinalOf).write(feasible, out);
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
  // The terms of the score. The sums of the state are moved into them.
  std::vector<ScoreTerm<std::int64_t>> take_terms() {
    std::vector<ScoreTerm<std::int64_t>> terms;
    const auto held = std::span(held_).first(count_);
    if (auto term = term_by_node()) {
      terms.push_back(std::move(*term));
    } else {
      for (const auto& each : held) add_now(*each.pods, each.key, each.weight);
    }
    for (auto& each : weights) {
      each.count[cluster::kNoValue] = 0;
      terms.push_back({std::move(each.column), std::move(each.count)});
    }
    return terms;
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
  // If all held classes have one weight, for host names or another key whose value is different on each node:
  // the pods on each node, which the thread's memo keeps.
  std::optional<ScoreTerm<std::int64_t>> term_by_node() {
    if (count_ == 0) return std::nullopt;
    const auto& [first, key, weight] = held_.front();
    std::vector<const PodClass*> classes;
    for (const auto& each : std::span(held_).first(count_)) {
      if (each.key != key || each.weight != weight) return std::nullopt;
      classes.push_back(each.pods);
    }
    const LevelColumn column(snapshot, key);
    if (!column.label() || !column.label()->is_unique()) return std::nullopt;
    auto* kept = kept_counts(classes, column, {}, true);
    if (!kept) return std::nullopt;
    const auto& levels = kept->levels(classes, *column.box(), {}, snapshot.chunks());
    touched |= levels.most > 1;
    std::vector<std::int64_t> value(std::bit_ceil(levels.most + 1U));
    for (std::size_t level = 1; level < value.size(); ++level)
      value[level] = weight * (static_cast<std::int64_t>(level) - 1);
    const auto limit = value.size();
    return ScoreTerm<std::int64_t>{LevelColumn(levels.of_row, limit), std::move(value)};
  }
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
  auto terms = state.take_terms();
  if (!state.touched) return {};
  if (auto scorer = group_scorer(kName, terms, kRawOf, kFinalOf)) return {std::move(scorer)};
  return {std::make_unique<AffinityScorer>(std::move(terms))};
}

}  // namespace podium::plugins
