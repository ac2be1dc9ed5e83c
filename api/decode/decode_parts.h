// The parts that several kinds share, for the decoders of this folder only.
//
// Threads: pure functions. Errors: noted in the Field's Reader.
#pragma once

#include <vector>

#include "api/decode/decode_reader.h"
#include "api/values/pod.h"

namespace podium::api::detail {

// Whether to keep annotations: those of pods, nodes and storage, for plugins. kubectl's last-applied copy of
// the object is kept with an empty value.
enum class Annotations { left_out, kept };
ObjectMeta read_meta(Field metadata, Annotations);
PodCondition read_condition(Field);
Requirement read_requirement(Field, bool node_selector);
LabelSelector read_label_selector(Field);
std::vector<NodeSelectorTerm> read_node_selector(Field);  // {nodeSelectorTerms: [...]}
NodeAffinity read_node_affinity(Field);
Toleration read_toleration(Field);
TaintEffect read_taint_effect(Field);
TopologySpreadConstraint read_topology_spread_constraint(Field);
Volume read_volume_source(Field);  // the source of a pod's volume or of a PersistentVolume

}  // namespace podium::api::detail
