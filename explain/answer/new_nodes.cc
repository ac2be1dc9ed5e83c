#include "explain/answer/new_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "api/values/drained_pod.h"
#include "api/values/tolerations.h"
#include "explain/answer/fork_memory.h"
#include "explain/report/pinned_node.h"
#include "explain/report/state_taints.h"
#include "explain/workload/unscheduled.h"

namespace podium::explain {
namespace {

using cluster::PodInfoPtr;
using cluster::Row;
using cluster::Snapshot;

// Drops what only describes the node's current state.
std::shared_ptr<const api::Node> made_ready(const api::Node& node) {
  auto copy = std::make_shared<api::Node>(node);
  copy->images.clear();
  copy->unschedulable = false;
  std::erase_if(copy->taints, is_of_state);
  return copy;
}

std::string unused_name(const std::string& stem, std::int32_t& number, const Snapshot& fork) {
  std::string name;
  do name = fmt::format("{}-new-{}", stem, ++number);
  while (fork.find_row(name));
  return name;
}

void measure(NodeModel& model) {
  model.memory = memory_of(*model.node);
  if (model.drivers) model.memory += memory_of(*model.drivers);
  for (const auto& slice : model.slices) model.memory += memory_of(*slice);
  for (const auto& pod : model.daemons) model.memory += memory_of(*pod->pod);
}

// "n1" in "n1-gpu" becomes the new name. A pool of another name gets it as a suffix.
std::string renamed(const std::string& name, const std::string& from, const std::string& to) {
  const auto at = from.empty() ? std::string::npos : name.find(from);
  return at == std::string::npos ? name + "-" + to : name.substr(0, at) + to + name.substr(at + from.size());
}

void add_slices(const NodeModel& model, const std::string& name, Snapshot& fork) {
  for (const auto& slice : model.slices) {
    auto copy = std::make_shared<api::ResourceSlice>(*slice);
    const auto from = copy->nodes.name.value_or("");
    copy->meta.name += "-" + name;
    copy->meta.uid = copy->meta.name + "-what-if";
    copy->pool.name = renamed(copy->pool.name, from, name);
    copy->nodes.name = name;
    fork.objects().set<api::ResourceSlice>(std::move(copy));
  }
}

// Namespace and name of the DaemonSet. The pod outlives them.
using DaemonSetName = std::pair<std::string_view, std::string_view>;
DaemonSetName daemon_set_of(const api::Pod& pod) {
  return {pod.meta.namespace_, pod.meta.controller()->name};
}

// A key has no "=".
std::string label_text(const std::string& key, const std::string& value) { return key + "=" + value; }

}  // namespace

NodesLike::NodesLike(const Budget& budget, const WaitingPods& waiting, const Snapshot& fork) : fork_(fork) {
  for (const auto& pod : waiting) {
    if (!has_time(budget)) return;
    if (is_of_daemon_set(*pod->pod)) daemons_[std::string(pinned_node(*pod->pod))].push_back(pod);
  }
  for (const auto& [key, slice] : fork.objects().all<api::ResourceSlice>()) {
    if (!has_time(budget)) return;
    if (slice->nodes.name) slices_[*slice->nodes.name].push_back(slice);
  }
}

// The newest slices of each pool that this node alone has.
std::vector<NodesLike::Slice> NodesLike::slices_of(const std::string& node) const {
  const auto found = slices_.find(node);
  if (found == slices_.end()) return {};
  std::map<std::pair<std::string_view, std::string_view>, std::int64_t> newest;
  const auto newest_of = [&newest](const Slice& slice) -> std::int64_t& {
    return newest[{slice->driver, slice->pool.name}];
  };
  for (const auto& slice : found->second) {
    auto& generation = newest_of(slice);
    generation = std::max(generation, slice->pool.generation);
  }
  auto out = found->second;
  std::erase_if(out, [&](const Slice& slice) { return slice->pool.generation != newest_of(slice); });
  return out;
}

NodeModel NodesLike::model_of(Row row) const {
  const auto& entry = fork_.entry(row);
  const auto& name = entry.node->meta.name;
  NodeModel model{.stem = name, .node = made_ready(*entry.node)};
  model.drivers = fork_.objects().shared<api::CsiNode>("", name);
  model.slices = slices_of(name);
  std::set<DaemonSetName> has;
  for (const auto& pod : entry.pods) {
    if (!is_of_daemon_set(*pod->pod)) continue;
    has.insert(daemon_set_of(*pod->pod));
    model.daemons.push_back(pod);
  }
  const auto waiting = daemons_.find(name);
  if (waiting != daemons_.end()) {
    for (const auto& pod : waiting->second) {
      if (has.insert(daemon_set_of(*pod->pod)).second) model.daemons.push_back(pod);
    }
  }
  measure(model);
  return model;
}

DaemonSets::DaemonSets(const Budget& budget, const WaitingPods& waiting, const Snapshot& fork)
    : budget_(budget), fork_(fork) {
  std::map<DaemonSetName, Set> sets;
  const auto see = [&sets](const PodInfoPtr& pod, std::optional<Row> row) {
    if (!is_of_daemon_set(*pod->pod)) return;
    auto& set = sets[daemon_set_of(*pod->pod)];
    // A rollout replaces the older pods.
    if (!set.pod || pod->pod->meta.created > set.pod->pod->meta.created) set.pod = pod;
    if (row) set.rows.push_back(*row);
  };
  for (const auto row : fork.rows_by_name()) {
    if (!has_time(budget)) return;
    for (const auto& pod : fork.entry(row).pods) see(pod, row);
  }
  for (const auto& pod : waiting) {
    if (!has_time(budget)) return;
    see(pod, fork.find_row(pinned_node(*pod->pod)));
  }
  for (auto& [_, set] : sets) {
    auto pod = std::make_shared<api::Pod>(*set.pod->pod);
    unschedule(*pod);
    pod->node_affinity.required.reset();
    set.pod = cluster::make_pod_info(std::move(pod), set.pod->rules);
    sets_.push_back(std::move(set));
  }
  if (sets_.empty()) return;
  for (const auto row : fork.rows_by_name()) {
    if (!has_time(budget)) return;
    for (const auto& [key, value] : fork.entry(row).node->meta.labels)
      labelled_[label_text(key, value)].push_back(row);
  }
}

// How many labels each other node has in common with one node.
struct DaemonSets::Likeness {
  std::vector<std::size_t> common;  // by row
  std::vector<Row> nearest;         // those with the most first

