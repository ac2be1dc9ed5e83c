// Source: plugins/podtopologyspread/scoring.go.
#include <algorithm>
#include <bit>
#include <cmath>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/pod_topology_spread/pod_topology_spread.h"
#include "scheduler/plugins/shared/column_scan.h"
#include "scheduler/plugins/shared/topology_counts.h"

namespace podium::plugins {
namespace {

using cluster::NodeMask;
using cluster::Snapshot;

// Rounds half away from zero, as Go's math.Round; exact below 2^52.
std::int64_t round_half_away(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  const double rest = value - static_cast<double>(whole);
  return whole + (rest >= 0.5) - (rest <= -0.5);
}

// Maps a raw score to 0..100; a lower raw score is better. `max` is at least 0.
std::int64_t normalized(std::int64_t raw, std::int64_t min, std::int64_t max) {
  return max <= 0 ? 100 : 100 * (max + min - raw) / max;
}

constexpr auto kRawOf = [](double sum) { return round_half_away(sum); };
constexpr auto kFinalOf = [](std::int64_t raw, std::int64_t min, std::int64_t max) {
  return normalized(raw, min, max);
};

class SpreadScorer final : public framework::NodeScorer {
 public:
  SpreadScorer(NodeMask scored, std::vector<ScoreTerm<double>> terms)
      : scored_(std::move(scored)), terms_(std::move(terms)) {}

  void score(const NodeMask& feasible, std::span<std::uint8_t> out) const override {
    LevelScore(std::span<const ScoreTerm<double>>(terms_), kRawOf, kFinalOf).write(scored_, out);
    // Nodes that lack a topology key get 0.
    for (std::size_t w = 0; w < feasible.words(); ++w) {
      for (auto bits = feasible.word(w) & ~scored_.word(w); bits; bits &= bits - 1) {
        out[w * 64 + static_cast<std::size_t>(std::countr_zero(bits))] = 0;
      }
    }
  }

