#include "explain/report/main_rejection.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "explain/report/state_taints.h"
#include "scheduler/framework/reason.h"

namespace podium::explain {
namespace {

const std::string_view kExcludedByName = framework::row_of(framework::ReasonCode::excluded_by_name).name;

bool has_shortfall(const ReportRejection& rejection) {
  return !rejection.devices.empty() || (rejection.shortfall && !rejection.shortfall->least.empty());
}

// True for a taint that keeps nodes for other pods; false for one of a node's state, such as not-ready.
bool is_reserving(const std::string& taint) { return state_of_taint_text(taint).empty(); }

// The nodes are not for this pod, whatever is free on them: others reach its volumes, or are selected. The
// first taint is of the kind that prevails.
bool is_for_others(const ReportRejection& rejection) {
  using enum framework::ReasonCode;
  constexpr framework::ReasonCode kForOthers[] = {
      node_selector_mismatch, enforced_affinity_mismatch, volume_affinity_mismatch,
      volume_zone_mismatch,   provisioned_elsewhere,      outside_allowed_topologies,
  };
  if (rejection.code == framework::row_of(untolerated_taint).name)
    return !rejection.taints.empty() && is_reserving(rejection.taints.front());
  return std::ranges::any_of(kForOthers,
                             [&](auto code) { return rejection.code == framework::row_of(code).name; });
}

bool is_tainted(const ReportRejection& rejection) {
  return rejection.code == framework::row_of(framework::ReasonCode::untolerated_taint).name;
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
    const bool is_of_terms = part.from == kOneOfSeveralTerms;
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
    // Among reasons of as many nodes, a taint says least of what the pod lacks.
    const auto* of_pod = first([&](const ReportRejection& each) {
      return each.nodes == room->nodes && !is_named(each) && !is_for_others(each) && !is_tainted(each);
    });
    if (of_pod) room = of_pod;
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

}  // namespace podium::explain
