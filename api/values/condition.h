// PodCondition: a condition of a pod, or of an allocated device.
#pragma once

#include <string>

namespace podium::api {

struct PodCondition {
  std::string type, status, reason, message;
  bool operator==(const PodCondition&) const = default;
};

}  // namespace podium::api
