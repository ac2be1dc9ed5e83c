// The part of an answer about the question's changes: what each did, and to which pods and nodes.
//
// Threads: values. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explain/report/cause.h"
#include "explain/report/fields.h"

namespace podium::explain {

// A pod of a drained node, which the asker may see.
struct DrainedPod {
  std::string name;
  std::string node = {};  // its new node; empty: none
  std::optional<std::int64_t> score = {};
  std::optional<std::size_t> feasible = {};  // nodes on which it fits
  std::string code = {}, reason = {};        // why it has no place: NoNode, NoController, …
  std::optional<Cause> cause = {};           // of NoNode: the reason that rejected the most nodes
  std::size_t nodes = 0, nodes_total = 0;  // of the cause: how many it rejected, of those that were evaluated
  std::string ns = {};                     // empty: that of the what-if
  // What speaks against its eviction: budgets, annotations, data on the node; and the pods that it evicts.
  // At most 4.
  std::vector<std::string> warnings = {};
  // It is not on a drained node: this pod of the drained nodes preempts it. "shop/big": of another namespace.
  std::string made_room_for = {};
};
template <>
struct Fields<DrainedPod> {
  static constexpr FieldList all{
      required("name", &DrainedPod::name),
      field("namespace", &DrainedPod::ns, {.bytes = 63}),
      field("nodeName", &DrainedPod::node, Meaning::node),
      field("score", &DrainedPod::score),
      field("feasible", &DrainedPod::feasible),
      field("code", &DrainedPod::code, {.bytes = 63}),
      field("reason", &DrainedPod::reason, Meaning::text),
      field("cause", &DrainedPod::cause),
      field("nodeCount", &DrainedPod::nodes),
      field("nodesTotal", &DrainedPod::nodes_total),
      field("warnings", &DrainedPod::warnings, Meaning::text, {.items = 4}),
      field("madeRoomFor", &DrainedPod::made_room_for, {.bytes = 317}),
  };
};

// A node that took pods of a drained one, and its most utilized resource afterwards.
struct FullNode {
  std::string node, resource = {};
  std::size_t percent = 0;
};
template <>
struct Fields<FullNode> {
  static constexpr FieldList all{
      required("nodeName", &FullNode::node, Meaning::node),
      required("resource", &FullNode::resource, Meaning::name, {.bytes = 317}),
      required("percent", &FullNode::percent),
  };
};

// The sum of the free amounts on all schedulable nodes.
struct SpareAmount {
  std::string resource, amount;  // a quantity
};
template <>
struct Fields<SpareAmount> {
  static constexpr FieldList all{
      required("resource", &SpareAmount::resource, Meaning::name, {.bytes = 317}),
      required("amount", &SpareAmount::amount, {.bytes = 63}),
  };
};

// A pod that waited and gets a node.
struct WaitingPlaced {
  std::string name, node;
};
template <>
struct Fields<WaitingPlaced> {
  static constexpr FieldList all{
      required("name", &WaitingPlaced::name),
      required("nodeName", &WaitingPlaced::node, Meaning::node),
  };
};

// A disruption budget that allows fewer evictions than a drain needs, and the pods that it protects.
struct BrokenBudget {
  std::string name;
  std::string ns = {};  // empty: that of the what-if
  std::size_t allowed = 0;
  std::vector<std::string> pods = {};  // at most 16
  std::size_t pods_total = 0;
};
template <>
struct Fields<BrokenBudget> {
  static constexpr FieldList all{
      required("name", &BrokenBudget::name),
      field("namespace", &BrokenBudget::ns, {.bytes = 63}),
      required("allowed", &BrokenBudget::allowed),
      counted("pods", &BrokenBudget::pods, "podsTotal", &BrokenBudget::pods_total, {.items = 16}),
  };
};

// The effect of one change of the question.
struct ChangeResult {
  std::string type, node, message;
  std::optional<std::size_t> pods_moved = {}, pods_pending = {}, budgets_broken = {};
  std::optional<std::size_t> pods_evicted = {}, pods_total = {};  // pods_total: those that the asker may see
  std::vector<DrainedPod> pods = {};                              // at most 64 of those
  std::vector<FullNode> fullest = {};                             // at most 3
  std::vector<SpareAmount> spare = {};  // DrainNodes, FailNodes: of cpu and memory, while the nodes are away
  std::size_t pods_gone = 0;            // evicted pods that no controller creates again
  std::size_t pods_preempted = 0;       // of pods_evicted: from other nodes, by the pods of the drained ones
  // Pods that waited before the question and get a node here, of all namespaces; and those of the what-if's.
  std::size_t waiting_placed = 0;
  std::vector<WaitingPlaced> waiting = {};  // at most 16
  // Those of budgets_broken that the asker may see; at most 8 are listed.
  std::vector<BrokenBudget> budgets = {};
  std::size_t budgets_total = 0;
  std::size_t with_several_budgets = 0;  // evicted pods that the eviction API refuses
  // pods_pending, and the pods that earlier changes evicted and that still have no node.
  std::size_t pending_so_far = 0;
  // Evicted pods whose schedulers podium does not serve: its only profile has placed them.
  std::size_t of_other_schedulers = 0;
};
template <>
struct Fields<ChangeResult> {
  static constexpr FieldList all{
      required("type", &ChangeResult::type, {.bytes = 63}),
      field("nodeName", &ChangeResult::node, Meaning::node),
      field("message", &ChangeResult::message, Meaning::text),
      field("podsMoved", &ChangeResult::pods_moved),
      field("podsPending", &ChangeResult::pods_pending),
      field("budgetsBroken", &ChangeResult::budgets_broken),
      field("podsEvicted", &ChangeResult::pods_evicted),
      field("podsTotal", &ChangeResult::pods_total),
      field("pods", &ChangeResult::pods, {.items = 256}),
      field("fullest", &ChangeResult::fullest, {.items = 3}),
      field("spare", &ChangeResult::spare, {.items = 2}),
      field("podsGone", &ChangeResult::pods_gone),
      field("podsPreempted", &ChangeResult::pods_preempted),
      field("waitingPlaced", &ChangeResult::waiting_placed),
      field("waiting", &ChangeResult::waiting, {.items = 16}),
      counted("budgets", &ChangeResult::budgets, "budgetsTotal", &ChangeResult::budgets_total, {.items = 8}),
      field("podsWithSeveralBudgets", &ChangeResult::with_several_budgets),
      field("podsPendingSoFar", &ChangeResult::pending_so_far),
      field("podsOfOtherSchedulers", &ChangeResult::of_other_schedulers),
  };
};

}  // namespace podium::explain
