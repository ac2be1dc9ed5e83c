// What a pod asks for, within bounds: for the lists of pods that wait.
//
// Threads: a pure function; the value is immutable. Errors: none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/values/pod.h"
#include "base/instant.h"

namespace podium::controller {

struct PodAsks {
  std::optional<Wall> created;
  std::vector<std::pair<std::string, std::string>> requests =
      {};                                // resource and quantity of all containers; at most 8
  std::vector<std::string> claims = {};  // the pod's names of its ResourceClaims; at most 4
  std::vector<std::pair<std::string, std::string>> selector = {};  // at most 4 labels
};

using PodAsksPtr = std::shared_ptr<const PodAsks>;

PodAsksPtr asks_of(const api::Pod& pod);

}  // namespace podium::controller
