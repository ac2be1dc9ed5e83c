// The order in which a ReplicaSet's controller deletes pods: those without a node first, then those that are
// pending, those that are not ready, those of the lowest deletion cost, those on nodes with many of the
// workload's pods, and the youngest. Ages count by their logarithm, so UIDs decide between the pods of one
// rollout. If these have no UIDs, one goes that is on the node with most of them.
//
// Taking and forgetting a pod costs a logarithm of the pods, so a rolling update of many pods stays linear.
//
// Threads: one owner. Errors: none.
// Source: pkg/controller/controller_utils.go (ActivePodsWithRanks), with the start of a pod in place of the
// time since which it is ready, and without its restarts, which count if two became ready in the same second.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "scheduler/cluster/pod_info.h"

namespace podium::explain {

class DeletionOrder {
 public:
  DeletionOrder() = default;  // no pods
  // Pods of one workload.
  DeletionOrder(const std::vector<cluster::PodInfoPtr>& pods, Wall now);
  DeletionOrder(DeletionOrder&&) = default;
  DeletionOrder& operator=(DeletionOrder&&) = default;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::size_t unready() const { return unready_; }

  // Another pod of the workload, which is not one to delete, is on the node.
  void count_related(const std::string& node) { add_related(node, 1); }
  // The next `count` pods to delete; at most size(). Their ranks are those at the call: the controller ranks
  // once for all pods that it deletes in one step.
  std::vector<cluster::PodInfoPtr> take(std::size_t count);
  // Somebody else has deleted the pod. No effect if it is not among these.
  void forget(const cluster::PodInfo& pod);

 private:
  struct Class {
    bool is_placed;
    int phase;
    bool is_ready;
    std::int64_t cost;
    auto operator<=>(const Class&) const = default;
  };
  // By which pods of one class on one node differ: the lowest goes first.
  struct Turn {
    int age;  // its logarithm
    std::string_view uid;
    auto operator<=>(const Turn&) const = default;
  };
  using Pods = std::vector<cluster::PodInfoPtr>;  // the first to go last
  using OnNode = std::map<std::string, Pods, std::less<>>;
  // The highest goes first.
  struct Rank {
    std::size_t related;
    Turn turn;
    std::size_t pods;
    std::string_view node;
    std::strong_ordering operator<=>(const Rank&) const;
  };
  static Class class_of(const api::Pod& pod);
  Turn turn_of(const api::Pod& pod) const;
  Rank rank_of(std::string_view node, const Pods& pods) const;
  void add_related(const std::string& node, std::ptrdiff_t count);
  void removed(const api::Pod& pod);
  // The node's pods of the first class; nullptr: it has none, or the class is not ranked yet.
  const OnNode::value_type* ranked_pods(const std::string& node) const;

  Wall now_ = {};
  std::map<Class, OnNode> classes_;
  std::map<std::string, std::size_t, std::less<>> related_;  // pods of the workload by node
  std::set<Rank> ranked_;  // nodes of the first class; empty: not ranked yet
  std::size_t size_ = 0, unready_ = 0;
};

}  // namespace podium::explain
