// Source: plugins/interpodaffinity/filtering.go.
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "scheduler/plugins/shared/pod_memo.h"
#include "scheduler/plugins/shared/selector_index.h"
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
using framework::ReasonCode;
using framework::Verdict;

using Counts = CountsByKey<std::int32_t>;

Verdict verdict(Code code, ReasonCode reason) {
  return {std::string(InterPodAffinity::kName), code, {framework::Reason(reason)}};
}
constexpr std::uint8_t kMissing = 1, kUnpopulated = 2;  // flags for reject_by_level

Verdict missing_label(std::string_view key, std::size_t index) {
  return {std::string(InterPodAffinity::kName),
          Code::unschedulable_and_unresolvable,
          {framework::Reason(ReasonCode::affinity_label_missing, about_label(key, index))}};
}
Verdict affinity_verdict() { return verdict(Code::unschedulable_and_unresolvable, ReasonCode::pod_affinity); }
Verdict anti_affinity_verdict() { return verdict(Code::unschedulable, ReasonCode::pod_anti_affinity); }
Verdict existing_verdict() { return verdict(Code::unschedulable, ReasonCode::existing_pod_anti_affinity); }

// PreFilter state: the pod's required terms, and pod counts per topology domain.
struct AffinityState {
  std::vector<IncomingTerm> affinity, anti_affinity;
  const api::Labels* namespace_labels = nullptr;  // of the pod's namespace
  Counts affinity_counts;                         // placed pods that match all affinity terms, once per term
  std::vector<std::int64_t> affinity_terms;       // by index in affinity_counts: the terms with that key
  Counts anti_affinity_counts;                    // placed pods that match an anti-affinity term
  std::vector<std::uint32_t> anti_affinity_keys;  // by term: its index in anti_affinity_counts
  Counts existing_counts;                         // placed pods whose anti-affinity term matches the pod
  std::size_t affinity_domains = 0;               // (key, value) pairs with a count in affinity_counts
  bool matches_itself = false;                    // the pod matches all its own affinity terms
};

using Visit = cluster::PodClassTable::Visit;

// The classes that match all affinity terms.
void each_with_affinity(const AffinityState& state, const Snapshot& snapshot, const Visit& f) {
  if (state.affinity.empty()) return;
  state.affinity.front().each_match(snapshot.pod_classes(), [&](const cluster::PodClass& pods) {
    if (matches_all(state.affinity, pods.namespace_name(), pods.labels())) f(pods);
  });
}

void count_affinity(AffinityState& state, const Snapshot& snapshot) {
  for (const auto& term : state.affinity) {
    const auto key = state.affinity_counts.index_of(snapshot, term.topology_key());
    state.affinity_terms.resize(state.affinity_counts.size());
    ++state.affinity_terms[key];
  }
  each_with_affinity(state, snapshot, [&](const cluster::PodClass& pods) {
    std::size_t key = 0;
    for (auto& counts : state.affinity_counts)
      counts.add(pods, static_cast<std::int32_t>(state.affinity_terms[key++]));
  });
  for (const auto& counts : state.affinity_counts) {
    state.affinity_domains += static_cast<std::size_t>(
        std::count_if(counts.count.begin() + 1, counts.count.end(), [](auto n) { return n > 0; }));
  }
}

void count_anti_affinity(AffinityState& state, const Snapshot& snapshot) {
  for (const auto& term : state.anti_affinity) {
    state.anti_affinity_keys.push_back(
        static_cast<std::uint32_t>(state.anti_affinity_counts.index_of(snapshot, term.topology_key())));
    auto& counts = state.anti_affinity_counts.of(snapshot, term.topology_key());
    term.each_match(snapshot.pod_classes(), [&](const cluster::PodClass& pods) { counts.add(pods, 1); });
  }
}

// Calls f(class, term) for each anti-affinity term of placed pods that matches the pod.
template <typename F>
void each_with_anti_affinity_to(const AffinityState& state, const api::Pod& pod, const Snapshot& snapshot,
                                F&& f) {
  snapshot.pod_classes().each_with_required_anti_affinity_for(
      pod.meta.namespace_, pod.meta.labels, [&](const cluster::PodClass& pods) {
        for (const auto& term : pods.anti_affinity().required) {
          if (existing_term_matches(term, pods.namespace_name(), pod, *state.namespace_labels)) f(pods, term);
        }
      });
}

