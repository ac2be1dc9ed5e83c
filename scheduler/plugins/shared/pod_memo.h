// PodMemo: caches a filter's findings about pods, one for all pods of a class.
//
// A finding must follow from the fields that a PodClass shares: namespace, labels and affinity terms. A known
// pod is looked up by its address; a new one is compared with the pods of its class's hash.
// Owner: a filter. Threads: not thread-safe. Errors: none.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "api/values/pod.h"
#include "scheduler/cluster/pod_info.h"

namespace podium::plugins {

template <typename T>
class PodMemo {
 public:
  // make(pod) returns the finding about a pod of an unknown class. The reference stays valid.
  template <typename Make>
  const T& of(const cluster::PodInfoPtr& pod, Make&& make) {
    auto& seen = by_pod_[pod.get()];
    if (!seen.pod) seen = {pod, &of_class(pod, make)};
    return *seen.found;
  }

 private:
  struct Seen {
    cluster::PodInfoPtr pod = nullptr;  // keeps its address from being reused
    const T* found = nullptr;
  };

  template <typename Make>
  const T& of_class(const cluster::PodInfoPtr& pod, Make&& make) {
    auto& same_hash = by_class_[pod->class_hash];
    for (const auto& [sample, found] : same_hash) {
      if (same_class(**sample, **pod)) return *found;
    }
    same_hash.emplace_back(pod, std::make_unique<T>(make(**pod)));
    return *same_hash.back().second;
  }

  static bool same_class(const api::Pod& a, const api::Pod& b) {
    return a.meta.namespace_ == b.meta.namespace_ && a.meta.labels == b.meta.labels &&
           a.pod_affinity == b.pod_affinity && a.pod_anti_affinity == b.pod_anti_affinity;
  }

  boost::unordered_flat_map<const cluster::PodInfo*, Seen> by_pod_;
  boost::unordered_flat_map<std::uint64_t, std::vector<std::pair<cluster::PodInfoPtr, std::unique_ptr<T>>>>
      by_class_;
};

}  // namespace podium::plugins
