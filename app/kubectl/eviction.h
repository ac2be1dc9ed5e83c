// The eviction of a pod by the scheduler, from the event about it: a pod that is gone has no status.
//
// Threads: the Cluster's. Errors: none; without the right to list events, no eviction is known.
#pragma once

#include <optional>
#include <string>

#include "app/kubectl/cluster.h"
#include "base/clock.h"

namespace podium::kubectl {

struct Eviction {
  std::string ns, pod;       // for which the pod made room
  std::optional<Wall> when;  // nullopt: the event does not say
};

// The last eviction of the pod of this name. `uid`: of this pod only; empty: of any pod of the name.
std::optional<Eviction> last_eviction(Cluster& cluster, const std::string& ns, const std::string& pod,
                                      const std::string& uid);

// "evicted 92s ago to make room for shop/big"
std::string eviction_words(const Eviction& eviction, Wall now);
// "Why was it evicted? kubectl podium why big -n shop\n"
std::string eviction_hint(const Eviction& eviction, const std::string& program);

}  // namespace podium::kubectl
