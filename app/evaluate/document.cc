#include "app/evaluate/document.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/values/device.h"
#include "base/version.h"
#include "scheduler/plugins/dynamic_resources/claim_json.h"

namespace podium::evaluate {
namespace {

namespace json = boost::json;
using cluster::Row;
using cluster::Snapshot;
using framework::Decision;

json::array texts_of(const std::vector<framework::Reason>& reasons) {
  json::array out;
  for (const auto& reason : reasons) out.emplace_back(reason.text);
  return out;
}

json::value to_json(const framework::Verdict& verdict) {
  return json::object{{"plugin", verdict.plugin},
                      {"code", framework::to_string(verdict.code)},
                      {"reasons", texts_of(verdict.reasons)}};
}

json::object rejected(const Decision& decision, const Snapshot& snapshot) {
  json::object out;
  if (decision.rejections.verdicts().empty()) return out;
  std::vector<json::value> verdicts;
  for (const auto& verdict : decision.rejections.verdicts()) verdicts.push_back(to_json(verdict));
  for (const Row row : snapshot.rows_by_name()) {
    if (const auto id = decision.rejections.id(row); id != framework::kFits) {
      out[snapshot.node_name(row)] = verdicts[id - 1];
    }
  }
  return out;
}

std::vector<Row> feasible_by_name(const Decision& decision, const Snapshot& snapshot) {
  std::vector<Row> rows;
  if (decision.feasible.words() == 0) return rows;
  std::ranges::copy_if(snapshot.rows_by_name(), std::back_inserter(rows),
                       [&](Row row) { return decision.feasible.test(row); });
  return rows;
}

json::array names(const std::vector<Row>& rows, const Snapshot& snapshot) {
  json::array out;
  for (const Row row : rows) out.emplace_back(snapshot.node_name(row));
  return out;
}

std::vector<const framework::Strategy*> strategies_by_name(const Decision& decision) {
  std::vector<const framework::Strategy*> out;
  for (const auto& strategy : decision.strategies) out.push_back(&strategy);
  std::ranges::sort(out, {}, &framework::Strategy::name);
  return out;
}

json::object weights(const Decision& decision) {
  json::object out;
  for (const auto* strategy : strategies_by_name(decision)) out[strategy->name] = strategy->weight;
  return out;
}

json::object scores(const Decision& decision, const Snapshot& snapshot, const std::vector<Row>& feasible) {
  json::object out;
  if (decision.total.empty()) return out;
  const auto strategies = strategies_by_name(decision);
  for (const Row row : feasible) {
    json::object plugins;
    for (const auto* strategy : strategies) plugins[strategy->name] = strategy->at(row);
    out[snapshot.node_name(row)] =
        json::object{{"total", decision.total[row]}, {"plugins", std::move(plugins)}};
  }
  return out;
}

json::value preemption(const Decision& decision) {
  if (!decision.preemption) return nullptr;
  json::array victims;
  for (const auto& victim : decision.preemption->victims) victims.emplace_back(victim->pod->full_name());
  return json::object{{"nominatedNode", decision.preemption->node}, {"victims", std::move(victims)}};
}

json::object candidates(const std::vector<plugins::PreemptionCandidate>& list, const Snapshot& snapshot) {
  json::object out;
  for (const auto& candidate : list) {
    json::array victims;
    for (const auto& victim : candidate.victims) victims.emplace_back(victim->pod->full_name());
    out[snapshot.node_name(candidate.row)] =
        json::object{{"victims", std::move(victims)}, {"pdbViolations", candidate.budget_violations}};
  }
  return out;
}

json::object allocations(const PodResult& result) {
  json::object out;
  for (const auto& [node, claims] : result.allocations) {
    json::object of_node;
    for (const auto& claim : claims)
      of_node[claim->meta.name] = plugins::allocation_json(*claim->status.allocation);
    out[node] = std::move(of_node);
  }
  return out;
}

json::object to_json(const PodResult& result, const Snapshot& snapshot) {
  const auto& decision = result.decision;
  auto feasible = feasible_by_name(decision, snapshot);
  json::object out{
      {"pod", result.pod->pod->full_name()}, {"profile", result.profile}, {"nodes", decision.node_count}};
  if (decision.choice) out["node"] = snapshot.node_name(*decision.choice);
  if (decision.pre_enqueue) out["preEnqueue"] = to_json(*decision.pre_enqueue);
  out["preFilter"] = decision.pre_filter ? to_json(*decision.pre_filter) : json::value(nullptr);
  out["rejected"] = rejected(decision, snapshot);
  out["feasible"] = names(feasible, snapshot);
  out["weights"] = weights(decision);
  out["skippedScorePlugins"] =
      json::array(decision.skipped_strategies.begin(), decision.skipped_strategies.end());
  out["scores"] = scores(decision, snapshot, feasible);
  if (!decision.total.empty()) {
    std::ranges::stable_sort(feasible, std::greater{}, [&](Row row) { return decision.total[row]; });
  }
  out["top"] = names(feasible, snapshot);
  if (!decision.nominated_node.empty()) out["nominatedNode"] = decision.nominated_node;
  out["message"] = decision.message;
  out["preemption"] = preemption(decision);
  if (!result.candidates.empty()) out["preemptionCandidates"] = candidates(result.candidates, snapshot);
  if (!result.allocations.empty()) out["allocations"] = allocations(result);
  if (!decision.error.empty()) out["error"] = decision.error;
  return out;
}

}  // namespace

json::value to_document(const std::vector<PlacedPod>& pods) {
  json::array list;
  for (const auto& placed : pods) {
    json::object one{{"pod", placed.pod}, {"nodes", placed.nodes}, {"feasible", placed.feasible}};
    if (placed.node.empty()) {
      one["message"] = placed.message;
    } else {
      one["node"] = placed.node;
      if (placed.score) one["score"] = *placed.score;
    }
    list.push_back(std::move(one));
  }
  return json::object{{"kubernetesVersion", kKubernetesVersion}, {"placements", std::move(list)}};
}

json::value to_document(const std::vector<PodResult>& results, const Snapshot& snapshot) {
  json::array list;
  for (const auto& result : results) list.push_back(to_json(result, snapshot));
  return json::object{{"kubernetesVersion", kKubernetesVersion}, {"results", std::move(list)}};
}

}  // namespace podium::evaluate