// Returns true if a term matches the pod and its owner runs on a node that has the term's key.
bool count_existing_anti_affinity(AffinityState& state, const api::Pod& pod, const Snapshot& snapshot) {
  bool touched = false;
  each_with_anti_affinity_to(state, pod, snapshot, [&](const auto& pods, const api::PodAffinityTerm& term) {
    touched |= state.existing_counts.of(snapshot, term.topology_key).add(pods, 1);
  });
  return touched;
}

// The contribution of one pod to the counts.
struct Contribution {
  bool matches_affinity = false;  // it matches all affinity terms
  // (key, terms): the anti-affinity terms that it matches, and its own that match the incoming pod.
  std::vector<std::pair<std::uint32_t, std::int64_t>> anti_affinity, existing;
};

// Finds the contributions of pods, once for a class of pods.
class Contributions {
 public:
  Contributions(const AffinityState& state, const api::Pod& incoming) : state_(state), incoming_(incoming) {
    for (std::size_t i = 0; i < state.anti_affinity.size(); ++i) {
      if (const auto* where = state.anti_affinity[i].selector().where()) terms_.insert(*where, i);
    }
  }

  const Contribution& of(const PodInfoPtr& pod) {
    return known_.of(pod, [&](const api::Pod& each) { return find(each); });
  }
  // The topology key of an index in Contribution::existing. Those after the counted ones have no count: only
  // added pods have such terms.
  std::string_view existing_key(std::size_t key) const {
    const auto counted = state_.existing_counts.size();
    return key < counted ? state_.existing_counts[key].key : std::string_view(more_keys_[key - counted]);
  }

 private:
  using ByKey = boost::unordered_flat_map<std::uint32_t, std::int64_t>;

  Contribution find(const api::Pod& pod) {
    Contribution out;
    out.matches_affinity = matches_all(state_.affinity, pod.meta.namespace_, pod.meta.labels);
    ByKey anti_affinity, existing;
    terms_.each_candidate(pod.meta.labels, [&](std::size_t i) {
      if (state_.anti_affinity[i].matches(pod)) ++anti_affinity[state_.anti_affinity_keys[i]];
    });
    for (const auto& term : pod.pod_anti_affinity.required) {
      if (existing_term_matches(term, pod.meta.namespace_, incoming_, *state_.namespace_labels))
        ++existing[existing_index(term.topology_key)];
    }
    out.anti_affinity.assign(anti_affinity.begin(), anti_affinity.end());
    out.existing.assign(existing.begin(), existing.end());
    return out;
  }

  std::uint32_t existing_index(const std::string& key) {
    if (const auto counted = state_.existing_counts.find(key)) return static_cast<std::uint32_t>(*counted);
    const auto next = static_cast<std::uint32_t>(state_.existing_counts.size() + more_keys_.size());
    const auto [it, fresh] = more_.try_emplace(key, next);
    if (fresh) more_keys_.push_back(key);
    return it->second;
  }

  const AffinityState& state_;
  const api::Pod& incoming_;
  SelectorIndex terms_;  // of anti_affinity
  PodMemo<Contribution> known_;
  std::map<std::string, std::uint32_t> more_;
  std::vector<std::string> more_keys_;
};

// The counts of one node's domains, and how many of them are positive.
class NodeCounts {
 public:
  NodeCounts() = default;
  NodeCounts(const Counts& counts, Row row) {
    for (const auto& each : counts) {
      const auto value = each.column.at(row);
      append(value != cluster::kNoValue, each.count[value]);
    }
  }

  std::size_t size() const { return counts_.size(); }
  // `has_key`: the node has the key; otherwise its count is ignored.
  void append(bool has_key, std::int64_t count) {
    counts_.push_back({has_key, count});
    positive_ += has_key && count > 0;
  }
  void add(std::size_t key, std::int64_t change) {
    auto& [has_key, count] = counts_[key];
    const bool before = count > 0;
    count += change;
    if (has_key && before != (count > 0)) before ? --positive_ : ++positive_;
  }
  bool any_positive() const { return positive_ > 0; }

