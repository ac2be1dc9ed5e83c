// The wire format of HTTP extenders: encodes request bodies and decodes replies.
//
// Bodies contain the JSON of pods and nodes as the API server has it, so an extender sees fields that podium
// does not decode. Replies are decoded as Go's encoding/json does: field names are case-insensitive, unknown
// fields are ignored, and so is anything after the first value.
// Source: k8s.io/kube-scheduler/extender/v1. Threads: pure functions.
// Errors: Kind::internal for a reply that cannot be decoded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "scheduler/framework/opinions.h"

namespace podium::extender {

using Text = std::shared_ptr<const std::string>;  // the JSON of one object

// What an extender wrote, as it goes into statuses and reports: cut to what a user reads.
std::string readable(std::string_view text);

// Encode ExtenderArgs, with node names for extenders that are nodeCacheCapable, or with whole nodes.
std::string args_with_names(std::string_view pod, const std::vector<std::string>& names);
std::string args_with_nodes(std::string_view pod, const std::vector<Text>& nodes);

// The victims on a node: their UIDs, and the pods' JSON for extenders that are not nodeCacheCapable.
struct Victims {
  std::string node;
  std::vector<std::string> uids;
  std::int64_t budget_violations = 0;
  std::vector<Text> pods = {};
  bool operator==(const Victims&) const = default;
};

// Encode ExtenderPreemptionArgs, with UIDs or with whole pods. Nodes keep the order of `victims`.
std::string args_with_victim_uids(std::string_view pod, const std::vector<Victims>& victims);
std::string args_with_victims(std::string_view pod, const std::vector<Victims>& victims);

struct BindingArgs {
  std::string pod_name, pod_namespace, pod_uid, node;
};
std::string binding_args(const BindingArgs& args);

// Decodes ExtenderFilterResult.
struct FilterReply {
  std::optional<std::vector<std::string>> node_names;
  std::optional<std::vector<std::string>> nodes;           // the names of Nodes.items
  framework::FilterOpinion::Reasons failed, unresolvable;  // each readable()
  std::string error;                                       // readable()
};
Result<FilterReply> read_filter_reply(std::string_view text);

// Decodes HostPriorityList: nodes and scores, not yet scaled or weighted.
Result<std::vector<std::pair<std::string, std::int64_t>>> read_priorities(std::string_view text);

// Decodes ExtenderPreemptionResult, which always has UIDs; sorted by node name.
Result<std::vector<Victims>> read_preemption_reply(std::string_view text);

// Decodes ExtenderBindingResult to its error; empty: the pod is bound.
Result<std::string> read_binding_reply(std::string_view text);

}  // namespace podium::extender
