// Objects: what a decision reads of the cluster besides nodes and pods, by namespace and name.
//
// Each kind is one copy-on-write map, so that forks share what does not change. Threads: part of a Snapshot.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "api/decode.h"
#include "api/objects.h"
#include "scheduler/cluster/column.h"

namespace podium::cluster {

// Ordered, so that whatever walks it is reproducible. Cluster-scoped kinds use an empty namespace.
template <typename T>
using ObjectMap = std::map<std::pair<std::string, std::string>, std::shared_ptr<const T>, std::less<>>;

class Objects {
 public:
  template <typename T>
  const ObjectMap<T>& all() const { return *std::get<Cow<ObjectMap<T>>>(maps_); }
  template <typename T>
  const T* find(std::string_view ns, std::string_view name) const {
    const auto& map = all<T>();
    const auto it = map.find(std::pair<std::string, std::string>(ns, name));
    return it == map.end() ? nullptr : it->second.get();
  }
  template <typename T>
  void set(std::shared_ptr<const T> object) {
    auto key = std::pair(object->meta.namespace_, object->meta.name);
    std::get<Cow<ObjectMap<T>>>(maps_).write()[std::move(key)] = std::move(object);
  }
  template <typename T>
  void remove(const std::string& ns, const std::string& name) {
    std::get<Cow<ObjectMap<T>>>(maps_).write().erase({ns, name});
  }

 private:

  std::tuple<Cow<ObjectMap<api::Namespace>>, Cow<ObjectMap<api::PriorityClass>>,
             Cow<ObjectMap<api::PodDisruptionBudget>>, Cow<ObjectMap<api::PersistentVolume>>,
             Cow<ObjectMap<api::PersistentVolumeClaim>>, Cow<ObjectMap<api::StorageClass>>,
             Cow<ObjectMap<api::CsiNode>>, Cow<ObjectMap<api::CsiDriver>>, Cow<ObjectMap<api::CsiStorageCapacity>>,
             Cow<ObjectMap<api::VolumeAttachment>>> maps_;
  Cow<std::map<std::tuple<std::string, api::Workload::Kind, std::string>, std::shared_ptr<const api::Workload>>>
      workloads_;

 public:
  const auto& workloads() const { return *workloads_; }  // (namespace, kind, name) to Workload, ordered
  void set_workload(std::shared_ptr<const api::Workload> w) {
    auto key = std::tuple(w->meta.namespace_, w->kind, w->meta.name);
    workloads_.write()[std::move(key)] = std::move(w);
  }
  void remove_workload(const std::string& ns, api::Workload::Kind kind, const std::string& name) {
    workloads_.write().erase({ns, kind, name});
  }
};

}  // namespace podium::cluster