 private:
  struct OfKey {
    bool has_key;
    std::int64_t count;
  };
  std::vector<OfKey> counts_;
  std::size_t positive_ = 0;
};

// The affinity rule on one node. The node's domains differ in their pods before the trial, and all of them
// get the same pods during it.
class NodeAffinity {
 public:
  NodeAffinity(const AffinityState& state, Row row) : state_(state) {
    std::size_t key = 0;
    for (const auto& counts : state.affinity_counts) {
      const auto value = counts.column.at(row);
      if (value == cluster::kNoValue) {
        missing_ = missing_label(counts.key, key);
        return;
      }
      const auto pods = counts.count[value] / state.affinity_terms[key++];
      ++domains_with_[pods];
      least_ = std::min(least_, pods);
    }
  }

  void add(std::int64_t pods) { change_ += pods; }
  // That the node lacks a key; nullopt: it has all.
  const std::optional<Verdict>& missing() const { return missing_; }
  bool is_satisfied() const {
    if (state_.affinity.empty()) return true;
    if (missing_) return false;
    if (least_ + change_ > 0) return true;
    const auto domains = static_cast<std::int64_t>(state_.affinity_domains) + with(0) - with(-change_);
    return domains == 0 && state_.matches_itself;
  }

 private:
  std::int64_t with(std::int64_t pods) const {
    const auto it = domains_with_.find(pods);
    return it == domains_with_.end() ? 0 : it->second;
  }

  const AffinityState& state_;
  std::optional<Verdict> missing_;
  std::int64_t change_ = 0, least_ = std::numeric_limits<std::int64_t>::max() / 2;
  boost::unordered_flat_map<std::int64_t, std::int64_t> domains_with_;  // by number of pods
};

class AffinityTrial final : public framework::NodeTrial {
 public:
  AffinityTrial(const AffinityState& state, Contributions& contributions, const api::Labels& node_labels,
                Row row)
      : contributions_(contributions),
        node_labels_(node_labels),
        affinity_(state, row),
        anti_affinity_(state.anti_affinity_counts, row),
        existing_(state.existing_counts, row) {}

  void add(const PodInfoPtr& pod) override { change(pod, 1); }
  void remove(const PodInfoPtr& pod) override { change(pod, -1); }
  void restore(const PodInfoPtr& pod) override { change(pod, 1); }
  std::optional<Verdict> check() override {
    if (affinity_.missing()) return affinity_.missing();
    if (!affinity_.is_satisfied()) return affinity_verdict();
    if (anti_affinity_.any_positive()) return anti_affinity_verdict();
    if (existing_.any_positive()) return existing_verdict();
    return std::nullopt;
  }

 private:
  void change(const PodInfoPtr& pod, std::int64_t sign) {
    const auto& of_pod = contributions_.of(pod);
    if (of_pod.matches_affinity) affinity_.add(sign);
    for (const auto& [key, terms] : of_pod.anti_affinity) anti_affinity_.add(key, sign * terms);
    for (const auto& [key, terms] : of_pod.existing) {
      while (existing_.size() <= key)
        existing_.append(node_labels_.contains(contributions_.existing_key(existing_.size())), 0);
      existing_.add(key, sign * terms);
    }
  }

  Contributions& contributions_;
  const api::Labels& node_labels_;
  NodeAffinity affinity_;
  NodeCounts anti_affinity_, existing_;
};

class AffinityFilter final : public framework::NodeFilter {
 public:
  AffinityFilter(const Snapshot& snapshot, const api::Pod& pod, AffinityState state)
      : NodeFilter(snapshot), pod_(pod), state_(std::move(state)) {}

