#include "app/render/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/values/topology_labels.h"
#include "app/render/amounts.h"
#include "app/render/text.h"
#include "explain/report/reason_words.h"
#include "explain/report/state_taints.h"
#include "scheduler/framework/plugin_names.h"

namespace podium::render {
namespace names = framework::names;
namespace {

constexpr std::size_t kTaintsNamed = 3, kBudgetsNamed = 4;

constexpr Word kStrategies[] = {
    {names::kTaintToleration, "taints"},
    {names::kNodeAffinity, "node affinity"},
    {names::kPodTopologySpread, "spread of the pods"},
    {names::kInterPodAffinity, "pod affinity"},
    {names::kNodeResourcesFit, "cpu and memory"},
    {names::kNodeResourcesBalancedAllocation, "cpu/memory balance"},
    {names::kImageLocality, "image present"},
    {names::kVolumeBinding, "volumes"},
    {names::kDynamicResources, "devices"},
};

constexpr Word kFilters[] = {
    {names::kNodeUnschedulable, "not cordoned"},
    {names::kNodeName, "the node's name"},
    {names::kTaintToleration, "taints"},
    {names::kNodeAffinity, "node selector and affinity"},
    {names::kNodePorts, "host ports"},
    {names::kNodeResourcesFit, "room for one more pod"},
    {names::kVolumeRestrictions, "disks"},
    {names::kNodeVolumeLimits, "number of volumes"},
    {names::kVolumeBinding, "volumes"},
    {names::kVolumeZone, "zone of the volumes"},
    {names::kPodTopologySpread, "spread of the pods"},
    {names::kInterPodAffinity, "pod affinity"},
    {names::kDynamicResources, "devices"},
    {names::kNodeDeclaredFeatures, "node features"},
};

}  // namespace

std::span<const Word> strategy_table() { return kStrategies; }

std::string strategy_words(std::string_view plugin) {
  const auto exact = std::ranges::find(kStrategies, plugin, &Word::first);
  return std::string(exact == std::end(kStrategies) ? plugin : exact->second);
}

std::string filter_words(std::string_view plugin) {
  const auto exact = std::ranges::find(kFilters, plugin, &Word::first);
  return std::string(exact == std::end(kFilters) ? plugin : exact->second);
}

std::string listed_taints(const std::vector<std::string>& taints, std::size_t most, std::size_t total) {
  std::vector<std::string> words, states;
  for (const auto& taint : taints) {
    const auto state = explain::state_of_taint_text(taint);
    if (state.empty()) {
      words.push_back(taint);
      continue;
    }
    auto text = fmt::format("{} ({})", taint.substr(0, taint.find_first_of("=:")), state);
    if (std::ranges::find(states, text) == states.end()) states.push_back(std::move(text));
  }
  words.insert(words.end(), states.begin(), states.end());
  return listed(words, most, std::max(total, taints.size()) - (taints.size() - words.size()));
}

std::string taint_words(const std::vector<std::string>& taints, std::size_t total) {
  return taints.empty() ? std::string() : ": " + listed_taints(taints, kTaintsNamed, total);
}

namespace {

std::string or_none(const std::string& value) { return value.empty() ? "none" : value; }

// "; did you mean a or b?"
std::string or_meant(const std::vector<std::string>& names) {
  const auto near = suggestion(names);
  return near.empty() ? near : "; d" + near.substr(1);
}

}  // namespace

std::string near_toleration_words(const std::optional<explain::NearToleration>& near) {
  if (!near) return {};
  const auto of = near->part == "key" ? std::string()
                  : near->key.empty() ? " of all keys"
                                      : " for " + near->key;
  return near->has.empty() ? fmt::format("; its toleration{} has no {}, the taint has {}", of, near->part,
                                         or_none(near->taint_has))
                           : fmt::format("; its toleration{} has {} {}, the taint has {}", of, near->part,
                                         near->has, or_none(near->taint_has));
}

std::string rejection_words(const explain::ReportRejection& rejection) {
  auto words = explain::reason_words(rejection);
  const auto without = rejection.shortfall ? rejection.shortfall->nodes_without : 0;
  const bool differ = without > 0 && without < rejection.nodes;
  if (without > 0 && !differ) words = "has no " + rejection.shortfall->resource;
  return (rejection.nodes == 1 ? words : explain::plural_of(words)) +
         (differ ? fmt::format(" ({} {} none)", without, without == 1 ? "has" : "have") : "") +
         taint_words(rejection.taints, rejection.taints_total) +
         near_toleration_words(rejection.near_toleration) + or_meant(rejection.similar);
}

namespace {

// "no node has the label disktpye; did you mean disktype?": more of use than how many nodes do not match.
// Empty: nodes meet each part.
std::string lacking_words(const explain::ReportRejection& rejection) {
  constexpr std::size_t kPartBytes = 72;
  if (!explain::lacks_a_part(rejection)) return {};
  const auto part = std::ranges::find_if(rejection.parts, [](const explain::UnmetPart& each) {
    return each.from != explain::kOneOfSeveralTerms && each.nodes == 0;
  });
  if (part == rejection.parts.end()) return "no node matches one of the terms of its node affinity";
  if (!part->missing_node.empty()) return explain::no_node(part->missing_node, part->values);
  const auto near = or_meant(part->near);
  if (!part->missing_key.empty()) return fmt::format("no node has the label {}{}", part->missing_key, near);
  auto requirement = explain::cut(part->requirement, kPartBytes);
  if (requirement != part->requirement) requirement += "…";
  return fmt::format("no node {} {}{}", part->from == "nodeSelector" ? "has" : "matches", requirement, near);
}

}  // namespace

std::string rejection_of(const std::string& nodes, const explain::ReportRejection& rejection) {
  if (auto lacking = lacking_words(rejection); !lacking.empty()) return lacking;
  const auto words = rejection_words(rejection);
  if (explain::is_of_pod(rejection.code)) return words;
  const bool is_text_only = explain::reason_words(rejection) == rejection.reason;
  return fmt::format("{}{}{}", nodes, is_text_only ? ": " : " ", words);
}

std::string gated_words(const explain::GatedTime& time) {
  return fmt::format("by {}", fmt::join(time.by, ", "));
}

std::string attempt_words(const explain::ReportAttempt& attempt) {
  if (attempt.nodes == 0) return attempt.reason;
  // Reports of an older podium have no names.
  const auto* row = framework::find_reason(attempt.code);
  const bool lacks_names = attempt.about.empty() && row && row->words.contains('{');
  return rejection_of(counted(attempt.nodes, "node"), {.code = lacks_names ? std::string() : attempt.code,
                                                       .reason = attempt.reason,
                                                       .nodes = attempt.nodes,
                                                       .about = attempt.about});
}

namespace {

std::string device_words(const framework::DeviceTally& counts) {
  const auto needs = counts.wanted < 2 ? std::string() : fmt::format("needs {}, ", counts.wanted);
  if (counts.matched == 0) return fmt::format("{}: {}no device matches", counts.request, needs);
  auto out = fmt::format("{}: {}{} match{}", counts.request, needs, counted(counts.matched, "device"),
                         counts.matched == 1 ? "es" : "");
  const auto taken = counts.in_use + counts.tainted + counts.too_small;
  const auto free = counts.matched - std::min(counts.matched, taken);
  const std::pair<std::size_t, std::string_view> parts[] = {{counts.in_use, "in use"},
                                                            {counts.tainted, "tainted"},
                                                            {counts.too_small, "with too little left"},
                                                            {free, "free"}};
  for (const auto& [count, words] : parts) {
    if (count == 0) continue;
    out += fmt::format(", {} {}", count, words);
    if (words == "tainted" && !counts.taint_rules.empty())
      out += fmt::format(" (DeviceTaintRule {})", fmt::join(counts.taint_rules, ", "));
  }
  // What one node can use counts together.
  if (counts.wanted > counts.most_free && counts.most_free > 0 && counts.most_free < free)
    out += counts.most_free_node.empty()
               ? fmt::format(" (one node has {} at most)", counts.most_free)
               : fmt::format(" ({} on {}, which has the most)", counts.most_free, counts.most_free_node);
  return out;
}

constexpr std::string_view kOnePod = "1 pod";

bool is_short_of_resource(const explain::ReportRejection& rejection) {
  using enum framework::ReasonCode;
  return rejection.code == framework::row_of(insufficient_resource).name ||
         rejection.code == framework::row_of(too_many_pods).name;
}

// "in zone eu-1a", "on node n1", "where rack is r7"; empty: the values are withheld.
std::string place_words(const explain::VolumePlace& place) {
  if (place.values.empty()) return {};
  const std::string_view key = place.key;
  const auto kind = key.substr(key.rfind('/') + 1);
  const auto values = fmt::format("{}", fmt::join(place.values, " or "));
  if (key == api::label::hostname) return "on node " + values;
  if (kind == "zone" || kind == "region") return fmt::format("in {} {}", kind, values);
  return fmt::format("where {} is {}", key, values);
}

// "no node reaches both of its volumes: pv-a (claim data) is in zone a, pv-b (claim logs) in zone b".
std::string apart_words(const std::vector<explain::VolumePlace>& apart) {
  const auto& one = apart.front();
  const auto& other = apart.back();
  const auto named = [](const explain::VolumePlace& place) {
    return fmt::format("{} (claim {})", place.volume, place.claim);
  };
  const auto at = place_words(one), other_at = place_words(other);
  constexpr std::string_view kNone = "no node reaches both of its volumes";
  if (at.empty() || other_at.empty())
    return fmt::format("{}: {} and {} differ in {}", kNone, named(one), named(other), one.key);
  return fmt::format("{}: {} is {}, {} {}", kNone, named(one), at, named(other), other_at);
}

}  // namespace

std::string shortfall_words(const explain::ReportRejection& rejection) {
  if (!rejection.devices.empty()) {
    std::vector<std::string> requests;
    for (const auto& counts : rejection.devices) requests.push_back(device_words(counts));
    return fmt::format("{}", fmt::join(requests, "; "));
  }
  if (rejection.apart.size() == 2) return apart_words(rejection.apart);
  // If no node has the resource, the least shortfall is all that the pod asks for.
  if (has_none(rejection)) {
    auto similar = suggestion(rejection.shortfall->similar);
    if (!similar.empty()) similar.front() = 'd';
    return similar;
  }
  // Without the pods that are nominated to these nodes, none would be short.
  if (is_short_of_resource(rejection) && !rejection.shortfall) return "it is kept for nominated pods";
  const auto missing = missing_words(rejection);
  // A node that runs its maximum number of pods is short of one.
  if (missing.empty() || missing == kOnePod) return {};
  return fmt::format("{}{} short", rejection.nodes == 1 ? "" : "closest: ", missing);
}

std::string pod_before_words(const explain::ReportStatus& status) {
  if (!status.replaces) return {};
  const auto& [name, node, terminates] = *status.replaces;
  return fmt::format("its DaemonSet's pod {} {}", name,
                     terminates ? fmt::format("still terminates on {}", node)
                                : fmt::format("stays on {} until this one is ready (maxSurge)", node));
}

std::string pod_before_line(const explain::ReportStatus& status) {
  const auto words = pod_before_words(status);
  return words.empty() ? words : capitalized(words) + ".\n";
}

std::string static_pods_words(const explain::Preempted& preempted) {
  if (preempted.static_pods == 0) return {};
  const auto count =
      preempted.total == preempted.static_pods && preempted.total == 1
          ? std::string("it is a static pod")
          : counted(preempted.static_pods, "of them is a static pod", "of them are static pods");
  return fmt::format(", but {}: the kubelet runs {} again, so {} room does not become free", count,
                     preempted.static_pods == 1 ? "it" : "them",
                     preempted.static_pods == 1 ? "its" : "their");
}

std::string violated_budgets(const explain::Preempted& preempted) {
  std::vector<std::string> names;
  for (const auto& [ns, name] : preempted.violated_budgets) names.push_back(ns + "/" + name);
  const auto total = std::max(names.size(), preempted.violated_budgets_total);
  if (total == 0) return {};
  if (names.empty()) return counted(total, "PodDisruptionBudget") + " of other namespaces";
  return fmt::format("the {} {}", total == 1 ? "PodDisruptionBudget" : "PodDisruptionBudgets",
                     listed(names, kBudgetsNamed, total));
}

std::string violated_budgets_words(const explain::Preempted& preempted) {
  const auto budgets = violated_budgets(preempted);
  return budgets.empty() ? budgets : ", violating " + budgets;
}

std::string quota_line(const explain::QuotaAnswer& quota, std::string_view ns, std::size_t asked) {
  return fmt::format("Quota {} (namespace {}): {}.", quota.name, ns, explain::quota_words(quota, asked));
}

std::string missing_words(const explain::ReportRejection& rejection) {
  if (!rejection.shortfall || rejection.shortfall->least.empty()) return {};
  const auto& [resource, least, node, without, similar] = *rejection.shortfall;
  if (resource == "pods" && least == "1") return std::string(kOnePod);
  return fmt::format("{} {}", rounded_up(resource, least), resource);
}

bool evicts_no_more(const explain::ReportStatus& status) {
  const auto* reason = framework::find_reason(status.no_preemption);
  return reason && reason->code == framework::ReasonCode::victims_terminate;
}

}  // namespace podium::render
