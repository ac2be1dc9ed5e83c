#include "explain/answer/new_volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "api/admission/quota.h"
#include "base/similar.h"
#include "scheduler/plugins/volumes/claim_lookup.h"

namespace podium::explain {
namespace {

using api::PersistentVolumeClaim;
using cluster::Snapshot;

constexpr const char* kOs = "kubernetes.io/os";

// The node for which the claim's volume is to be provisioned; empty: none.
std::string provisioned_for(const PersistentVolumeClaim& claim) {
  const auto* node =
      claim.volume_name.empty() ? claim.meta.annotations.find(plugins::kSelectedNode) : nullptr;
  return node ? *node : std::string();
}

// Null: the driver reports none for the node.
const api::CsiStorageCapacity* capacity_of(const PersistentVolumeClaim& claim, const api::Node& node,
                                           const Snapshot& fork) {
  for (const auto& [_, capacity] : fork.objects().all<api::CsiStorageCapacity>()) {
    if (capacity->storage_class == claim.storage_class && capacity->capacity && capacity->node_topology &&
        capacity->node_topology->matches(node.meta.labels))
      return capacity.get();
  }
  return nullptr;
}

// The new volumes that share one capacity.
struct Sum {
  std::size_t volumes = 0;
  api::Quantity size = {};
  std::string node = {};
};

}  // namespace

std::map<std::string, std::string> volumes_beyond_capacity(const Snapshot& start, const Snapshot& fork,
                                                           const Budget& budget) {
  std::map<const api::CsiStorageCapacity*, Sum> sums;
  for (const auto& [key, claim] : fork.objects().all<PersistentVolumeClaim>()) {
    const auto node = provisioned_for(*claim);
    const auto row = node.empty() ? std::nullopt : fork.find_row(node);
    if (!row) continue;
    const auto* before =
        start.objects().find<PersistentVolumeClaim>(claim->meta.namespace_, claim->meta.name);
    if (before && !provisioned_for(*before).empty()) continue;
    if (!has_time(budget)) return {};
    const auto* capacity = capacity_of(*claim, *fork.entry(*row).node, fork);
    if (!capacity) continue;
    auto& sum = sums[capacity];
    ++sum.volumes;
    sum.size = sum.size + claim->request;
    sum.node = std::max(sum.node, node);
  }
  std::map<std::string, std::pair<const api::CsiStorageCapacity*, Sum>> most;
  for (const auto& [capacity, sum] : sums) {
    const auto* of_claim = fork.objects().find<api::StorageClass>("", capacity->storage_class);
    const auto* driver = of_claim ? fork.objects().find<api::CsiDriver>("", of_claim->provisioner) : nullptr;
    if (!driver || !driver->storage_capacity || sum.size <= *capacity->capacity) continue;
    auto& worst = most[capacity->storage_class];
    if (!worst.first || worst.second.size < sum.size ||
        (worst.second.size == sum.size && sum.node < worst.second.node))
      worst = {capacity, sum};
  }
  std::map<std::string, std::string> out;
  for (const auto& [name, of] : most) {
    const auto& [capacity, sum] = of;
    const auto text = [](api::Quantity size) { return api::quota_text("requests.storage", size); };
    out[name] = fmt::format("{} on {} {} {}, and its driver reports {}", sum.volumes, sum.node,
                            sum.volumes == 1 ? "needs" : "need", text(sum.size), text(*capacity->capacity));
  }
  return out;
}

std::string attached_twice(const api::Pod& pod, const std::vector<cluster::Row>& rows, const Snapshot& start,
                           const Snapshot& fork, const Overlap& overlap, const Budget& budget) {
  const auto& ns = pod.meta.namespace_;
  for (const auto& volume : pod.volumes) {
    if (volume.kind != api::Volume::Kind::claim) continue;
    const auto* claim = fork.objects().find<PersistentVolumeClaim>(ns, volume.id);
    if (!claim || claim->access_modes != std::vector<std::string>{"ReadWriteOnce"}) continue;
    const auto* bound = fork.objects().find<api::PersistentVolume>("", claim->volume_name);
    if (!bound || bound->csi_driver.empty()) continue;
    if (!has_time(budget)) return {};
    std::set<std::string> users;  // nodes of other pods
    const auto add = [&](const cluster::PodInfoPtr& other) {
      if (other->pod->meta.namespace_ == ns &&
          std::ranges::any_of(other->pod->volumes, [&](const api::Volume& each) {
            return each.kind == api::Volume::Kind::claim && each.id == volume.id;
          }))
        users.insert(other->pod->node_name);
    };
    start.each_pod(add);
    auto nodes = users;
    for (const auto row : rows) nodes.emplace(fork.node_name(row));
    if (nodes.size() <= 1) {
      std::ranges::for_each(overlap.old, add);
      users.insert(overlap.nodes.begin(), overlap.nodes.end());
      nodes = std::move(users);
    }
    if (nodes.size() > 1)
      return fmt::format("the ReadWriteOnce claim {} (one node at a time can attach it; {} would use it)",
                         volume.id, podium::listed(std::vector<std::string>(nodes.begin(), nodes.end()), 3));
  }
  return {};
}

bool has_other_system(const Subject& subject, const api::Node& node) {
  const auto* os = subject.os.empty() ? nullptr : node.meta.labels.find(kOs);
  return os && *os != subject.os;
}

std::string other_systems(const Subject& subject, const std::vector<cluster::Row>& rows,
                          const Snapshot& fork) {
  for (const auto row : rows) {
    const auto& node = *fork.entry(row).node;
    if (has_other_system(subject, node))
      return fmt::format("the kubelet of {} (its {} is {}: it rejects a pod with spec.os {})", node.meta.name,
                         kOs, *node.meta.labels.find(kOs), subject.os);
  }
  return {};
}

}  // namespace podium::explain
