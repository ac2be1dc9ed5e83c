// The metrics of /metrics/resources: each pod's requests and limits per resource, as the
// scheduler counts them.
//
// Source: pkg/scheduler/metrics/resources. Threads: pure functions. Units: cores, bytes or counts,
// named by the label `unit`.
#pragma once

#include <prometheus/metric_family.h>

#include <span>
#include <vector>

#include "scheduler/cluster/pod_info.h"

namespace podium::cycle {

// kube_pod_resource_request and kube_pod_resource_limit; families without samples are omitted.
std::vector<prometheus::MetricFamily> pod_resources(std::span<const cluster::PodInfoPtr> pods);

}  // namespace podium::cycle
