// VolumeObserver: checks the volumes of pods.
//
// - Each claim of a pod that is bound has a volume that the node reaches, unless the engine did not know of
//   the claim or of the volume when it decided.
// - A claim for one pod is of one pod, and no node gets more provisioned volumes than it attaches.
// - No engine takes a volume from another claim, and no two claims have one volume.
// - At rest: whether the pod's claims allow it on a node.
//
// Owner: an Observer of a life with volumes. Threads: one. Errors: returns what is broken.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "simulate/base/agenda.h"
#include "simulate/server/store.h"

namespace podium::cluster {
class Snapshot;
}

namespace podium::simulate {

class VolumeObserver {
 public:
  using Broken = std::optional<std::string>;

  VolumeObserver(const Store& store, const Agenda& agenda) : store_(store), agenda_(agenda) {}

  // True if the engine counted that pod on its node when it decided.
  using Knows = std::function<bool(const json::value& pod)>;

  // Whole lines of a watch, or a list.
  void read(const std::string& engine, std::string_view kind, std::string_view objects);
  Broken committed(const Commit& commit) const;
  // Called at each request that an engine begins.
  void begins(const std::string& engine, const cluster::Snapshot& snapshot);
  // The pod was bound by an engine that decided on it at that time.
  Broken bound(const json::value& pod, const std::string& by, Steady decided) const;
  // The same for what the pod shares with other pods, if the decision was made between these times.
  Broken shares(const json::value& pod, const std::string& by, Steady first, Steady last,
                const Knows& knows) const;
  // True if the pod fits without evictions.
  bool fits(const json::value& pod, const json::value& node) const;
  // True if kube-scheduler does not wake the pod for what lets it fit on the node. `evicts`: it needs
  // evictions there.
  // - Its claims had no volume in reach where other filters had rejected it. A pod waits only for the events
  //   of plugins that rejected it, not of those that only preemption asked (5003521).
  // - It was rejected for the number of its volumes: the node's CSINode wakes it, but not the node, which the
  //   engine has read later.
  bool may_wait_for_flush(const json::value& pod, const json::value& node, bool evicts,
                          const std::string& engine) const;
  // True if another pod has a claim of the pod that is for one pod alone. A preemptor that waits for its
  // victims and loses its claim in the meantime is rejected for that: no end of a victim without the claim
  // wakes it (5012509).
  bool lacks_its_claim(const json::value& pod) const;
  // False: its claims are missing or not bound, so no node is looked at, and PostFilter fails because its
  // state is missing, as in kube-scheduler: the pod keeps its nomination.
  bool may_be_tried(const json::value& pod) const;

 private:
  bool knew(const std::string& engine, std::string_view kind, const json::value& object,
            Steady decided) const;
  StoredPtr claim_of(const json::value& pod, const std::string& name) const;
  // A claim for one pod that another pod on a node has; empty: none.
  std::string claim_in_use(const json::value& pod, const Knows& counts) const;
  // Identifies the provisioned volume of a claim, also before it has one.
  std::optional<std::string> attached_for(const std::string& namespace_, const std::string& name) const;
  std::set<std::string> attached_by(const json::value& pod) const;
  // `attached`: volumes that are on the node besides those of the pods that count.
  bool attaches(const json::value& pod, const std::string& node, const Knows& counts,
                std::set<std::string> attached = {}) const;
  // The provisioned volumes that the engine may have counted on the node when it decided: of other pods that
  // were there in its memory. Those may have no node in the API server yet (5011753) or be gone (5012793).
  std::set<std::string> counted(const json::value& pod, const std::string& engine, Steady first,
                                Steady last) const;
  // Finds a volume for each claim from the given one on; `taken`: of the claims before it.
  bool have_volumes(const std::vector<StoredPtr>& claims, std::size_t from, const json::value& node,
                    std::vector<std::string>& taken) const;

  const Store& store_;
  const Agenda& agenda_;
  // A pod with claims that an engine has or had on a node.
  struct Placed {
    std::string uid, namespace_, node;
    std::vector<std::string> claims;
    Steady since;
    std::optional<Steady> until;
  };
  struct PlacedPods {
    std::map<std::string, Placed> pods;  // by UID and node
    std::uint64_t generation = 0;        // of the snapshot that they are from
  };

  std::map<std::string, Steady> read_;        // by an engine, a kind and a UID: when it was read first
  std::map<std::string, PlacedPods> placed_;  // by engine
};

}  // namespace podium::simulate
