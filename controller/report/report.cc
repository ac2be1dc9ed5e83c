#include "controller/report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <map>

#include "controller/report/metadata.h"
#include "scheduler/plugins/node_resources/shortfall.h"
#include "scheduler/plugins/reason_codes.h"
#include "scheduler/plugins/shared/untolerated.h"

namespace podium::controller {
namespace {

constexpr std::size_t kTopNodes = 10, kStrategyNodes = 5, kRejections = 16, kExamples = 3, kVictims = 16,
                      kPlacements = 64, kZones = 16, kGates = 16, kDevices = 32, kDeviceRequests = 8,
                      kTaints = 3;
constexpr std::size_t kMessageBytes = 8192, kReasonBytes = 1024;

std::vector<NodeScore> named(const std::vector<framework::Ranked>& ranked,
                             const cluster::Snapshot& snapshot) {
  std::vector<NodeScore> out;
  out.reserve(ranked.size());
  for (const auto& [row, score] : ranked) out.push_back({std::string(snapshot.node_name(row)), score});
  return out;
}

template <typename T>
std::vector<T> first(const std::vector<T>& all, std::size_t most) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most))};
}

// Puts the chosen node first. `best` has the best nodes, or is empty.
void choice_first(const framework::Decision& decision, std::vector<framework::Ranked>& best) {
  if (best.empty()) return;
  const auto chosen = *decision.choice;
  auto at = std::ranges::find(best, chosen, &framework::Ranked::row);
  if (at == best.end()) {
    at = std::prev(best.end());  // makes room in a full list: a feasible node that is not in it
    *at = {chosen, decision.total[chosen]};
  }
  std::rotate(best.begin(), at, std::next(at));
}

void project_scores(const framework::Decision& decision, const cluster::Snapshot& snapshot,
                    ReportStatus& status) {
  auto& choice = status.choice.emplace();
  choice.node = std::string(snapshot.node_name(*decision.choice));
  auto best = framework::top_total(decision, snapshot, kTopNodes);
  if (const auto lead = framework::lead_of(decision, best)) {
    choice.score = decision.total[*decision.choice];
    choice.tied_nodes = lead->tied;
    choice.margin = lead->margin;
  }
  choice_first(decision, best);
  for (const auto& [row, score] : best) {
    auto& top = status.top_nodes.emplace_back(std::string(snapshot.node_name(row)), score);
    top.strategy_scores.reserve(decision.strategies.size());
    for (const auto& strategy : decision.strategies) top.strategy_scores.push_back(strategy.at(row));
  }
  status.strategies.reserve(decision.strategies.size());
  for (const auto& s : decision.strategies) {
    status.strategies.push_back(
        {s.name, s.weight, named(framework::top_of(s, decision, snapshot, kStrategyNodes), snapshot)});
  }
}

void project_rejections(const cluster::PodInfo& pod, const framework::Decision& decision,
                        const cluster::Snapshot& snapshot, ReportStatus& status) {
  auto groups = framework::group_rejections(decision, snapshot, kExamples);
  status.rejections_total = groups.size();
  if (groups.empty()) return;
  const auto shortfalls = plugins::shortfalls(pod, decision, snapshot);
  groups.resize(std::min(groups.size(), kRejections));
  for (auto& group : groups) {
    auto& rejection = status.rejections.emplace_back();
    rejection.code = plugins::reason_code(group.plugin, group.reason);
    const auto lacks = std::ranges::find(shortfalls, group.reason, &plugins::Shortfall::reason);
    if (group.plugin == "NodeResourcesFit" && lacks != shortfalls.end()) {
      rejection.shortfall.emplace(lacks->resource, lacks->least, lacks->node);
    }
    if (group.plugin == plugins::kTaintPlugin) {
      auto taints = plugins::untolerated_taints(pod, decision, snapshot);
      rejection.taints_total = taints.size();
      rejection.taints = first(taints, kTaints);
    }
    if (rejection.code == plugins::kInsufficientDevices) {
      rejection.devices = first(decision.findings.tallies, kDeviceRequests);
    }
    rejection.plugin = std::move(group.plugin);
    rejection.reason = cut(std::move(group.reason), kReasonBytes);
    rejection.nodes = group.nodes;
    rejection.preemption_may_help = group.preemption_may_help;
    rejection.examples = std::move(group.examples);
  }
}

}  // namespace