 private:
  NodeMask scored_;
  std::vector<ScoreTerm<double>> terms_;
};

double of_count(std::int64_t count, const SpreadConstraint& constraint, double weight) {
  return static_cast<double>(count) * weight + static_cast<double>(constraint.max_skew - 1);
}

double weight_of_size(std::size_t domains) { return std::log(static_cast<double>(domains + 2)); }

// Converts the counts of a chunk to levels: 0 without the label, else count + 1. Returns the maximum.
PODIUM_VECTOR_CLONES
std::uint32_t to_levels(std::uint32_t* count, const std::uint32_t* value) {
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < cluster::kChunkRows; ++i) {
    count[i] = (count[i] + 1) & -static_cast<std::uint32_t>(value[i] != 0);
    most = most > count[i] ? most : count[i];
  }
  return most;
}

// Counts the pods on each node. Node inclusion policies do not apply; nodes without the label are skipped.
ScoreTerm<double> hostname_term(const SpreadConstraint& constraint, Classes classes, const Snapshot& snapshot,
                                std::size_t scored_nodes) {
  const LevelColumn hostname(snapshot, constraint.topology_key);
  const double weight = weight_of_size(scored_nodes);
  const auto term = [&](auto levels, std::size_t limit) -> ScoreTerm<double> {
    std::vector<double> value(limit);
    for (std::size_t level = 1; level < limit; ++level)
      value[level] = of_count(static_cast<std::int64_t>(level) - 1, constraint, weight);
    return {LevelColumn(std::move(levels), limit), std::move(value)};
  };
  const framework::KeptCounts::Rule rule{nullptr, kWithoutTerminating};
  if (auto* kept = kept_counts(classes, hostname, rule, true)) {
    const auto& levels = kept->levels(classes, *hostname.box(), rule, snapshot.chunks());
    return term(levels.of_row, std::bit_ceil(levels.most + 1U));  // groups change when it does
  }
  std::vector<std::uint32_t> level(snapshot.chunks() * cluster::kChunkRows);
  for (const auto* pods : classes) {
    for (const auto& posting : pods->postings()) level[posting.row] += posting.pods - posting.terminating;
  }
  std::uint32_t most = 0;
  for (std::size_t c = 0; c < hostname.chunks(); ++c) {
    most = std::max(most, to_levels(level.data() + c * cluster::kChunkRows, hostname.chunk(c)));
  }
  return term(std::move(level), most + 1);
}

// Counts the pods in each domain. With upstream's built-in defaults, nodes without the key are in the domain
// "", together with nodes whose label value is empty.
ScoreTerm<double> domain_term(const SpreadConstraint& constraint, Classes classes, const Snapshot& snapshot,
                              const NodeMask& scored, IncludedNodes& nodes,
                              const std::optional<NodeMask>& with_all_keys) {
  LevelColumn column(snapshot, constraint.topology_key);
  const auto empty = column.label() ? column.label()->find("") : cluster::kNoValue;

  auto is_domain = used_levels(column, scored);
  if (is_domain[cluster::kNoValue]) is_domain[empty] = 1;
  is_domain[cluster::kNoValue] = is_domain[empty];
  auto size = static_cast<std::size_t>(std::ranges::count(is_domain, 1));
  if (empty != cluster::kNoValue && is_domain[empty]) --size;

  auto included = nodes.of(constraint);
  if (with_all_keys) {
    if (included)
      *included &= *with_all_keys;
    else
      included = with_all_keys;
  }
  std::vector<std::int64_t> count(column.limit());
  add_pods(classes, column, {included ? &*included : nullptr, kWithoutTerminating}, std::int64_t{1}, count);
  if (empty != cluster::kNoValue) count[empty] += count[cluster::kNoValue];

  const double weight = weight_of_size(size);
  std::vector<double> value(column.limit());
  for (std::size_t id = 1; id < value.size(); ++id) {
    if (is_domain[id]) value[id] = of_count(count[id], constraint, weight);
  }
  return {std::move(column), std::move(value)};
}

}  // namespace

framework::PreparedScore PodTopologySpread::prepare_score(const cluster::PodInfo& pod,
                                                          const Snapshot& snapshot,
                                                          const NodeMask& feasible) const {
  const auto soft = constraints(*pod, snapshot, false);
  if (soft.empty()) return {};

  NodeMask scored = feasible;
  std::optional<NodeMask> with_all_keys;
  if (!pod->topology_spread.empty() || !system_defaults_) {
    with_all_keys = snapshot.present();
    for (const auto& constraint : soft) {
      const LevelColumn column(snapshot, constraint.topology_key);
      for (std::size_t w = 0; w < with_all_keys->words(); ++w) {
        if (with_all_keys->word(w)) with_all_keys->word(w) &= column.present_word(w);
      }
    }
    scored &= *with_all_keys;
  }

  IncludedNodes nodes(*pod, snapshot);
  std::vector<ScoreTerm<double>> terms;
  terms.reserve(soft.size());
  std::vector<const cluster::PodClass*> classes;
  const api::LabelSelector* where = nullptr;
  for (const auto& constraint : soft) {
    const auto* selects = constraint.selector.where();
    const bool is_same = where && selects && *where == *selects;  // of default constraints all are
    if (!is_same) classes = counted_classes(constraint, pod->meta.namespace_, snapshot);
    where = selects;
    terms.push_back(constraint.topology_key == api::label::hostname
                        ? hostname_term(constraint, classes, snapshot, scored.count())
                        : domain_term(constraint, classes, snapshot, scored, nodes, with_all_keys));
  }
  if (scored == feasible) {  // else those that are not scored get 0
    if (auto scorer = group_scorer(kName, terms, kRawOf, kFinalOf)) return {std::move(scorer)};
  }
  return {std::make_unique<SpreadScorer>(std::move(scored), std::move(terms))};
}

}  // namespace podium::plugins
