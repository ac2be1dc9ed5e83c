// The wire form of HTTP extenders: what is posted to one, and what its reply says.
//
// Bodies are put together from the JSON texts of pods and nodes as the API server has them, so an extender
// sees fields that podium itself does not read. Replies are read as Go's encoding/json reads them: names of
// fields in any case, unknown ones passed over, what follows the first value ignored.
// Source: k8s.io/kube-scheduler/extender/v1. Threads: pure functions. Errors: Kind::internal for a reply that
// makes no sense.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "scheduler/framework/evaluation.h"

namespace podium::extender {

using Text = std::shared_ptr<const std::string>;  // one object's JSON

// ExtenderArgs: with the nodes' names, for an extender that has its own cache of nodes, or with the nodes.
std::string args_with_names(std::string_view pod, const std::vector<std::string>& names);
std::string args_with_nodes(std::string_view pod, const std::vector<Text>& nodes);

// Who would have to go from a node: by UID, and the pods themselves for an extender without a cache.
struct Victims {
  std::string node;
  std::vector<std::string> uids;
  std::int64_t budget_violations = 0;
  std::vector<Text> pods = {};
  bool operator==(const Victims&) const = default;
};

// ExtenderPreemptionArgs, likewise in two forms. The nodes are in the order of their names.
std::string args_with_victim_uids(std::string_view pod, const std::vector<Victims>& victims);
std::string args_with_victims(std::string_view pod, const std::vector<Victims>& victims);

struct BindingArgs {
  std::string pod_name, pod_namespace, pod_uid, node;
};
std::string binding_args(const BindingArgs& args);

// ExtenderFilterResult.
struct FilterReply {
  std::optional<std::vector<std::string>> node_names;
  std::optional<std::vector<std::string>> nodes;  // Nodes.items, by name
  framework::FilterOpinion::Reasons failed, unresolvable;
  std::string error;
};
Result<FilterReply> read_filter_reply(std::string_view text);

// HostPriorityList: nodes and scores as the extender gives them.
Result<std::vector<std::pair<std::string, std::int64_t>>> read_priorities(std::string_view text);

// ExtenderPreemptionResult, which has UIDs in either case; by node name.
Result<std::vector<Victims>> read_preemption_reply(std::string_view text);

// ExtenderBindingResult: its error; empty where it is bound.
Result<std::string> read_binding_reply(std::string_view text);

}  // namespace podium::extender
