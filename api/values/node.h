// Node: the fields of a node that podium reads. Plain values; immutable once shared.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/values/meta.h"
#include "api/values/quantity.h"

namespace podium::api {

// Amounts by resource name, sorted.
using ResourceList = std::vector<std::pair<std::string, Quantity>>;
const Quantity* find_resource(const ResourceList&, std::string_view name);
void set_if_absent(ResourceList&, const std::string& name, Quantity amount);
void set_if_absent(ResourceList&, const ResourceList& defaults);

enum class TaintEffect : std::uint8_t { none, no_schedule, prefer_no_schedule, no_execute, unknown };

struct Taint {
  std::string key, value;
  TaintEffect effect = TaintEffect::none;
  bool operator==(const Taint&) const = default;
};

struct ContainerImage {
  std::vector<std::string> names;
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

namespace label {
inline constexpr std::string_view hostname = "kubernetes.io/hostname";
inline constexpr std::string_view zone = "topology.kubernetes.io/zone";
inline constexpr std::string_view region = "topology.kubernetes.io/region";
}  // namespace label

}  // namespace podium::api
