// Arrival: one change of a watched object, decoded for the scheduler.
//
// Threads: values and pure functions. Errors: those of decoding.
#pragma once

#include <boost/json/value.hpp>
#include <optional>

#include "api/values/meta.h"
#include "api/values/object.h"
#include "base/result.h"
#include "scheduler/cluster/pod_info.h"

namespace podium::client {
struct Change;
}

namespace podium::live {

struct Recent;

// The decoded object, or only its metadata if it was deleted.
struct Arrival {
  bool deleted = false;
  // A pod that cannot be decoded. If it is on a node, it still takes capacity there: its last known version
  // stays, else `pod` counts, which has only its requests. Null `pod`: gone, unless it was known on a node.
  bool damaged = false;
  api::ObjectMeta meta;     // of a deleted object or a damaged pod
  cluster::PodInfoPtr pod;  // pods
  api::Object object;       // every other kind
};

// Decodes an object of a kind other than pods.
using DecodeObject = Result<api::Object> (*)(const boost::json::value&);

// `decode`: null for pods. Pods and nodes share lists with the recent ones.
Result<Arrival> arrive(const client::Change& change, DecodeObject decode, const cluster::RequestRules& rules,
                       Recent& recent);

// A delete. Also used for an object that can no longer be decoded, so that no decision uses its stale state.
// This excludes pods on nodes: their capacity is not free.
Result<Arrival> end_of(const client::Change& change);

// A pod on a node that cannot be decoded completely. Nullopt: it is on no node, or has no readable metadata.
std::optional<Arrival> damaged_pod(const boost::json::value& value, const cluster::RequestRules& rules);

}  // namespace podium::live
