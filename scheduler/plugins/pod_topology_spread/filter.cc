// Source: plugins/podtopologyspread/filtering.go.
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/pod_topology_spread/pod_topology_spread.h"
#include "scheduler/plugins/shared/pod_memo.h"
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

// Flags for reject_by_level. Those of too few domains differ: no verdict with the other reason is kept.
constexpr std::uint8_t kMissing = 1, kSkewed = 2, kTooFew = kSkewed | 4;

Verdict missing_label(std::string_view key, std::size_t index) {
  return {std::string(PodTopologySpread::kName),
          Code::unschedulable_and_unresolvable,
          {framework::Reason(ReasonCode::topology_label_missing, about_label(key, index))}};
}
// `too_few`: the least count is 0 only because domains are missing.
Verdict skewed(bool too_few, std::string_view key, std::size_t index) {
  return {std::string(PodTopologySpread::kName),
          Code::unschedulable,
          {too_few ? framework::Reason(ReasonCode::too_few_domains, about_label(key, index))
                   : framework::Reason(ReasonCode::topology_spread_skew)}};
}

// One constraint with its pod count per domain. A domain is a label value that an eligible node has; its
// index is the value id.
struct Domains {
  SpreadConstraint constraint;
  LevelColumn column;
  std::optional<NodeMask> eligible;  // nodes whose pods count; nullopt: all nodes with the key
  std::vector<std::int32_t> count{};
  std::vector<std::uint8_t> flags{};  // by value id: as above, or 0
  std::size_t domains = 0;
  std::int32_t self = 0;
  // The two smallest counts. They give the minimum over the other domains when one domain changes.
  struct Smallest {
    cluster::ValueId value = cluster::kNoValue;
    std::int32_t count = std::numeric_limits<std::int32_t>::max();
  } least{}, next{};

  bool is_eligible(Row row) const {
    return eligible ? eligible->test(row) : column.at(row) != cluster::kNoValue;
  }

  bool has_too_few() const { return domains < static_cast<std::size_t>(std::max(constraint.min_domains, 0)); }
  std::int64_t skew(std::int64_t count_here, std::int64_t min) const {
    return count_here + self - (has_too_few() ? 0 : min);
  }
  // `min`: as of skew(). With a minimum of 0, minDomains changes nothing.
  bool is_of_min_domains(std::int64_t min) const { return has_too_few() && min > 0; }
  Verdict rejected(std::int64_t min, std::size_t index) const {
    return skewed(is_of_min_domains(min), constraint.topology_key, index);
  }
};

void count_pods(Domains& of, const api::Pod& pod, const Snapshot& snapshot) {
  of.count.resize(of.column.limit());
  const auto* nodes = of.eligible ? &*of.eligible : nullptr;
  add_pods(counted_classes(of.constraint, pod.meta.namespace_, snapshot), of.column,
           {nodes, kWithoutTerminating}, 1, of.count);
  if (!of.eligible) of.count[cluster::kNoValue] = 0;
}

// If all nodes are eligible and the label has few values, iterating over values is faster than over nodes.
std::vector<std::uint8_t> find_domains(const Domains& of, const Snapshot& snapshot) {
  if (of.eligible) return used_levels(of.column, *of.eligible);
  const auto* label = of.column.label();
  if (!label || label->id_limit() > snapshot.node_count() / 4)
    return used_levels(of.column, snapshot.present());
  std::vector<std::uint8_t> is_domain(of.column.limit());
  for (cluster::ValueId value = 1; value < label->id_limit(); ++value)
    is_domain[value] = label->nodes_with(value) > 0;
  return is_domain;
}

void judge_domains(Domains& of, const Snapshot& snapshot) {
  const auto is_domain = find_domains(of, snapshot);
  for (cluster::ValueId value = 1; value < is_domain.size(); ++value) {
    if (!is_domain[value]) continue;
    ++of.domains;
    const auto count = of.count[value];
    if (count < of.least.count) {
      of.next = of.least;
      of.least = {value, count};
    } else if (count < of.next.count) {
      of.next = {value, count};
    }
  }
  // skew(count, min) is count plus a constant, so the check becomes a limit on the count.
  const auto limit = static_cast<std::int32_t>(std::clamp<std::int64_t>(
      of.constraint.max_skew - of.skew(0, of.least.count), -1, std::numeric_limits<std::int32_t>::max()));
  of.flags.resize(of.column.limit());
  const auto too_many = of.is_of_min_domains(of.least.count) ? kTooFew : kSkewed;
  for (std::size_t value = 0; value < of.flags.size(); ++value)
    of.flags[value] = of.count[value] > limit ? too_many : 0;
  of.flags[cluster::kNoValue] = kMissing;
}

// The constraints, by index, that count a pod.
using Counted = std::vector<std::uint32_t>;

class SpreadTrial final : public framework::NodeTrial {
 public:
  // `counted` has the constraints that count a pod.
  SpreadTrial(const std::vector<Domains>& domains, std::function<const Counted&(const PodInfoPtr&)> counted,
              Row row)
      : domains_(domains), counted_(std::move(counted)), row_(row), change_(domains.size()) {
    has_all_keys_ = std::ranges::all_of(domains, [&](const auto& each) { return each.column.at(row) != 0; });
  }

