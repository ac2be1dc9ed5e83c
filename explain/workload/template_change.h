// What a change of a workload's template meets: whether a pod that exists has the template that a question is
// about, in all that a decision depends on, and whether an ordered StatefulSet waits for it.
//
// Other fields, such as environment variables, change no answer. What the API server and controllers add to a
// pod does not count. Of a stored workload, a pod may have more than its template: webhooks add to it.
//
// Costs time by the size of what is compared: both may be as large as the API server takes them.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "explain/workload/workload.h"

namespace podium::explain {

// The template of a question, to be compared with many pods.
class AskedTemplate {
 public:
  // `asked`: the subject's pod after admission. Both must outlive this.
  AskedTemplate(const Subject& subject, const api::Pod& asked);
  // `pod`: one of the workload's pods.
  bool is_of(const api::Pod& pod) const;

 private:
  const Subject& subject_;
  const api::Pod& asked_;
  // As they are compared.
  std::vector<const api::Toleration*> tolerations_;
  std::vector<api::Volume> volumes_;
  api::PodAffinity affinity_, anti_affinity_;
  api::SharedList<api::TopologySpreadConstraint> spread_;
};

// Whether a placed pod is known to be not ready. Without a status it is not known.
bool is_unready(const api::Pod& pod);

// The number behind the name of a StatefulSet's pod. nullopt: it is not one of its pods.
std::optional<std::int32_t> ordinal_of(const Subject& set, std::string_view pod);

}  // namespace podium::explain
