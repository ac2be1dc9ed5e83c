// The parts of an answer to a search: the nodes to add for the pods that wait, those that can be removed, and
// the pods that other weights would place elsewhere.
//
// Threads: values. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explain/report/fields.h"

namespace podium::explain {

struct ResourceAmount {
  std::string resource, amount;  // a quantity
};
template <>
struct Fields<ResourceAmount> {
  static constexpr FieldList all{
      required("resource", &ResourceAmount::resource, Meaning::name, {.bytes = 317}),
      required("amount", &ResourceAmount::amount, {.bytes = 63}),
  };
};

// Pods of one workload that wait. Without a name: pods of other namespaces.
struct WaitingWorkload {
  std::string ns = {};  // empty: the question's
  std::string kind = {}, name = {};
  std::size_t count = 0;
};
template <>
struct Fields<WaitingWorkload> {
  static constexpr FieldList all{
      field("namespace", &WaitingWorkload::ns, {.bytes = 63}),
      field("kind", &WaitingWorkload::kind, Meaning::name),
      field("name", &WaitingWorkload::name),
      required("count", &WaitingWorkload::count),
  };
};

// Nodes of one shape to add.
struct AddedNodes {
  std::string shape = {};                       // its name
  std::string like = {};                        // the node that they are copies of
  std::vector<ResourceAmount> allocatable{};    // of one of them; at most 8
  std::size_t nodes = 0, pods = 0;              // pods: pending, placed there
  std::vector<WaitingWorkload> workloads = {};  // at most 16, those with the most pods first
  std::size_t workloads_total = 0;
  std::vector<ResourceAmount> left_over = {};  // free on all of them afterwards; at most 8
};
template <>
struct Fields<AddedNodes> {
  static constexpr FieldList all{
      required("shape", &AddedNodes::shape, Meaning::text),
      field("like", &AddedNodes::like, Meaning::node),
      field("allocatable", &AddedNodes::allocatable, {.items = 8}),
      required("nodes", &AddedNodes::nodes),
      required("pods", &AddedNodes::pods),
      counted("workloads", &AddedNodes::workloads, "workloadsTotal", &AddedNodes::workloads_total,
              {.items = 16}),
      field("leftOver", &AddedNodes::left_over, {.items = 8}),
  };
};

// Pods that fit on no node of any shape.
struct UnplacedPods {
  WaitingWorkload pods = {};
  std::string reason = {};
};
template <>
struct Fields<UnplacedPods> {
  static constexpr FieldList all{
      required("pods", &UnplacedPods::pods),
      required("reason", &UnplacedPods::reason, Meaning::text),
  };
};

// The nodes to add, so that the pods that wait are placed.
struct NodesWanted {
  std::size_t fit_now = 0;  // pods that wait and fit on the existing nodes
  std::size_t gated = 0, other_scheduler = 0, evicting = 0,
              not_evaluated = 0;  // pods that are not asked about
  std::size_t not_tried = 0;      // pods without a place when the deadline passed: they may need more nodes
  bool is_fewest = false;         // every cheaper choice was tried
  bool is_finished = false;       // no node can be left out
  std::string price = {};         // of all nodes, if each shape has one
  std::size_t shapes_tried = 0, shapes_total = 0;
  std::vector<AddedNodes> added = {};       // at most 16, those that take the most pods first
  std::size_t added_total = 0;              // shapes
  std::size_t nodes_total = 0;              // to add, of all shapes
  std::vector<UnplacedPods> unplaced = {};  // at most 16, those with the most pods first
  std::size_t unplaced_total = 0;           // workloads
  // Cordoned nodes: uncordoned, they place as many pods as the added ones. At most 16.
  std::vector<std::string> uncordon = {};
};
template <>
struct Fields<NodesWanted> {
  static constexpr FieldList all{
      required("fitNow", &NodesWanted::fit_now),
      field("gated", &NodesWanted::gated),
      field("otherScheduler", &NodesWanted::other_scheduler),
      field("waitForEvictions", &NodesWanted::evicting),
      field("notEvaluated", &NodesWanted::not_evaluated),
      field("notTried", &NodesWanted::not_tried),
      field("isFewest", &NodesWanted::is_fewest),
      field("isFinished", &NodesWanted::is_finished),
      field("price", &NodesWanted::price, {.bytes = 63}),
      required("shapesTried", &NodesWanted::shapes_tried),
      required("shapesTotal", &NodesWanted::shapes_total),
      required("nodesTotal", &NodesWanted::nodes_total),
      counted("added", &NodesWanted::added, "addedTotal", &NodesWanted::added_total, {.items = 16}),
      counted("unplaced", &NodesWanted::unplaced, "unplacedTotal", &NodesWanted::unplaced_total,
              {.items = 16}),
      field("uncordon", &NodesWanted::uncordon, Meaning::node, {.items = 16}),
  };
};

// A pod of a node that can be removed, in the namespace of the what-if, and its new node.
struct MovedPod {
  std::string name, node;
};
template <>
struct Fields<MovedPod> {
  static constexpr FieldList all{
      required("name", &MovedPod::name),
      required("nodeName", &MovedPod::node, Meaning::node),
  };
};

// A node that can be removed after those before it.
struct SpareNode {
  std::string node = {};
  std::size_t pods_moved = 0;
  std::vector<MovedPod> pods = {};  // at most 64 of all nodes
  std::size_t pods_total = 0;       // in the what-if's namespace
  bool is_cordoned = false;         // already
};
template <>
struct Fields<SpareNode> {
  static constexpr FieldList all{
      required("nodeName", &SpareNode::node, Meaning::node),
      required("podsMoved", &SpareNode::pods_moved),
      counted("pods", &SpareNode::pods, "podsTotal", &SpareNode::pods_total, {.items = 64}),
      field("isCordoned", &SpareNode::is_cordoned),
  };
};

// Nodes that cannot be removed, for one reason.
struct BlockedNodes {
  std::string code = {}, reason = {};  // reason: of the first node
  std::size_t nodes = 0;
  std::vector<std::string> examples = {};  // at most 3
  bool is_unnamed = false;  // the reason is about a pod or a budget of another namespace than the what-if's
};
template <>
struct Fields<BlockedNodes> {
  static constexpr FieldList all{
      required("code", &BlockedNodes::code, {.bytes = 63}),
      required("reason", &BlockedNodes::reason, Meaning::text),
      required("nodeCount", &BlockedNodes::nodes),
      field("isUnnamed", &BlockedNodes::is_unnamed),
      field("examples", &BlockedNodes::examples, Meaning::node, {.items = 3}),
  };
};

// The nodes that can be removed, in this order.
struct NodesSpare {
  std::size_t pods_moved = 0;
  bool cordon_first = false;  // all of them are cordoned before the first is drained, so no pod moves twice
  bool is_finished = false;   // each node was tried
  bool is_largest = false;    // and each set with one node more
  std::vector<SpareNode> nodes = {};  // at most 64
  std::size_t nodes_total = 0;
  std::vector<BlockedNodes> blocked = {};  // by reason, most nodes first
};
template <>
struct Fields<NodesSpare> {
  static constexpr FieldList all{
      required("podsMoved", &NodesSpare::pods_moved),
      field("cordonFirst", &NodesSpare::cordon_first),
      field("isFinished", &NodesSpare::is_finished),
      field("isLargest", &NodesSpare::is_largest),
      counted("nodes", &NodesSpare::nodes, "nodesTotal", &NodesSpare::nodes_total, {.items = 64}),
      field("blocked", &NodesSpare::blocked, {.items = 16}),
  };
};

// A pod that other weights would place on another node.
struct PodElsewhere {
  std::string name;
  std::string ns = {};                      // empty: that of the what-if
  std::string node_before = {}, node = {};  // empty: no place
  std::string reason = {};                  // why it has no place with one of the weights
};
template <>
struct Fields<PodElsewhere> {
  static constexpr FieldList all{
      required("name", &PodElsewhere::name),
      field("namespace", &PodElsewhere::ns, {.bytes = 63}),
      field("nodeBefore", &PodElsewhere::node_before, Meaning::node),
      field("nodeName", &PodElsewhere::node, Meaning::node),
      field("reason", &PodElsewhere::reason, Meaning::text),
  };
};

// All pods of the cluster, placed again with the profiles' weights and with others.
struct WeightsCompared {
  std::size_t pods = 0, staying = 0;  // staying: not placed again
  std::size_t moved = 0;              // placed with both, on different nodes
  std::size_t lost = 0, gained = 0;   // placed with the profiles' weights only, and with the others only
  std::size_t nodes_before = 0, nodes = 0;   // in use
  std::vector<PodElsewhere> elsewhere = {};  // at most 64; those that lose or gain their place first
  std::size_t elsewhere_total = 0;           // that the asker may see
};
template <>
struct Fields<WeightsCompared> {
  static constexpr FieldList all{
      required("pods", &WeightsCompared::pods),
      required("podsStaying", &WeightsCompared::staying),
      required("podsMoved", &WeightsCompared::moved),
      required("podsLost", &WeightsCompared::lost),
      required("podsGained", &WeightsCompared::gained),
      required("nodesBefore", &WeightsCompared::nodes_before),
      required("nodes", &WeightsCompared::nodes),
      counted("elsewhere", &WeightsCompared::elsewhere, "elsewhereTotal", &WeightsCompared::elsewhere_total,
              {.items = 64}),
  };
};

}  // namespace podium::explain
