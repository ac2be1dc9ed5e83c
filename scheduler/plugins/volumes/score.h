// The score of VolumeBinding: how well the storage of a node is used if the pod gets its volumes there.
//
// Of each storage class, what the pod's claims request is set against what there is: the size of the volumes
// that they would be bound to, or, where every volume is to be made, the room for them. The shape turns that
// share into a score, and a node's is the average of its classes'.
// Source: plugins/volumebinding/scorer.go, VolumeBinding.Score; behind StorageCapacityScoring.
// Threads: belongs to one evaluation; refers to the snapshot.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/volumes/binder.h"

namespace podium::plugins {

// `shape` of VolumeBindingArgs: 0..100 percent to the score; where there is none, less used is better.
std::vector<std::int32_t> decode_storage_shape(const boost::json::object& args);

// Nodes on which the pod waits for no volume get 0. `by_utilization` outlives the scorer.
std::unique_ptr<framework::NodeScorer> make_storage_scorer(const cluster::Snapshot& snapshot,
                                                           const PodClaims& claims,
                                                           const std::vector<std::int32_t>& by_utilization);

}  // namespace podium::plugins