  Likeness(const api::Node& node, const DaemonSets& of) : common(of.fork_.rows()) {
    std::size_t most = 0;
    for (const auto& [key, value] : node.meta.labels) {
      const auto found = of.labelled_.find(label_text(key, value));
      if (found == of.labelled_.end()) continue;
      if (!has_time(of.budget_)) return;
      for (const auto row : found->second) most = std::max(most, ++common[row]);
    }
    std::vector<std::vector<Row>> by_common(most + 1);
    for (const auto row : of.fork_.rows_by_name()) by_common[most - common[row]].push_back(row);
    for (const auto& rows : by_common) nearest.insert(nearest.end(), rows.begin(), rows.end());
  }
};

// Anyone may name a DaemonSet as the owner of a pod. So a set costs no more than its pods and the nodes that
// do not admit it.
bool DaemonSets::runs_on(const Set& set, const api::Node& of, const Likeness& likeness) const {
  const auto& pod = *set.pod->pod;
  const api::Tolerations tolerations(pod.tolerations, false);
  const auto keeps_away = [&](const auto& taint) { return tolerations.are_kept_away_by(taint); };
  const auto admits_node = [&](const api::Node& node) {
    return node.meta.labels.contains_all(pod.node_selector) && std::ranges::none_of(node.taints, keeps_away);
  };
  const auto admits = [&](Row row) { return admits_node(*fork_.entry(row).node); };
  if (!admits_node(of)) return false;
  const auto first = std::ranges::find_if(likeness.nearest, admits);
  if (first == likeness.nearest.end()) return true;
  return std::ranges::any_of(set.rows, [&](Row other) {
    return likeness.common[other] == likeness.common[*first] && admits(other);
  });
}

NodeModel DaemonSets::model_of(const api::Node& node, std::vector<api::ResourceSlice> slices,
                               const std::optional<api::CsiNode>& drivers) const {
  NodeModel model{.stem = node.meta.name, .node = made_ready(node)};
  if (drivers) model.drivers = std::make_shared<const api::CsiNode>(*drivers);
  for (auto& slice : slices)
    model.slices.push_back(std::make_shared<const api::ResourceSlice>(std::move(slice)));
  if (sets_.empty()) {
    measure(model);
    return model;
  }
  const Likeness likeness(*model.node, *this);
  for (const auto& set : sets_) {
    if (!has_time(budget_)) break;
    if (!runs_on(set, *model.node, likeness)) continue;
    auto pod = std::make_shared<api::Pod>(*set.pod->pod);
    unschedule(*pod);
    pod->node_affinity.required.reset();
    model.daemons.push_back(cluster::make_pod_info(std::move(pod), set.pod->rules));
  }
  measure(model);
  return model;
}

std::vector<std::string> add_nodes(const NodeModel& model, std::int32_t count, const Budget& budget,
                                   Snapshot& fork) {
  std::vector<std::string> names;
  std::int32_t number = 0;
  for (std::int32_t i = 0; i < count && has_time(budget); ++i) {
    auto node = std::make_shared<api::Node>(*model.node);
    const auto& name = names.emplace_back(unused_name(model.stem, number, fork));
    node->meta.name = name;
    node->meta.uid = name + "-what-if";
    node->meta.labels.set(std::string(api::label::hostname), name);
    fork.set_node(std::move(node));
    if (model.drivers) {
      auto copy = std::make_shared<api::CsiNode>(*model.drivers);
      copy->meta.name = name;
      fork.objects().set<api::CsiNode>(std::move(copy));
    }
    add_slices(model, name, fork);
    for (const auto& pod : model.daemons) {
      auto copy = std::make_shared<api::Pod>(*pod->pod);
      copy->meta.name += "-" + name;
      copy->meta.uid += "@" + name;
      copy->node_name = name;
      fork.add_pod(cluster::make_pod_info(std::move(copy), pod->rules));
    }
  }
  return names;
}

}  // namespace podium::explain
