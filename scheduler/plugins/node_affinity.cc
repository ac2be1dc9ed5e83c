// NodeAffinity: spec.nodeSelector, the pod's node affinity, and the addedAffinity of the configuration.
// Source: pkg/scheduler/framework/plugins/nodeaffinity.
#include <algorithm>
#include <set>

#include "api/decode/decode.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/arg_names.h"
#include "scheduler/plugins/shared/column_scan.h"
#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"
#include "scheduler/plugins/shared/node_selector.h"
#include "scheduler/plugins/shared/node_selector_errors.h"

namespace podium::plugins {
namespace {

using namespace framework;

Verdict rejection(ReasonCode code) {
  return {framework::names::kNodeAffinity, Code::unschedulable_and_unresolvable, {Reason(code)}};
}

class AffinityFilter final : public NodeFilter {
 public:
  AffinityFilter(const Snapshot& snapshot,
                 const std::optional<api::SharedList<api::NodeSelectorTerm>>& enforced, const api::Pod& pod)
      : NodeFilter(snapshot), required_(pod, snapshot) {
    if (enforced) enforced_.emplace(*enforced, snapshot);
  }

  bool ignores_pods() const override { return true; }
  void filter(NodeMask& nodes, Rejections& out) const override {
    const auto not_enforced = out.add(rejection(ReasonCode::enforced_affinity_mismatch));
    const auto not_required = out.add(rejection(ReasonCode::node_selector_mismatch));
    for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
      if (chunk_is_empty(nodes, chunk)) continue;
      if (enforced_) reject_unselected(*enforced_, nodes, chunk, not_enforced, out);
      if (!required_.selects_all()) reject_unselected(required_, nodes, chunk, not_required, out);
    }
  }

 private:
  template <typename Selector>
  static void reject_unselected(const Selector& selector, NodeMask& nodes, std::size_t chunk, VerdictId id,
                                Rejections& out) {
    auto rows = chunk_of(nodes, chunk);
    selector.narrow(chunk, rows);
    for (auto& word : rows) word = ~word;
    reject_chunk(nodes, chunk, rows, id, out);
  }

  std::optional<CompiledSelector> enforced_;
  RequiredNodeAffinity required_;
};

struct PreferredTerm {
  CompiledTerm term;
  std::int64_t weight;
};

class AffinityScorer final : public NodeScorer {
 public:
  AffinityScorer(const Snapshot& snapshot, std::vector<PreferredTerm> terms)
      : snapshot_(snapshot), terms_(std::move(terms)) {}

  void score(const NodeMask& feasible, std::span<std::uint8_t> out) const override {
    const auto sums = zeroed_scratch(out.size());
    for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
      if (chunk_is_empty(feasible, chunk)) continue;
      for (const auto& [term, weight] : terms_) {
        auto rows = chunk_of(feasible, chunk);
        term.narrow(chunk, rows);
        add_where(rows, weight, sums.subspan(chunk * kChunkRows).first<kChunkRows>());
      }
    }
    if (const auto max = max_of(feasible, sums); max > 0) scale_to_100(sums, max, out);
  }

 private:
  const Snapshot& snapshot_;
  std::vector<PreferredTerm> terms_;
};

// The nodes that the required terms name by metadata.name; nullopt if a term names none. Names intersect
// within a term; terms are united.
std::optional<std::set<std::string>> named_nodes(const api::Pod& pod) {
  if (!pod.node_affinity.required || pod.node_affinity.required->empty()) return std::nullopt;
  std::set<std::string> names;
  for (const auto& term : *pod.node_affinity.required) {
    std::optional<std::set<std::string>> of_term;
    for (const auto& field : term.match_fields) {
      if (field.key != "metadata.name" || field.op != api::Requirement::Op::in) continue;
      std::set<std::string> values(field.values.begin(), field.values.end());
      if (of_term) std::erase_if(values, [&](const auto& name) { return !of_term->contains(name); });
      of_term = std::move(values);
    }
    if (!of_term) return std::nullopt;
    names.merge(*of_term);
  }
  return names;
}

class NodeAffinity final : public Plugin, public FilterPlugin, public ScorePlugin {
 public:
  explicit NodeAffinity(api::NodeAffinity added) : added_(std::move(added)) {}

  std::string_view name() const override { return framework::names::kNodeAffinity; }
  bool has_pre_filter() const override { return true; }
  bool has_pre_score() const override { return true; }

  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    if (pod->node_selector.empty() && !pod->node_affinity.required && !added_.required) return {};
    PreparedFilter prepared{.filter = std::make_unique<AffinityFilter>(snapshot, added_.required, *pod)};
    prepared.only = named_nodes(*pod);
    if (prepared.only && prepared.only->empty())
      prepared.rejected = rejection(ReasonCode::node_affinity_conflict);
    return prepared;
  }

  PreparedScore prepare_score(const PodInfo& pod, const Snapshot& snapshot, const NodeMask&) const override {
    if (pod->node_affinity.preferred.empty() && added_.preferred.empty()) return {};
    if (auto error = parse_error(pod->node_affinity.preferred); !error.empty())
      return {nullptr, std::move(error)};
    std::vector<PreferredTerm> terms;
    for (const auto* list : {&added_.preferred, &pod->node_affinity.preferred}) {
      for (const auto& preferred : *list) {
        CompiledTerm term(preferred.preference, snapshot);
        if (preferred.weight != 0 && !term.matches_nothing())
          terms.push_back({std::move(term), preferred.weight});
      }
    }
    return {std::make_unique<AffinityScorer>(snapshot, std::move(terms))};
  }

  std::vector<EventHint> hints() const override {
    const auto helps = [enforced = added_.required](const PodInfo& rejected, const ClusterEvent& event) {
      const auto* before = object_before<api::Node>(event);
      const auto* after = object_after<api::Node>(event);
      if (!after || (enforced && !selects(*enforced, *after))) return false;
      // As upstream, a term that cannot be parsed wakes the pod.
      const auto matches = match_required_affinity(*rejected, *after);
      if (!matches) return true;
      return *matches && (!before || !required_affinity_selects(*rejected, *before));
    };
    return {{EventResource::node, kAdd | kUpdateNodeLabel, helps}};
  }

 private:
  api::NodeAffinity added_;
};

}  // namespace

PluginPtr make_node_affinity(const boost::json::object& args) {
  const auto* added = args.if_contains(arg_names::kAddedAffinity);
  if (!added || added->is_null()) return std::make_shared<NodeAffinity>(api::NodeAffinity{});
  auto affinity = api::decode_node_affinity(*added, arg_names::kAddedAffinity);
  if (!affinity) return nullptr;
  return std::make_shared<NodeAffinity>(std::move(*affinity));
}

}  // namespace podium::plugins
