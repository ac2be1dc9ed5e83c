#include "scheduler/framework/nominated_node.h"

#include <memory>
#include <utility>

namespace podium::framework {

cluster::PodInfoPtr as_nominated(const cluster::PodInfoPtr& pod, const cluster::Snapshot& snapshot) {
  const auto node = nominated_node(*pod, snapshot);
  if (node.empty()) return nullptr;
  if (node == pod->pod->nominated_node) return pod;
  auto copy = std::make_shared<api::Pod>(*pod->pod);
  copy->nominated_node = node;
  auto info = std::make_shared<cluster::PodInfo>(*pod);
  info->pod = std::move(copy);
  return info;
}

}  // namespace podium::framework
