// The eviction of a pod by the scheduler. A pod that is gone has no status, so it is read from the event
// about it. Events expire (an hour, usually): then from the report of the pod that got the room, or from
// podium's memory. A report names up to 16 victims.
//
// Threads: the Cluster's. Errors: none; what the user may not read, or does not answer, is not known.
#pragma once

#include <optional>
#include <string>

#include "app/kubectl/cluster.h"
#include "base/clock.h"

namespace podium::kubectl {

// The last eviction of the pod of this name. `uid`: of this pod only; empty: of any pod of the name.
std::optional<Eviction> last_eviction(Cluster& cluster, const std::string& ns, const std::string& pod,
                                      const std::string& uid);
// The same for a pod that no longer exists, even if the event has expired. podium's memory may take seconds
// to reach.
std::optional<Eviction> eviction_of_gone(Cluster& cluster, const std::string& ns, const std::string& pod,
                                         bool asks_memory = true);

// Finds it in the report of the pod for which it made room. nullopt: no pod of this name did.
std::optional<Eviction> eviction_in(const boost::json::value& report, const std::string& ns,
                                    const std::string& pod);
// Finds it in the reply of podium's HTTPS API about a deleted pod, or in the causes of the API's error.
std::optional<Eviction> eviction_of_words(const boost::json::value& reply);
std::optional<Eviction> eviction_of_causes(const Error& error);

// "evicted 92s ago to make room for shop/big"
std::string eviction_words(const Eviction& eviction, Wall now);
// "Why was it evicted? kubectl podium why big -n shop\n"
std::string eviction_hint(const Eviction& eviction, const std::string& program);

}  // namespace podium::kubectl
