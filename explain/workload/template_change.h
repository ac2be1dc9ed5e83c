// What a change of a workload's template meets: whether a pod that exists has the template that a question is
// about, in all that a decision depends on, and whether an ordered StatefulSet waits for it.
//
// Other fields, such as environment variables, change no answer. What the API server and controllers add to a
// pod does not count. Of a stored workload, a pod may have more than its template: webhooks add to it.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "explain/workload/workload.h"

namespace podium::explain {

// `asked`: the subject's pod after admission. `pod`: one of the workload's pods.
bool has_template(const Subject& subject, const api::Pod& asked, const api::Pod& pod);
// Those of the placed and the waiting ones that have another one.
RemovedPods with_other_template(const Subject& subject, const api::Pod& asked, const RemovedPods& pods);

// Whether a placed pod is known to be not ready. Without a status it is not known.
bool is_unready(const api::Pod& pod);

// The number behind the name of a StatefulSet's pod. nullopt: it is not one of its pods.
std::optional<std::int32_t> ordinal_of(const Subject& set, std::string_view pod);

}  // namespace podium::explain
