#include "scheduler/plugins/shared/untolerated.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "api/values/tolerations.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/unmet.h"

namespace podium::plugins {
namespace {

using cluster::Row;

std::string text_of(const api::Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                     to_string(taint.effect));
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

using Part = MissedToleration::Part;
using Taints = std::vector<const api::Taint*>;

// A pod may have thousands of tolerations, and each node thousands of taints.
constexpr std::size_t kTaintsCompared = 16, kTolerationsCompared = 32;

// The part of both, if the toleration would tolerate the taint with the taint's part.
std::optional<MissedToleration> missed_in(Part part, const api::Toleration& toleration,
                                          const api::Taint& taint) {
  auto changed = toleration;
  MissedToleration out{.part = part, .key = toleration.key};
  switch (part) {
    case Part::value:
      changed.value = taint.value;
      out.has = toleration.value;
      out.taint_has = taint.value;
      break;
    case Part::effect:
      changed.effect = taint.effect;
      out.has = to_string(toleration.effect);
      out.taint_has = to_string(taint.effect);
      break;
    case Part::key:
      if (toleration.key.empty() || similar_keys(toleration.key, {taint.key}).empty()) return std::nullopt;
      changed.key = taint.key;
      out.has = toleration.key;
      out.taint_has = taint.key;
      break;
  }
  return changed.tolerates(taint, true) ? std::optional(std::move(out)) : std::nullopt;
}

bool tolerates_some_node(const api::Toleration& toleration, const cluster::Snapshot& snapshot) {
  return std::ranges::any_of(snapshot.taint_sets(), [&](const auto& set) {
    return set.nodes > 0 && std::ranges::any_of(set.taints, [&](const api::Taint& taint) {
             return toleration.tolerates(taint, true);
           });
  });
}

// `taints`: not tolerated.
std::optional<MissedToleration> nearest(const std::vector<api::Toleration>& tolerations, const Taints& taints,
                                        const cluster::Snapshot& snapshot) {
  const auto most = std::min(tolerations.size(), kTolerationsCompared);
  std::array<std::optional<bool>, kTolerationsCompared> serves;  // some node; it is asked once, of all taints
  for (const auto part : {Part::value, Part::effect, Part::key}) {
    for (std::size_t i = 0; i < most; ++i) {
      for (const auto* taint : taints) {
        auto missed = missed_in(part, tolerations[i], *taint);
        if (!missed) continue;
        if (part != Part::effect && !serves[i]) serves[i] = tolerates_some_node(tolerations[i], snapshot);
        if (part == Part::effect || !*serves[i]) return missed;
      }
    }
  }
  return std::nullopt;
}

// Adds the taints that are not tolerated, each once. False: there are enough.
bool add_untolerated(bool (*is_wanted)(const api::Taint&), const std::vector<api::Taint>& taints,
                     const api::Tolerations& tolerations, Taints& out) {
  for (const auto& taint : taints) {
    if (out.size() == kTaintsCompared) return false;
    const auto is_same = [&](const api::Taint* other) { return *other == taint; };
    if (is_wanted(taint) && tolerations.are_kept_away_by(taint) && std::ranges::none_of(out, is_same))
      out.push_back(&taint);
  }
  return true;
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

Untolerated::Untolerated(const api::Pod& pod) : tolerations_(tolerations_of(pod)) {}

std::vector<std::string> Untolerated::on(const cluster::Snapshot& snapshot, Row row) const {
  return texts_of(snapshot.taint_sets()[snapshot.taint_set[row]].taints, tolerations_);
}

std::optional<MissedToleration> missed_toleration(bool (*is_wanted)(const api::Taint&),
                                                  const cluster::PodInfo& pod,
                                                  const framework::Decision& decision,
                                                  const cluster::Snapshot& snapshot) {
  if (pod->tolerations.empty()) return std::nullopt;
  const auto sets = snapshot.taint_sets();
  const auto nodes_of_set = rejected_by_set(decision, snapshot);
  const auto tolerations = tolerations_of(*pod);
  Taints taints;
  for (std::size_t id = 0; id < sets.size(); ++id) {
    if (nodes_of_set[id] > 0 && !add_untolerated(is_wanted, sets[id].taints, tolerations, taints)) break;
  }
  return nearest(pod->tolerations, taints, snapshot);
}

std::optional<MissedToleration> missed_toleration(bool (*is_wanted)(const api::Taint&),
                                                  const cluster::PodInfo& pod,
                                                  const cluster::Snapshot& snapshot, Row row) {
  Taints taints;
  add_untolerated(is_wanted, snapshot.taint_sets()[snapshot.taint_set[row]].taints, tolerations_of(*pod),
                  taints);
  return nearest(pod->tolerations, taints, snapshot);
}

}  // namespace podium::plugins
