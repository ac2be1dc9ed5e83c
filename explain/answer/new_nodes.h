// New nodes on a fork, and what a node has besides its own object: DaemonSet pods, CSI drivers, devices.
//
// A node that is like another has copies of what that one has. A node from a template has the pods of the
// DaemonSets that would run there. The controller replaces the required node affinity of their pods, so a
// DaemonSet that runs on some of the nodes that its pods' selector and tolerations admit runs on the new node
// if it does on one of those with the most labels in common.
//
// Threads: pure functions on one fork. Errors: none.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/values/device.h"
#include "api/values/node.h"
#include "api/values/objects.h"
#include "base/text_hash.h"
#include "explain/answer/budget.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

// What each new node has. Ready, not cordoned, and without images.
struct NodeModel {
  std::string stem;  // of the new nodes' names
  std::shared_ptr<const api::Node> node;
  std::shared_ptr<const api::CsiNode> drivers = nullptr;
  std::vector<std::shared_ptr<const api::ResourceSlice>> slices = {};
  std::vector<cluster::PodInfoPtr> daemons = {};
  std::size_t memory = 0;  // bytes of one new node
};

// `waiting`: pods without a node. Those of DaemonSets are for nodes that have no room for them, and would be
// on an empty one.
using WaitingPods = std::vector<cluster::PodInfoPtr>;

// Models of nodes that are like others. What waits and the slices are read once for all of them. Keeps a
// reference to the fork.
class NodesLike {
 public:
  NodesLike(const Budget& budget, const WaitingPods& waiting, const cluster::Snapshot& fork);
  NodeModel model_of(cluster::Row row) const;

 private:
  using Slice = std::shared_ptr<const api::ResourceSlice>;
  std::vector<Slice> slices_of(const std::string& node) const;

  const cluster::Snapshot& fork_;
  // By the name of the node.
  boost::unordered_flat_map<std::string, WaitingPods, TextHash> daemons_;  // that wait for it
  boost::unordered_flat_map<std::string, std::vector<Slice>, TextHash> slices_;
};

// The DaemonSets of the cluster, as their pods show them. Keeps references to its arguments.
class DaemonSets {
 public:
  DaemonSets(const Budget& budget, const WaitingPods& waiting, const cluster::Snapshot& fork);
  // The model of nodes with this template. `slices` and `drivers` do not name a node yet.
  NodeModel model_of(const api::Node& node, std::vector<api::ResourceSlice> slices = {},
                     const std::optional<api::CsiNode>& drivers = {}) const;

 private:
  struct Set {
    cluster::PodInfoPtr pod;         // the newest one, without its node and its required node affinity
    std::vector<cluster::Row> rows;  // that its pods are on or wait for
  };
  struct Likeness;
  bool runs_on(const Set& set, const api::Node& of, const Likeness& likeness) const;

  const Budget& budget_;
  const cluster::Snapshot& fork_;
  std::vector<Set> sets_;
  // The nodes with a label, by "key=value".
  boost::unordered_flat_map<std::string, std::vector<cluster::Row>, TextHash> labelled_;
};

// Adds `count` nodes under names that are not taken, and returns the names. Adds fewer if the budget ends.
std::vector<std::string> add_nodes(const NodeModel& model, std::int32_t count, const Budget& budget,
                                   cluster::Snapshot& fork);

}  // namespace podium::explain