  void filter(NodeMask& nodes, framework::Rejections& out) const override {
    if (!state_.affinity_counts.empty()) {
      const auto id = out.add(affinity_verdict());
      // As upstream, a key that the node lacks comes before the counts of all keys.
      std::vector<framework::VerdictId> of_key;
      for (const auto& counts : state_.affinity_counts)
        of_key.push_back(out.add(missing_label(counts.key, of_key.size())));
      for (std::size_t i = 0; i < of_key.size() && of_key.size() > 1; ++i)
        reject_by_level(nodes, out, state_.affinity_counts[i].column, missing(state_.affinity_counts[i]),
                        of_key[i], id);
      for (std::size_t i = 0; i < of_key.size(); ++i)
        reject_by_level(nodes, out, state_.affinity_counts[i].column, unpopulated(state_.affinity_counts[i]),
                        of_key[i], id);
    }
    reject_populated(state_.anti_affinity_counts, anti_affinity_verdict(), nodes, out);
    reject_populated(state_.existing_counts, existing_verdict(), nodes, out);
  }

  bool declare(framework::RowInputs& inputs) const override {
    constexpr std::size_t kMostLevels = 64;
    const auto add = [&](const Counts& all, auto&& flags_of) {
      inputs.asks.push_back(static_cast<std::int64_t>(all.size()));
      return std::ranges::all_of(all, [&](const auto& counts) {
        return counts.column.limit() <= kMostLevels &&
               levels_.add(counts.column, counts.key, flags_of(counts), kMostLevels, inputs);
      });
    };
    return add(state_.affinity_counts, [&](const auto& counts) { return unpopulated(counts); }) &&
           add(state_.anti_affinity_counts, populated) && add(state_.existing_counts, populated);
  }

  std::optional<Verdict> check(Row row, const PodDelta& delta) const override {
    return check_on_trial(row, delta);
  }

  bool ignores_pods_of(Row row) const override {
    if (!counted_) counted_ = rows_of_counted_pods();
    return !counted_->test(row);
  }

  std::unique_ptr<framework::NodeTrial> try_on(Row row) const override {
    if (!contributions_) contributions_ = std::make_unique<Contributions>(state_, pod_);
    return std::make_unique<AffinityTrial>(state_, *contributions_, snapshot_.entry(row).node->meta.labels,
                                           row);
  }

 private:
  static void reject_populated(const Counts& all, Verdict verdict, NodeMask& nodes,
                               framework::Rejections& out) {
    if (all.empty()) return;
    const auto id = out.add(std::move(verdict));
    for (const auto& counts : all) {
      if (!counts.column.label()) continue;  // no node has the key
      reject_by_level(nodes, out, counts.column, populated(counts), id, id);
    }
  }

  // The levels that reject: by required affinity, and by anti-affinity.
  std::vector<std::uint8_t> unpopulated(const TopologyCounts<std::int32_t>& counts) const {
    const bool first_of_its_group = state_.affinity_domains == 0 && state_.matches_itself;
    std::vector<std::uint8_t> flags(counts.count.size(), kMissing);
    for (std::size_t value = 1; value < flags.size(); ++value)
      flags[value] = !first_of_its_group && counts.count[value] <= 0 ? kUnpopulated : 0;
    return flags;
  }
  static std::vector<std::uint8_t> missing(const TopologyCounts<std::int32_t>& counts) {
    std::vector<std::uint8_t> flags(counts.count.size());
    flags[cluster::kNoValue] = kMissing;
    return flags;
  }
  static std::vector<std::uint8_t> populated(const TopologyCounts<std::int32_t>& counts) {
    std::vector<std::uint8_t> flags(counts.count.size());
    for (std::size_t value = 1; value < flags.size(); ++value) flags[value] = counts.count[value] > 0;
    return flags;
  }

  // The nodes with a pod that has a Contribution.
  NodeMask rows_of_counted_pods() const {
    NodeMask out(snapshot_.chunks());
    const auto add = [&](const cluster::PodClass& pods) {
      for (const auto& posting : pods.postings()) out.set(posting.row);
    };
    each_with_affinity(state_, snapshot_, add);
    for (const auto& term : state_.anti_affinity) term.each_match(snapshot_.pod_classes(), add);
    each_with_anti_affinity_to(state_, pod_, snapshot_,
                               [&](const cluster::PodClass& pods, const auto&) { add(pods); });
    return out;
  }

  const api::Pod& pod_;
  const AffinityState state_;
  mutable std::unique_ptr<Contributions> contributions_;  // null: no trial yet
  mutable std::optional<NodeMask> counted_;               // rows_of_counted_pods()
  mutable DeclaredLevels levels_;
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