  void add(const PodInfoPtr& pod) override { change(pod, 1); }
  void remove(const PodInfoPtr& pod) override { change(pod, -1); }
  void restore(const PodInfoPtr& pod) override { change(pod, 1); }
  std::optional<Verdict> check() override {
    for (std::size_t i = 0; i < domains_.size(); ++i) {
      const auto& each = domains_[i];
      const auto value = each.column.at(row_);
      if (value == cluster::kNoValue) return missing_label(each.constraint.topology_key, i);
      const auto change = has_all_keys_ && each.is_eligible(row_) ? change_[i] : 0;
      const std::int64_t here = each.count[value] + change;
      std::int64_t min = each.least.count;
      if (change != 0) min = std::min<std::int64_t>(here, each.least.value == value ? each.next.count : min);
      if (each.skew(here, min) > each.constraint.max_skew) return each.rejected(min, i);
    }
    return std::nullopt;
  }

 private:
  void change(const PodInfoPtr& pod, std::int64_t sign) {
    for (const auto i : counted_(pod)) change_[i] += sign;
  }

  const std::vector<Domains>& domains_;
  std::function<const Counted&(const PodInfoPtr&)> counted_;
  const Row row_;
  bool has_all_keys_ = false;
  std::vector<std::int64_t> change_;  // of the count here, by constraint
};

class SpreadFilter final : public framework::NodeFilter {
 public:
  SpreadFilter(const Snapshot& snapshot, const api::Pod& pod, std::vector<Domains> domains)
      : NodeFilter(snapshot), pod_(pod), domains_(std::move(domains)) {}

  void filter(NodeMask& nodes, framework::Rejections& out) const override {
    std::size_t index = 0;
    for (const auto& each : domains_) {
      const auto too_many = out.add(each.rejected(each.least.count, index));
      const auto missing = out.add(missing_label(each.constraint.topology_key, index++));
      reject_by_level(nodes, out, each.column, each.flags, missing, too_many);
    }
  }

  // With many domains the verdicts of two decisions are seldom alike.
  bool declare(framework::RowInputs& inputs) const override {
    constexpr std::size_t kMostLevels = 8;
    return std::ranges::all_of(domains_, [&](const Domains& each) {
      return levels_.add(each.column, each.constraint.topology_key, each.flags, kMostLevels, inputs);
    });
  }

  std::optional<Verdict> check(Row row, const PodDelta& delta) const override {
    return check_on_trial(row, delta);
  }

  bool ignores_pods_of(Row row) const override {
    if (!counted_) counted_ = rows_of_counted_pods();
    return !counted_->test(row);
  }

  std::unique_ptr<framework::NodeTrial> try_on(Row row) const override {
    const auto counted = [this](const PodInfoPtr& pod) -> const Counted& {
      return known_.of(pod, [&](const api::Pod& each) { return find_counted(each); });
    };
    return std::make_unique<SpreadTrial>(domains_, counted, row);
  }

 private:
  // Unlike in the initial count, and as upstream, terminating pods count, and so do pods that an
  // empty selector matches.
  Counted find_counted(const api::Pod& pod) const {
    Counted out;
    if (pod.meta.namespace_ != pod_.meta.namespace_) return out;
    for (std::size_t i = 0; i < domains_.size(); ++i) {
      if (domains_[i].constraint.selector.matches(pod.meta.labels))
        out.push_back(static_cast<std::uint32_t>(i));
    }
    return out;
  }
  // The nodes with a pod that find_counted() finds.
  NodeMask rows_of_counted_pods() const {
    NodeMask out(snapshot_.chunks());
    for (const auto& each : domains_) {
      each.constraint.selector.each_match(snapshot_.pod_classes(), pod_.meta.namespace_,
                                          [&](const cluster::PodClass& pods) {
                                            for (const auto& posting : pods.postings()) out.set(posting.row);
                                          });
    }
    return out;
  }

  const api::Pod& pod_;
  const std::vector<Domains> domains_;
  mutable PodMemo<Counted> known_;
  mutable std::optional<NodeMask> counted_;  // rows_of_counted_pods()
  mutable DeclaredLevels levels_;
};

// The nodes that have the topology keys of all constraints.
NodeMask with_all_keys(const std::vector<Domains>& domains, const Snapshot& snapshot) {
  NodeMask nodes = snapshot.present();
  for (const auto& each : domains) {
    for (std::size_t w = 0; w < nodes.words(); ++w) {
      if (nodes.word(w)) nodes.word(w) &= each.column.present_word(w);
    }
  }
  return nodes;
}

}  // namespace

framework::PreparedFilter PodTopologySpread::prepare_filter(const cluster::PodInfo& pod,
                                                            const Snapshot& snapshot) const {
  std::vector<Domains> domains;
  IncludedNodes nodes(*pod, snapshot);
  for (auto& constraint : constraints(*pod, snapshot, true)) {
    const auto key = constraint.topology_key;
    auto included = nodes.of(constraint);
    domains.push_back({std::move(constraint), LevelColumn(snapshot, key), std::move(included)});
  }
  if (domains.empty()) return {};

  const bool one_key = std::ranges::all_of(domains, [&](const auto& each) {
    return each.constraint.topology_key == domains.front().constraint.topology_key;
  });
  const bool narrowed =
      std::ranges::any_of(domains, [](const auto& each) { return each.eligible.has_value(); });
  if (!one_key || narrowed) {
    const auto all_keys = with_all_keys(domains, snapshot);
    const bool everywhere = all_keys == snapshot.present();
    for (auto& each : domains) {
      if (each.eligible)
        *each.eligible &= all_keys;
      else if (!everywhere)
        each.eligible = all_keys;
    }
  }
  for (auto& each : domains) {
    each.self = each.constraint.selector.matches(pod->meta.labels);
    count_pods(each, *pod, snapshot);
    judge_domains(each, snapshot);
  }
  framework::PreparedFilter prepared;
  prepared.filter = std::make_unique<SpreadFilter>(snapshot, *pod, std::move(domains));
  return prepared;
}

}  // namespace podium::plugins
