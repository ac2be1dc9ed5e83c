#include "app/render/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/render/amounts.h"
#include "app/render/text.h"
#include "explain/report/reason_words.h"

namespace podium::render {
namespace {

const std::string_view kExcludedByName = framework::row_of(framework::ReasonCode::excluded_by_name).name;
constexpr std::size_t kTaintsNamed = 3;

constexpr Word kStrategies[] = {
    {"TaintToleration", "taints"},
    {"NodeAffinity", "node affinity"},
    {"PodTopologySpread", "spread of the pods"},
    {"InterPodAffinity", "pod affinity"},
    {"NodeResourcesFit", "cpu and memory"},
    {"NodeResourcesBalancedAllocation", "cpu/memory balance"},
    {"ImageLocality", "image present"},
    {"VolumeBinding", "volumes"},
    {"DynamicResources", "devices"},
};

constexpr Word kFilters[] = {
    {"NodeUnschedulable", "not cordoned"},
    {"NodeName", "the node's name"},
    {"TaintToleration", "taints"},
    {"NodeAffinity", "node selector and affinity"},
    {"NodePorts", "host ports"},
    {"NodeResourcesFit", "room for one more pod"},
    {"VolumeRestrictions", "disks"},
    {"NodeVolumeLimits", "number of volumes"},
    {"VolumeBinding", "volumes"},
    {"VolumeZone", "zone of the volumes"},
    {"PodTopologySpread", "spread of the pods"},
    {"InterPodAffinity", "pod affinity"},
    {"DynamicResources", "devices"},
    {"NodeDeclaredFeatures", "node features"},
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

std::string taint_words(const std::vector<std::string>& taints, std::size_t total) {
  return taints.empty() ? std::string() : ": " + listed(taints, kTaintsNamed, total);
}

std::string rejection_words(const explain::ReportRejection& rejection) {
  auto words = explain::reason_words(rejection);
  const auto without = rejection.shortfall ? rejection.shortfall->nodes_without : 0;
  const bool differ = without > 0 && without < rejection.nodes;
  if (without > 0 && !differ) words = "has no " + rejection.shortfall->resource;
  return (rejection.nodes == 1 ? words : explain::plural_of(words)) +
         (differ ? fmt::format(" ({} {} none)", without, without == 1 ? "has" : "have") : "") +
         taint_words(rejection.taints, rejection.taints_total);
}

std::string rejection_of(const std::string& nodes, const explain::ReportRejection& rejection) {
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

bool is_short_of_resource(const explain::ReportRejection& rejection) {
  using enum framework::ReasonCode;
  return rejection.code == framework::row_of(insufficient_resource).name ||
         rejection.code == framework::row_of(too_many_pods).name;
}

bool has_shortfall(const explain::ReportRejection& rejection) {
  return !rejection.devices.empty() || !missing_words(rejection).empty();
}

}  // namespace

std::string shortfall_words(const explain::ReportRejection& rejection) {
  if (!rejection.devices.empty()) {
    std::vector<std::string> requests;
    for (const auto& counts : rejection.devices) requests.push_back(device_words(counts));
    return fmt::format("{}", fmt::join(requests, "; "));
  }
  // If no node has the resource, the least shortfall is all that the pod asks for.
  if (has_none(rejection)) return {};
  // Without the pods that are nominated to these nodes, none would be short.
  if (is_short_of_resource(rejection) && !rejection.shortfall) return "it is kept for nominated pods";
  const auto missing = missing_words(rejection);
  return missing.empty() ? std::string() : "least short: " + missing;
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

std::string quota_line(const explain::QuotaAnswer& quota, std::string_view ns, std::size_t asked) {
  return fmt::format("Quota {} (namespace {}): {}.", quota.name, ns, explain::quota_words(quota, asked));
}

std::string missing_words(const explain::ReportRejection& rejection) {
  if (!rejection.shortfall || rejection.shortfall->least.empty()) return {};
  const auto& [resource, least, node, without] = *rejection.shortfall;
  if (resource == "pods" && least == "1") return "1 pod";
  return fmt::format("{} {}", rounded_up(resource, least), resource);
}

bool evicts_no_more(const explain::ReportStatus& status) {
  const auto* reason = framework::find_reason(status.no_preemption);
  return reason && reason->code == framework::ReasonCode::victims_terminate;
}

namespace {

using explain::ReportRejection;

// True for a taint that keeps nodes for other pods; false for one of a node's state, such as not-ready.
bool is_reserving(const std::string& taint) { return !taint.starts_with("node.kubernetes.io/"); }

// The nodes are not for this pod, whatever is free on them.
bool is_for_others(const ReportRejection& rejection) {
  using enum framework::ReasonCode;
  constexpr framework::ReasonCode kForOthers[] = {node_selector_mismatch, enforced_affinity_mismatch};
  if (rejection.code == framework::row_of(untolerated_taint).name)
    return !rejection.taints.empty() && std::ranges::all_of(rejection.taints, is_reserving);
  return std::ranges::any_of(kForOthers,
                             [&](auto code) { return rejection.code == framework::row_of(code).name; });
}

// A selector that other nodes match, so that these nodes do not matter.
bool is_matched_elsewhere(const ReportRejection& rejection) {
  return rejection.parts.size() == 1 && rejection.parts.front().nodes > 0;
}

}  // namespace

bool has_none(const ReportRejection& rejection) {
  return rejection.shortfall && rejection.shortfall->nodes_without >= rejection.nodes;
}

bool lacks_a_part(const ReportRejection& rejection) {
  std::size_t terms = 0, unmet_terms = 0;
  for (const auto& part : rejection.parts) {
    const bool is_of_terms = part.from == explain::kOneOfSeveralTerms;
    if (!is_of_terms && part.nodes == 0) return true;
    if (is_of_terms) ++terms;
    if (is_of_terms && part.nodes == 0) ++unmet_terms;
  }
  return terms > 0 && unmet_terms == terms;
}

const ReportRejection* main_rejection(const std::vector<ReportRejection>& rejections) {
  if (rejections.empty()) return nullptr;
  const auto first = [&](auto is_wanted) -> const ReportRejection* {
    const auto found = std::ranges::find_if(rejections, is_wanted);
    return found == rejections.end() ? nullptr : &*found;
  };
  // The pods of a DaemonSet name one node each: that they are not for the others says nothing.
  const auto is_named = [](const ReportRejection& each) { return each.code == kExcludedByName; };
  if (const auto* unmet =
          first([&](const ReportRejection& each) { return is_for_others(each) && lacks_a_part(each); }))
    return unmet;
  const auto* room = first([&](const ReportRejection& each) {
    return !is_named(each) && !is_for_others(each) && !has_none(each);
  });
  const auto* none = first([&](const ReportRejection& each) { return has_none(each); });
  // If a node lacks both, more of what it has would not help.
  if (none && room && none->nodes >= room->nodes) return none;
  if (room) {
    const auto* measured = first([&](const ReportRejection& each) {
      return each.nodes == room->nodes && !is_named(each) && !is_for_others(each) && has_shortfall(each);
    });
    return measured ? measured : room;
  }
  const auto* other = first([&](const ReportRejection& each) {
    return !is_named(each) && !(is_matched_elsewhere(each) && is_for_others(each));
  });
  if (!other) other = first([&](const ReportRejection& each) { return !is_named(each); });
  return other ? other : &rejections.front();
}

}  // namespace podium::render
