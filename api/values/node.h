// Node: the fields of a node that podium reads. Plain values; immutable once shared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/labels.h"
#include "api/values/meta.h"
#include "api/values/resource_list.h"
#include "api/values/shared_list.h"
#include "api/values/taint.h"
#include "api/values/topology_labels.h"

namespace podium::api {

struct ContainerImage {
  SharedList<std::string> names;
  std::int64_t size_bytes = 0;
  bool operator==(const ContainerImage&) const = default;
};

struct Node {
  ObjectMeta meta;
  bool unschedulable = false;
  std::vector<Taint> taints;
  ResourceList capacity, allocatable;
  std::vector<ContainerImage> images;
  std::vector<std::string> declared_features;
  Labels conditions;  // status.conditions: type to status
  bool operator==(const Node&) const = default;
};

using NodePtr = std::shared_ptr<const Node>;

}  // namespace podium::api
