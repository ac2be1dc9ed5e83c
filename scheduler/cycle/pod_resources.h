// What /metrics/resources shows: what pods ask for and what they are limited to, resource by resource, as the
// scheduler counts it.
//
// Source: pkg/scheduler/metrics/resources. Threads: pure functions.
#pragma once

#include <prometheus/metric_family.h>

#include <span>
#include <vector>

#include "scheduler/cluster/pod_info.h"

namespace podium::cycle {

// kube_pod_resource_request and kube_pod_resource_limit; a family without a sample is left out.
std::vector<prometheus::MetricFamily> pod_resources(std::span<const cluster::PodInfoPtr> pods);

}  // namespace podium::cycle
