// A cluster as lists, its snapshot, and the verdicts and scores of one plugin for one pod by node name. For
// the tests of plugins that depend on other pods.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin.h"
#include "unit/support/builders.h"

namespace podium::plugins::topology_test {

struct TestCluster {
  std::vector<api::Node> nodes;
  std::vector<api::Pod> pods;  // with a node_name
  std::vector<api::Namespace> namespaces;
  std::vector<api::Workload> workloads;

  cluster::Snapshot snapshot() const {
    cluster::Snapshot result;
    for (const auto& node : nodes) result.set_node(std::make_shared<api::Node>(node));
    for (const auto& pod : pods) result.add_pod(cluster::make_pod_info(std::make_shared<api::Pod>(pod)));
    for (const auto& ns : namespaces) result.objects().set(std::make_shared<const api::Namespace>(ns));
    for (const auto& each : workloads)
      result.objects().set_workload(std::make_shared<const api::Workload>(each));
    return result;
  }
};

// By node: "" where it fits, else "U: reason" or "UU: reason".
using Verdicts = std::map<std::string, std::string>;
// By node; nullopt where the plugin is skipped.
using Scores = std::optional<std::map<std::string, std::int64_t>>;

inline std::string text(const std::optional<framework::Verdict>& verdict) {
  if (!verdict) return "";
  return (verdict->code == framework::Code::unschedulable ? "U: " : "UU: ") + verdict->reasons.front().text;
}

inline Verdicts filter(const framework::FilterPlugin& plugin, const api::Pod& pod,
                       const cluster::Snapshot& snapshot) {
  const auto info = cluster::make_pod_info(std::make_shared<api::Pod>(pod));
  const auto prepared = plugin.prepare_filter(*info, snapshot);
  framework::Rejections rejections(snapshot.chunks());
  auto nodes = snapshot.present();
  if (prepared.filter) prepared.filter->filter(nodes, rejections);
  Verdicts result;
  snapshot.present().each([&](cluster::Row row) {
    std::optional<framework::Verdict> verdict;
    if (!nodes.test(row)) verdict = rejections.verdict(rejections.id(row));
    result[std::string(snapshot.node_name(row))] = text(verdict);
  });
  return result;
}

// The verdict on one node with pods added to it or removed from it.
inline std::string check(const framework::FilterPlugin& plugin, const api::Pod& pod,
                         const cluster::Snapshot& snapshot, const std::string& node,
                         const std::vector<api::Pod>& added, const std::vector<api::Pod>& removed) {
  const auto infos = [](const std::vector<api::Pod>& pods) {
    std::vector<cluster::PodInfoPtr> result;
    for (const auto& each : pods) result.push_back(cluster::make_pod_info(std::make_shared<api::Pod>(each)));
    return result;
  };
  const auto info = cluster::make_pod_info(std::make_shared<api::Pod>(pod));
  const auto prepared = plugin.prepare_filter(*info, snapshot);
  if (!prepared.filter) return "";
  const auto plus = infos(added), minus = infos(removed);
  return text(prepared.filter->check(*snapshot.find_row(node), {plus, minus}));
}

// Scores of the nodes that are not named as infeasible.
inline Scores score(const framework::ScorePlugin& plugin, const api::Pod& pod,
                    const cluster::Snapshot& snapshot, const std::vector<std::string>& infeasible = {}) {
  const auto info = cluster::make_pod_info(std::make_shared<api::Pod>(pod));
  auto feasible = snapshot.present();
  for (const auto& name : infeasible) feasible.clear(*snapshot.find_row(name));
  const auto prepared = plugin.prepare_score(*info, snapshot, feasible);
  if (!prepared.scorer) return std::nullopt;
  std::vector<std::uint8_t> out(snapshot.chunks() * cluster::kChunkRows);
  prepared.scorer->score(feasible, out);
  Scores result{std::in_place};
  feasible.each([&](cluster::Row row) { (*result)[std::string(snapshot.node_name(row))] = out[row]; });
  return result;
}

}  // namespace podium::plugins::topology_test
