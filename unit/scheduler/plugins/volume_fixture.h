// A cluster with storage for the tests of the volume plugins: nodes, placed pods and storage objects, which
// tests adjust field by field.
#pragma once

#include <utility>

#include "unit/scheduler/plugins/ask.h"

namespace podium::plugins::test {

using podium::test::bind_claim;
using podium::test::csi_node;
using podium::test::node_term;
using podium::test::storage_class;

inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";

template <typename... Objects>
Snapshot storage(const Nodes& nodes, const Pods& placed, const Objects&... objects) {
  auto snapshot = snapshot_of(nodes, placed);
  (snapshot.objects().template set<Objects>(podium::test::share(objects)), ...);
  return snapshot;
}

inline api::PersistentVolume volume(std::string name, std::string_view capacity = "10Gi",
                                    std::string class_name = "local") {
  auto made = podium::test::persistent_volume(std::move(name), capacity, std::move(class_name));
  made.meta.resource_version = "7";
  return made;
}

// A volume that only this node can reach.
inline api::PersistentVolume local_volume(std::string name, std::string node,
                                          std::string_view capacity = "10Gi") {
  auto made = volume(std::move(name), capacity);
  made.node_affinity = {node_term({podium::test::in("kubernetes.io/hostname", {std::move(node)})})};
  return made;
}

inline api::PersistentVolumeClaim claim(std::string name, std::string_view request = "5Gi",
                                        std::string class_name = "local") {
  auto made =
      podium::test::persistent_volume_claim("default", std::move(name), request, std::move(class_name));
  made.meta.resource_version = "9";
  return made;
}

inline api::PersistentVolumeClaim claim_on(std::string name, std::string node,
                                           std::string class_name = "local") {
  auto made = claim(std::move(name), "5Gi", std::move(class_name));
  made.meta.annotations.set(std::string(kSelectedNode), std::move(node));
  return made;
}

// The claim of an ephemeral volume, as the ephemeral volume controller creates it.
inline api::PersistentVolumeClaim claim_for(const api::Pod& pod, const std::string& volume,
                                            std::string class_name = "local") {
  auto made = claim(pod.meta.name + "-" + volume, "5Gi", std::move(class_name));
  made.meta.owners = {{"v1", "Pod", pod.meta.name, pod.meta.uid, true}};
  return made;
}

inline std::pair<api::PersistentVolumeClaim, api::PersistentVolume> bound(api::PersistentVolumeClaim claim,
                                                                          api::PersistentVolume volume) {
  bind_claim(claim, volume);
  return {std::move(claim), std::move(volume)};
}

// Storage classes: existing volumes (local), provisioned for the selected node (fast), immediate (now).
inline api::StorageClass local_class() {
  return storage_class("local", "kubernetes.io/no-provisioner", true);
}
inline api::StorageClass fast_class() { return storage_class("fast", "disks.example.com", true); }
inline api::StorageClass immediate_class() { return storage_class("now", "disks.example.com", false); }

inline podium::test::NodeBuilder host(const std::string& name) {
  return node(name).label("kubernetes.io/hostname", name);
}

inline api::Volume disk(api::Volume::Kind kind, std::string id, bool read_only = false) {
  api::Volume made;
  made.name = "disk";
  made.kind = kind;
  made.id = std::move(id);
  made.read_only = read_only;
  return made;
}

inline api::Volume ephemeral(std::string name) {
  api::Volume made;
  made.name = std::move(name);
  made.kind = api::Volume::Kind::ephemeral;
  return made;
}

template <typename T>
framework::ClusterEvent added(framework::EventResource resource, const T& object) {
  return {resource, framework::kAdd, {}, api::Object(podium::test::share(object))};
}
template <typename T>
framework::ClusterEvent updated(framework::EventResource resource, const T& before, const T& after) {
  return {resource, framework::kUpdateOther, api::Object(podium::test::share(before)),
          api::Object(podium::test::share(after))};
}
template <typename T>
framework::ClusterEvent removed(framework::EventResource resource, const T& object) {
  return {resource, framework::kDelete, api::Object(podium::test::share(object)), {}};
}

}  // namespace podium::plugins::test
