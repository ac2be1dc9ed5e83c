// What a pod asks for, within bounds: for lists of the pods that wait.
//
// Threads: a pure function; the value is immutable. Errors: none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "explain/workload/owner.h"

namespace podium::api {
struct Pod;
}

namespace podium::explain {

struct PodAsks {
  using Texts = std::vector<std::pair<std::string, std::string>>;

  std::optional<Wall> created = {};
  Owner workload = {};
  Texts requests = {};                   // the resources that the scheduler counts; at most 32
  std::vector<std::string> claims = {};  // the pod's names of its ResourceClaims; at most 16
  Texts selector = {};                   // at most 16 labels
};

using PodAsksPtr = std::shared_ptr<const PodAsks>;

PodAsks asks_of(const api::Pod& pod);

}  // namespace podium::explain
