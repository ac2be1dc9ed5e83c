// The cluster of fuzz/cluster.yaml as a Snapshot, for fuzzers that decide on pods.
//
// Threads: any, once made. Errors: a file that cannot be read ends the program.
#pragma once

#include "scheduler/cluster/snapshot.h"

namespace podium::fuzz {

const cluster::Snapshot& small_cluster();

}  // namespace podium::fuzz