std::string cut(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  text.resize(bytes);
  return text;
}

ReportStatus project(const cluster::PodInfo& pod, const framework::Decision& decision,
                     const cluster::Snapshot& snapshot) {
  ReportStatus status;
  status.node_counts = {decision.node_count, decision.evaluated, decision.feasible.count()};
  status.message = cut(decision.error.empty() ? decision.message : decision.error, kMessageBytes);
  status.pods_version = snapshot.pods_version();
  if (decision.fits()) project_scores(decision, snapshot, status);
  project_rejections(pod, decision, snapshot, status);
  status.devices = first(decision.findings.devices, kDevices);
  status.devices_total = decision.findings.devices.size();
  if (decision.preemption) {
    auto& preempted = status.preemption.emplace();
    preempted.node = decision.preemption->node;
    preempted.total = decision.preemption->victims.size();
    for (const auto& victim : decision.preemption->victims) {
      if (preempted.victims.size() == kVictims) break;
      preempted.victims.emplace_back(victim->pod->meta.namespace_, victim->pod->meta.name);
    }
  }
  return status;
}

ReportStatus project_gated(const cluster::PodInfo& pod, const framework::Verdict& gate) {
  ReportStatus status;
  status.outcome = kGated;
  status.profile = pod->scheduler_name;
  const auto& gates = pod->scheduling_gates;
  status.scheduling_gates = first(gates, kGates);
  auto message = gates.empty() ? fmt::format("waits for {}: {}", gate.plugin, framework::message(gate))
                 : gates.size() == 1
                     ? "waits for its scheduling gate: " + gates.front()
                     : fmt::format("waits for {} scheduling gates: {}", gates.size(), fmt::join(gates, ", "));
  status.message = cut(std::move(message), kMessageBytes);
  return status;
}

void set_placements(ReportAnswer& answer, const std::vector<std::string>& nodes) {
  std::map<std::string_view, std::size_t> counts;
  for (const auto& node : nodes) ++counts[node];
  answer.placements.clear();
  for (const auto& [node, count] : counts) answer.placements.push_back({std::string(node), count});
  answer.placements_total = counts.size();
  std::ranges::stable_sort(answer.placements, std::ranges::greater(), &ReplicaPlacement::count);
  answer.placements.resize(std::min(answer.placements.size(), kPlacements));
}

void set_zones(ReportAnswer& answer, std::vector<ZonePlacements> zones) {
  answer.zones_total = zones.size();
  std::ranges::sort(zones, [](const ZonePlacements& a, const ZonePlacements& b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
  zones.resize(std::min(zones.size(), kZones));
  answer.zones = std::move(zones);
}

std::uint64_t content_hash(const ReportStatus& s) {
  std::size_t seed = 0;
  const auto add = [&seed](const auto&... values) { (boost::hash_combine(seed, values), ...); };
  add(s.outcome, s.profile);
  if (s.choice) add(s.choice->node);
  // The numbers of nodes order the rejections: their order is a counter, too.
  std::size_t reasons = 0;
  for (const auto& rejection : s.rejections) {
    std::size_t one = 0;
    boost::hash_combine(one, rejection.plugin);
    boost::hash_combine(one, rejection.reason);
    boost::hash_combine(one, rejection.preemption_may_help);
    reasons += one;
  }
  add(reasons, s.rejections.size(), s.scheduling_gates);
  if (s.preemption) add(s.preemption->node, s.preemption->victims);
  if (s.rejections.empty()) add(s.message);  // an error, not numbers of nodes
  for (const auto& condition : s.conditions) add(condition.type, condition.is_true, condition.reason);
  return seed;
}

}  // namespace podium::controller
