// The score of VolumeBinding: the storage utilization of a node if the pod gets its volumes there.
//
// For each storage class, the utilization is requested / capacity. The capacity is the size of the volumes to
// bind or, if all volumes are to be provisioned, the reported storage capacity. The shape maps a utilization
// to a score. The score of a node is the average over its classes.
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

// `shape` of VolumeBindingArgs as scores 0..100, one for each of 0..100 percent. Without a shape, lower
// utilization scores higher.
std::vector<std::int32_t> decode_storage_shape(const boost::json::object& args);

// All nodes get 0 if the pod has no delayed claims, or no node has a volume or a capacity for them.
// `by_utilization` must outlive the scorer.
std::unique_ptr<framework::NodeScorer> make_storage_scorer(const cluster::Snapshot& snapshot,
                                                           const PodClaims& claims,
                                                           const std::vector<std::int32_t>& by_utilization,
                                                           AvailableCache& cache);

}  // namespace podium::plugins
