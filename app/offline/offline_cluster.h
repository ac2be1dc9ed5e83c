// A cluster from manifests, as the live scheduler would have built it from its watches. `evaluate` and the
// plugin's `--cluster` share it.
//
// Threads: any; reads the clock. Errors: Kind::invalid.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/decode/manifests.h"
#include "base/result.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/load.h"

namespace podium::offline {

// The configuration in the file, or the defaults. Adds warnings of what it has that works only on a cluster.
Result<config::Config> read_config(const std::string& file, const config::LoadOptions& options,
                                   std::vector<std::string>& warnings);

struct ClusterOptions {
  // What the objects lack is not added, and they need not be those of a cluster.
  bool as_given = false;
  // Where each of the pods that are asked about is in the user's files, for errors; as in api::admit().
  std::span<const std::string> places = {};
};

// Admits the cluster and the pods that are asked about (api/admission/admission.h), and builds the snapshot.
// Leaves out pods without a node, except nominated ones. Claims not stored yet get the default class.
Result<cluster::Snapshot> build_cluster(api::Manifests& manifests, api::Manifests::List<api::Pod>& asked,
                                        const config::Config& config, const ClusterOptions& options = {});

}  // namespace podium::offline
