// VolumeObserver: checks the volumes of pods.
//
// - Each claim of a pod that is bound has a volume that the node reaches, unless the engine did not know of
//   the claim when it decided.
// - No engine takes a volume from another claim, and no two claims have one volume.
// - At rest: whether the pod's claims allow it on a node.
//
// Owner: an Observer of a life with volumes. Threads: one. Errors: returns what is broken.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "simulate/base/agenda.h"
#include "simulate/server/store.h"

namespace podium::simulate {

class VolumeObserver {
 public:
  using Broken = std::optional<std::string>;

  VolumeObserver(const Store& store, const Agenda& agenda) : store_(store), agenda_(agenda) {}

  void read(const std::string& engine, const std::string& plural, std::string_view objects);
  Broken committed(const Commit& commit) const;
  // The pod was bound by an engine that decided on it at that time.
  Broken bound(const json::value& pod, const std::string& by, Steady decided) const;
  bool fits(const json::value& pod, const json::value& node) const;
  // False: its claims are missing or not bound, so no node is looked at, and PostFilter fails because its
  // state is missing, as in kube-scheduler: the pod keeps its nomination.
  bool may_be_tried(const json::value& pod) const;

 private:
  bool knew(const std::string& engine, const json::value& claim, Steady decided) const;
  // Finds a volume for each claim from the given one on; `taken`: of the claims before it.
  bool have_volumes(const std::vector<StoredPtr>& claims, std::size_t from, const json::value& node,
                    std::vector<std::string>& taken) const;

  const Store& store_;
  const Agenda& agenda_;
  std::map<std::string, Steady> read_;  // by an engine and a claim's UID: when it was read first
};

}  // namespace podium::simulate
