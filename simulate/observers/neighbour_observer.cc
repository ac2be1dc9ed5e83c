#include "simulate/observers/neighbour_observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "scheduler/cluster/snapshot.h"
#include "simulate/server/cpu_requests.h"

namespace podium::simulate {
namespace {

// An engine may read events between a decision and the start of its binding, in one turn of its loop.
constexpr std::chrono::milliseconds kTurn{2};
// At most, from a decision to the start of its binding, which waits for those before it.
constexpr std::chrono::milliseconds kToBegin{100};

std::map<std::string, std::string> labels_of(const json::value& node) {
  return {{"zone", text_at(node, "/metadata/labels/zone")},
          {"kubernetes.io/hostname", text_at(node, "/metadata/name")}};
}

std::map<std::string, std::string> labels_of(const api::Node& node) {
  const auto* zone = node.meta.labels.find("zone");
  return {{"zone", zone ? *zone : ""}, {"kubernetes.io/hostname", node.meta.name}};
}

}  // namespace

void NeighbourObserver::committed(const Commit& commit) {
  history_.committed(commit);
  if (commit.key.plural == "pods" && !text_at(commit.after->value, "/spec/nodeName").empty())
    bound_.insert(uid_of(commit.after->value));
}

bool NeighbourObserver::knew_node(const std::string& name, const std::string& engine, Steady decided) const {
  const auto node = store_.find({"nodes", "", name});
  return node && nodes_.knew(uid_of(node->value), engine, decided);
}

std::vector<Neighbour> NeighbourObserver::gone_lately(const std::string& engine,
                                                      const cluster::Snapshot& snapshot) const {
  std::vector<Neighbour> out;
  for (auto it = begun_.lower_bound({engine, ""}); it != begun_.end() && it->first.first == engine; ++it) {
    const auto& [pod, refused] = it->second;
    const auto last_read = history_.last_read(engine, pod.uid);
    const bool is_deleted =
        last_read && agenda_.now() - *last_read <= kToBegin && !snapshot.find_pod(pod.uid);
    if (is_deleted || (refused && agenda_.now() - *refused <= kToBegin)) out.push_back(pod);
  }
  return out;
}

Topology NeighbourObserver::topology() const {
  Topology out;
  for (const auto& node : store_.all("nodes"))
    out[text_at(node->value, "/metadata/name")] = labels_of(node->value);
  return out;
}

std::vector<Neighbour> NeighbourObserver::placed_but(const std::string& uid) const {
  std::vector<Neighbour> out;
  for (const auto& pod : store_.all("pods")) {
    if (text_at(pod->value, "/spec/nodeName").empty() || is_finished(pod->value)) continue;
    if (uid_of(pod->value) != uid) out.push_back(neighbour_of(pod->value));
  }
  return out;
}

StoredPtr NeighbourObserver::waiting_pod(const std::string& uid) const {
  for (const auto& pod : store_.all("pods")) {
    if (uid_of(pod->value) == uid) return text_at(pod->value, "/spec/nodeName").empty() ? pod : nullptr;
  }
  return nullptr;
}

bool NeighbourObserver::is_newly_read(const std::string& engine, const std::string& uid) const {
  const auto last = history_.last_read(engine, uid);
  return last && *last + kTurn >= agenda_.now();
}

// The rules are those of the API server's object. Bindings begin in the order of their decisions: a pod whose
// binding has not begun was placed later. An event that arrived since the decision does not count
// against it.
NeighbourObserver::Broken NeighbourObserver::begins(const std::string& engine,
                                                    const cluster::Snapshot& snapshot, const std::string& uid,
                                                    const std::string& node) {
  auto& begun = begun_[{engine, uid}];
  begun = {};
  const auto stored = waiting_pod(uid);
  const auto* assumed = snapshot.find_pod(uid);
  if (!assumed) return std::nullopt;
  auto pod = neighbour_of(***assumed);
  begun.pod = pod;  // also of a pod that is gone: others were decided with it in place (4325865)
  begun.pod.node = node;
  if (!stored) return std::nullopt;
  pod.rules = neighbour_of(stored->value).rules;
  std::vector<Neighbour> others, sure;
  const auto nodes = nodes_read_.find(engine);
  // Decisions between the pieces of a list of nodes; their bindings wait for each other.
  bool has_changed = is_newly_read(engine, uid) ||
                     (nodes != nodes_read_.end() && nodes->second + 4 * kTurn >= agenda_.now());
  snapshot.each_pod([&](const cluster::PodInfoPtr& other) {
    const auto& its = (*other)->meta.uid;
    const auto its_binding = begun_.find({engine, its});
    if (its == uid || (its_binding == begun_.end() && !read_placed_.contains(engine + its))) return;
    others.push_back(neighbour_of(**other));
    const auto& back = others.back();
    if (bound_.contains(its) || its_binding == begun_.end() || !its_binding->second.refused)
      sure.push_back(back);
    has_changed = has_changed || (back.ns == pod.ns && is_newly_read(engine, back.uid));
  });
  Topology topology;
  for (const auto row : snapshot.rows_by_name())
    topology[std::string(snapshot.node_name(row))] = labels_of(*snapshot.entry(row).node);
  if (has_changed) return std::nullopt;
  // A pod that is gone may have been there at the decision: one such pod can be the company that an affinity
  // needs while another would be too much (4325865). So each rule is asked for on its own.
  auto all = others;
  std::ranges::copy(gone_lately(engine, snapshot), std::back_inserter(all));
  const auto without = broken_rules(pod, node, sure, topology);
  const auto with = broken_rules(pod, node, all, topology);
  for (const auto& broken : broken_rules(pod, node, others, topology)) {
    if (without.contains(broken) && with.contains(broken))
      return fmt::format("{} binds {} to {}, which breaks {}", engine, pod.name, node, broken);
  }
  return std::nullopt;
}

StoredPtr NeighbourObserver::repels(const json::value& pod, const std::string& engine, Steady decided) const {
  const auto node = text_at(pod, "/spec/nodeName");
  const auto topology = this->topology();
  const auto now = neighbour_of(pod);
  for (const auto& other : store_.all("pods")) {
    const auto there = text_at(other->value, "/spec/nodeName");
    if (there.empty() || is_finished(other->value) || uid_of(other->value) == now.uid) continue;
    if (!repel(now, node, neighbour_of(other->value), there, topology)) continue;
    if (!knew_node(node, engine, decided) || !knew_node(there, engine, decided)) continue;
    const auto its = history_.possible_of_placed(uid_of(other->value), engine, decided);
    const auto own = history_.possible(now.uid, engine, decided);
    const bool always = std::ranges::all_of(own, [&](const auto& one) {
      return std::ranges::all_of(its, [&](const auto& two) {
        return repel(neighbour_of(one->value), node, neighbour_of(two->value), there, topology);
      });
    });
    if (always) return other;
  }
  return nullptr;
}

std::int64_t NeighbourObserver::least_cpu(const json::value& pod, const std::string& engine,
                                          Steady decided) const {
  auto least = counted_cpu(pod);
  for (const auto& one : history_.possible_of_placed(uid_of(pod), engine, decided))
    least = std::min(least, counted_cpu(one->value));
  return least;
}

// A node on which the pod's own affinity is not satisfied is not a candidate for preemption.
bool NeighbourObserver::allows(const json::value& pod, const std::string& node, bool evicts) const {
  auto mine = neighbour_of(pod);
  const auto topology = this->topology();
  auto others = placed_but(mine.uid);
  if (!evicts) return broken_rules(mine, node, others, topology).empty();
  std::erase_if(others,
                [&](const Neighbour& one) { return one.node == node && one.priority < mine.priority; });
  if (!broken_rules(mine, node, others, topology).empty()) return false;
  std::erase_if(mine.rules, [](const Rule& rule) { return rule.kind != Rule::Kind::affinity; });
  return !std::ranges::any_of(mine.rules, [&](const Rule& rule) {
    auto alone = mine;
    alone.rules = {rule};
    auto placed = placed_but(mine.uid);
    for (auto& one : placed) one.rules.clear();
    return !broken_rules(alone, node, placed, topology).empty();
  });
}

bool NeighbourObserver::may_wait_for_flush(const json::value& pod, bool evicts) const {
  const auto mine = neighbour_of(pod);
  const bool has_affinity =
      std::ranges::any_of(mine.rules, [](const Rule& rule) { return rule.kind == Rule::Kind::affinity; });
  return is_only_repelled(mine) || (evicts && !mine.rules.empty()) ||
         (has_affinity && is_first_of_its_kind(mine));
}

bool NeighbourObserver::is_only_repelled(const Neighbour& mine) const {
  if (std::ranges::any_of(mine.rules, [](const Rule& rule) { return rule.kind != Rule::Kind::spread; }))
    return false;
  return std::ranges::any_of(placed_but(mine.uid), [&](const Neighbour& other) {
    return other.ns == mine.ns && std::ranges::any_of(other.rules, [&](const Rule& rule) {
             return rule.kind == Rule::Kind::anti_affinity && rule.app == mine.app;
           });
  });
}

bool NeighbourObserver::is_first_of_its_kind(const Neighbour& mine) const {
  return std::ranges::none_of(placed_but(mine.uid), [&](const Neighbour& other) {
    return other.ns == mine.ns && other.app == mine.app;
  });
}

}  // namespace podium::simulate
