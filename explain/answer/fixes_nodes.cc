// Nodes that could be added or uncordoned: one of each shape.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "explain/answer/changes.h"
#include "explain/answer/fix_kinds.h"
#include "explain/answer/node_shapes.h"
#include "scheduler/cluster/pod_requests.h"
#include "scheduler/framework/filters.h"
#include "scheduler/framework/plugin_names.h"

namespace podium::explain {
namespace {

using cluster::Row;
using cluster::Snapshot;

constexpr std::size_t kMostUncordoned = 4;

// Labels that do not distinguish nodes for the pod, so that no fix asks for nodes by them.
LabelKeys keys_not_asked_for(const Trials& trials) {
  const auto& question = trials.question();
  auto keys = keys_of_one_node(question.fork, question.replicas.budget);
  using namespace framework::names;
  const bool has_places = std::ranges::any_of(
      std::to_array<std::string_view>({kInterPodAffinity, kPodTopologySpread, kVolumeBinding, kVolumeZone}),
      [&](auto plugin) { return trials.rejected_by(plugin); });
  for (const auto place : {api::label::zone, api::label::region}) {
    if (has_places)
      keys.erase(std::string(place));
    else
      keys.emplace(place);
  }
  for (const auto& key : keys_of_constraints(trials.pod())) keys.erase(key);
  keys.emplace(api::label::hostname);
  return keys;
}

// A node that is large enough comes before one that is not, then the one with the fewest resources that the
// pod does not request, then the smallest.
auto distance(const cluster::PodInfo& pod, const api::Node& node) {
  const auto has = cluster::to_resources(node.allocatable);
  const auto& asks = pod.requests;
  bool too_small = asks.milli_cpu > has.milli_cpu || asks.memory > has.memory ||
                   asks.ephemeral_storage > has.ephemeral_storage;
  for (const auto& [name, amount] : asks.scalars) too_small |= amount > has.scalar(name);
  const auto idle = std::ranges::count_if(
      has.scalars, [&](const auto& each) { return each.second > 0 && asks.scalar(each.first) == 0; });
  return std::tuple(too_small, idle, has.milli_cpu, has.memory);
}

std::vector<Row> cordoned_rows(const Trials& trials) {
  auto out = trials.rejected();
  std::erase_if(out,
                [&](Row row) { return trials.verdict(row).plugin != framework::names::kNodeUnschedulable; });
  return out;
}

// The resources that the node's pods request, as a key: nodes with equal keys are alike.
std::string taken_of(Row row, const Snapshot& fork) {
  auto out = fmt::format("{} {} {} {}", fork.requested_milli_cpu[row], fork.requested_memory[row],
                         fork.requested_ephemeral[row], fork.pod_count[row]);
  for (const auto& [name, _] : fork.entry(row).node->allocatable) {
    if (const auto* column = cluster::is_scalar_resource(name) ? fork.scalar(name) : nullptr)
      out += fmt::format(" {}", column->requested[row]);
  }
  return out;
}

}  // namespace

std::vector<Remedy> uncordoned(const Trials& trials) {
  const auto rows = cordoned_rows(trials);
  if (rows.empty()) return {};
  const auto& fork = trials.question().fork;
  const auto without = keys_not_asked_for(trials);
  auto open = fork;
  for (const auto row : rows) uncordon(row, open);
  const framework::Filters filters(trials.question().pod, open, trials.quiet());
  struct Equal {
    Row first;
    std::size_t others = 0;
  };
  std::map<std::string, std::size_t> known;
  std::vector<Equal> taking, rejecting;
  for (const auto row : rows) {
    if (!trials.has_time()) return {};
    const bool takes = !filters.check(row, {});
    auto& of_kind = takes ? taking : rejecting;
    const auto key =
        fmt::format("{} {} {}", takes, taken_of(row, fork), shape_of(*fork.entry(row).node, without));
    const auto [found, is_new] = known.try_emplace(key, of_kind.size());
    if (is_new)
      of_kind.push_back({row});
    else
      ++of_kind[found->second].others;
  }
  taking.insert(taking.end(), rejecting.begin(), rejecting.end());
  taking.resize(std::min(taking.size(), kMostUncordoned), Equal{});
  std::vector<Remedy> out;
  for (const auto& [row, others] : taking) {
    const std::string name(fork.node_name(row));
    out.push_back({.type = "UncordonNode",
                   .fields = {{"nodeName", name}},
                   .message = fmt::format("uncordon {}{}", name,
                                          others == 0   ? ""
                                          : others == 1 ? " or another one like it"
                                                        : fmt::format(" or one of {} like it", others)),
                   .change_cluster = [row](Snapshot& changed) { uncordon(row, changed); }});
  }
  return out;
}

std::vector<Remedy> new_nodes(const Trials& trials, std::size_t most) {
  const auto& question = trials.question();
  const auto without = keys_not_asked_for(trials);
  std::set<std::string> shapes;
  std::vector<std::pair<decltype(distance(question.pod, {})), Row>> nearest;
  for (const auto row : question.fork.rows_by_name()) {
    if (!trials.has_time()) return {};
    const auto& node = *question.fork.entry(row).node;
    if (shapes.insert(shape_of(node, without)).second)
      nearest.emplace_back(distance(question.pod, node), row);
  }
  std::ranges::stable_sort(nearest, {}, &decltype(nearest)::value_type::first);
  std::vector<Remedy> out;
  for (const auto& [_, row] : nearest) {
    if (out.size() == most) break;
    const std::string like(question.fork.node_name(row));
    out.push_back({.type = "AddNodes",
                   .fields = {{"count", 1}, {"like", like}},
                   .message = "one more node like " + like,
                   .change_cluster = [like, &budget = question.replicas.budget,
                                      &waiting = question.waiting](cluster::Snapshot& fork) {
                     add_nodes(NodesLike(budget, waiting, fork).model_of(*fork.find_row(like)), 1, budget,
                               fork);
                   }});
  }
  return out;
}

}  // namespace podium::explain
