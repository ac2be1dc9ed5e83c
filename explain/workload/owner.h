// The workload that a pod belongs to: its topmost owner, the Deployment or the CronJob.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/fwd.hpp>
#include <compare>
#include <functional>
#include <optional>
#include <string>

namespace podium::api {
struct ObjectMeta;
}

namespace podium::explain {

// An empty kind: none.
struct Owner {
  std::string kind, name;
  auto operator<=>(const Owner&) const = default;
};

// The controller of a ReplicaSet or a Job of the pod's namespace; nullopt: the caller does not know it.
using OwnerAbove = std::function<std::optional<Owner>(const Owner&)>;

// The pod's controller or the owner above it. What `above` does not know is read from the names that the
// controllers give: a Deployment's ReplicaSet ends in the pod's pod-template-hash, and a CronJob's Job in the
// minute of its schedule, which the pod's creation follows.
Owner workload_of(const api::ObjectMeta& pod, const OwnerAbove& above = {});

struct Owners {
  Owner direct, topmost;  // its controller, and workload_of() it
};
// The owners of an object in JSON.
Owners owners_of(const boost::json::value& object);

}  // namespace podium::explain
