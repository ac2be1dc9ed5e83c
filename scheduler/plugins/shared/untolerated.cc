#include "scheduler/plugins/shared/untolerated.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "api/values/tolerations.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin_names.h"

namespace podium::plugins {
namespace {

using cluster::Row;

std::string text_of(const api::Taint& taint) {
  const bool executes = taint.effect == api::TaintEffect::no_execute;
  return fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                     executes ? "NoExecute" : "NoSchedule");
}

// A comparison counts as tolerating a taint even if its feature is off: a taint is named only if it keeps the
// pod away in any case.
api::Tolerations tolerations_of(const api::Pod& pod) { return {pod.tolerations, true}; }

std::vector<std::string> texts_of(const std::vector<api::Taint>& taints,
                                  const api::Tolerations& tolerations) {
  std::vector<std::string> out;
  for (const auto& taint : taints) {
    if (tolerations.are_kept_away_by(taint)) out.push_back(text_of(taint));
  }
  return out;
}

// Counts the nodes that the plugin rejected, by set of taints.
std::vector<std::size_t> rejected_by_set(const framework::Decision& decision,
                                         const cluster::Snapshot& snapshot) {
  std::vector<std::size_t> nodes_of_set(snapshot.taint_sets().size());
  snapshot.present().each([&](Row row) {
    const auto id = decision.rejections.id(row);
    if (id != framework::kFits &&
        decision.rejections.verdict(id).plugin == framework::names::kTaintToleration)
      ++nodes_of_set[snapshot.taint_set[row]];
  });
  return nodes_of_set;
}

}  // namespace

std::vector<std::string> untolerated_taints(const cluster::PodInfo& pod, const framework::Decision& decision,
                                            const cluster::Snapshot& snapshot) {
  const auto sets = snapshot.taint_sets();
  const auto nodes_of_set = rejected_by_set(decision, snapshot);
  const auto tolerations = tolerations_of(*pod);
  std::map<std::string, std::size_t> nodes_of_taint;
  for (std::size_t id = 0; id < sets.size(); ++id) {
    if (nodes_of_set[id] == 0) continue;
    for (auto& text : texts_of(sets[id].taints, tolerations))
      nodes_of_taint[std::move(text)] += nodes_of_set[id];
  }
  std::vector<std::pair<std::string, std::size_t>> counted(nodes_of_taint.begin(), nodes_of_taint.end());
  std::ranges::stable_sort(counted, std::ranges::greater(), &std::pair<std::string, std::size_t>::second);
  std::vector<std::string> out;
  for (auto& [text, nodes] : counted) out.push_back(std::move(text));
  return out;
}

std::size_t nodes_kept_away_only_by(bool (*is_wanted)(const api::Taint&), const cluster::PodInfo& pod,
                                    const framework::Decision& decision, const cluster::Snapshot& snapshot) {
  const auto sets = snapshot.taint_sets();
  const auto nodes_of_set = rejected_by_set(decision, snapshot);
  const auto tolerations = tolerations_of(*pod);
  std::size_t nodes = 0;
  for (std::size_t id = 0; id < sets.size(); ++id) {
    const bool is_only = nodes_of_set[id] > 0 && std::ranges::all_of(sets[id].taints, [&](const auto& taint) {
                           return is_wanted(taint) || !tolerations.are_kept_away_by(taint);
                         });
    if (is_only) nodes += nodes_of_set[id];
  }
  return nodes;
}

std::vector<std::string> untolerated_taints(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot,
                                            Row row) {
  return texts_of(snapshot.taint_sets()[snapshot.taint_set[row]].taints, tolerations_of(*pod));
}

}  // namespace podium::plugins
