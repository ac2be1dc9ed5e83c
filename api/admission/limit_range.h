// LimitRange: what the admission plugin LimitRanger does to the pods and claims of its namespace.
//
// The API server also defaults LimitRanges; one that it returns has these defaults. If several set a default
// for one resource, its order is not defined; callers here use the order of names.
// Source: plugin/pkg/admission/limitranger. Threads: pure functions. Errors: messages in upstream's words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/values/objects.h"
#include "api/values/pod.h"

namespace podium::api {

// Adds the default requests and limits to the containers that lack them, and the annotation that says so.
void set_limit_range_defaults(const LimitRange&, Pod&);
// The requests and limits that a LimitRange has set, as that annotation names them: "cpu request for
// container c". Empty: none.
std::string set_by_limit_range(const ObjectMeta&);

// Why the API server would refuse the pod, or the claim; empty: it would not.
std::string limit_range_refusal(const LimitRange&, const Pod&);
std::string limit_range_refusal(const LimitRange&, const PersistentVolumeClaim&);

// Why podium does not apply the LimitRanges of a namespace: it would compare each container, or each claim,
// with each default and bound, and a what-if may have thousands of both. Empty: it applies them.
std::string too_many_comparisons(const std::vector<LimitRange>&, const Pod&);
std::string too_many_comparisons(const std::vector<LimitRange>&, std::size_t claims);

// Writes bytes as manifests do: with a binary suffix ("10Gi") if that is exact.
std::string text_of_bytes(Quantity amount);

}  // namespace podium::api
