// The disruptions that a PodDisruptionBudget allows, counted as its controller counts them: for a budget of a
// file, which no controller has seen.
//
// Threads: pure functions. Errors: none.
// Source: pkg/controller/disruption/disruption.go (getExpectedPodCount, getExpectedScale, countHealthyPods).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/values/objects.h"
#include "api/values/pod.h"

namespace podium::explain {

// A controller of pods, and the pods that it should have.
struct ControllerScale {
  std::string name;                      // "Deployment/web"
  std::optional<std::int64_t> replicas;  // nullopt: it has no scale
};
using ScaleOf = std::function<ControllerScale(const std::string& ns, const api::OwnerReference&)>;

// `pods`: of the budget's namespace. Sets its status, from fewer pods once has_time() is false.
void count_disruptions(const std::vector<const api::Pod*>& pods, const ScaleOf& scale_of,
                       api::PodDisruptionBudget& budget, const std::function<bool()>& has_time = {});

// The pods of a namespace, counted by their controllers: each pod may have one of its own.
class ControlledPods {
 public:
  // Refers to the pods.
  explicit ControlledPods(const std::vector<const api::Pod*>& pods);
  // The scale of a controller that is not known: its pods count as its replicas.
  ControllerScale scale_of(const api::OwnerReference& owner) const;

 private:
  std::map<std::pair<std::string_view, std::string_view>, std::int64_t> counts_;  // by kind and name
};

}  // namespace podium::explain
