// Selects the decisions that get a report, by the configuration.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>

#include "scheduler/config/values/config.h"

namespace podium::cluster {
class Snapshot;
struct PodInfo;
}  // namespace podium::cluster

namespace podium::controller {

// True if pods of this namespace get reports. An unknown namespace has no labels.
bool is_in_scope(const config::Podium::Reports& reports, const std::string& ns,
                 const cluster::Snapshot& snapshot);

// True if this pod of such a namespace gets one. Sampled by the pod's UID, so that all attempts of a pod are
// either reported or not.
bool is_wanted(const config::Podium::Reports& reports, const cluster::PodInfo& pod, bool fits);

}  // namespace podium::controller
