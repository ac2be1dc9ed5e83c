// Requests: the cpu of a pod, as its spec asks for it and as its kubelet has granted it, and of a node.
//
// A pod has one container. In thousandths of a core.
// Threads: pure functions. Errors: 0 if it is absent.
#pragma once

#include <cstdint>
#include <string_view>

#include "simulate/base/object_fields.h"

namespace podium::simulate {

std::int64_t requested_cpu(const json::value& pod);
std::int64_t allocated_cpu(const json::value& pod);
std::int64_t granted_cpu(const json::value& pod);  // the greater one of allocated and in use
// What a scheduler counts: the greatest of all three; not what the kubelet refused.
// Source: component-helpers resource.PodRequests.
std::int64_t counted_cpu(const json::value& pod);
std::int64_t allocatable_cpu(const json::value& node);
std::int64_t allocatable_pods(const json::value& node);

void set_requested_cpu(json::value& pod, std::int64_t cpu);
void set_allocated_cpu(json::value& pod, std::int64_t cpu);
void set_cpu_in_use(json::value& pod, std::int64_t cpu);
// The condition PodResizePending with this reason; empty: removes it.
void set_resize_pending(json::value& pod, std::string_view reason);

}  // namespace podium::simulate
