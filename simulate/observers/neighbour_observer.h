// NeighbourObserver: checks the constraints between pods, and what running pods use after resizes.
//
// - When an engine begins a binding, the pod's rules and those against it hold in the engine's own snapshot.
// - When a binding takes effect, no required anti-affinity forbids it, and the node has the cpu, in each
//   version of the pods that the engine may have decided on.
// - At rest: whether the rules allow a pod on a node, with or without the pods that it may evict there.
//
// Owner: an Observer of a life with neighbours. Threads: one. Errors: returns the broken rule.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulate/base/agenda.h"
#include "simulate/cluster/rules.h"
#include "simulate/server/object_history.h"
#include "simulate/server/store.h"

namespace podium::cluster {
class Snapshot;
}

namespace podium::simulate {

class NeighbourObserver {
 public:
  using Broken = std::optional<std::string>;

  NeighbourObserver(const Store& store, const Agenda& agenda) : store_(store), agenda_(agenda) {}

  void committed(const Commit& commit);
  void read(const std::string& engine, std::string_view objects) {
    history_.read(engine, objects, agenda_.now());
  }

  // The engine has read that the pod is on a node.
  void read_placed(const std::string& engine, const std::string& uid) { read_placed_.insert(engine + uid); }
  void read_nodes(const std::string& engine, std::string_view objects) {
    nodes_read_[engine] = agenda_.now();
    nodes_.read(engine, objects, agenda_.now());
  }

  Broken begins(const std::string& engine, const cluster::Snapshot& snapshot, const std::string& uid,
                const std::string& node);
  // A pod on the same node or in the same domain that the engine had to keep the pod away from; null: none.
  StoredPtr repels(const json::value& pod, const std::string& engine, Steady decided) const;
  // The least cpu that the engine may have counted for the pod.
  std::int64_t least_cpu(const json::value& pod, const std::string& engine, Steady decided) const;
  // `evicts`: the pods on the node with a lower priority leave.
  bool allows(const json::value& pod, const std::string& node, bool evicts) const;
  // The binding was refused: unless it is in doubt, the engine decides on the pod again.
  void refused(const std::string& engine, const std::string& uid) {
    const auto it = begun_.find({engine, uid});
    if (it != begun_.end()) it->second.refused = agenda_.now();
  }
  // True if kube-scheduler does not wake the pod for what lets it fit, so that it waits for the flush.
  // `evicts`: it fits only if pods are evicted.
  // - Only others' anti-affinity concerns the pod: a new node does not wake it.
  // - Its affinity selects itself, and the last pod that it selected is gone or has other labels.
  // - It needs evictions, and one of its rules was broken where an earlier filter had rejected it: only the
  //   filter that rejects a node registers hints (4330374).
  bool may_wait_for_flush(const json::value& pod, bool evicts) const;

 private:
  // A binding that has begun.
  struct Begun {
    Neighbour pod;  // on the node
    // It was refused, and the pod may be decided on again (4003411).
    std::optional<Steady> refused;
  };
  // False: a deleted node was made again, and the engine had not read that. While a node does not exist, the
  // pods on it are in no domain (4102262, 4327512).
  bool knew_node(const std::string& name, const std::string& engine, Steady decided) const;
  // Pods whose bindings had begun and were refused, or that were read as deleted (4320440), so short a
  // time ago that the engine may have counted them when it decided on a binding that begins now.
  std::vector<Neighbour> gone_lately(const std::string& engine, const cluster::Snapshot& snapshot) const;
  bool is_only_repelled(const Neighbour& pod) const;
  bool is_first_of_its_kind(const Neighbour& pod) const;
  // True if the engine may have read the pod after the decision on a binding that begins now.
  bool is_newly_read(const std::string& engine, const std::string& uid) const;
  StoredPtr waiting_pod(const std::string& uid) const;
  std::vector<Neighbour> placed_but(const std::string& uid) const;
  Topology topology() const;

  const Store& store_;
  const Agenda& agenda_;
  History history_{"pods"}, nodes_{"nodes"};
  std::set<std::string> bound_;  // the UIDs of pods that are or were on a node
  // By the engine and the pod's UID: pods that it has read on a node. Another engine may have bound a pod
  // that this one takes for waiting and decides on later (4304186).
  std::set<std::string> read_placed_;
  std::map<std::pair<std::string, std::string>, Begun> begun_;  // by the engine and the pod's UID
  std::map<std::string, Steady> nodes_read_;                    // by engine: when it last read nodes
};

}  // namespace podium::simulate
