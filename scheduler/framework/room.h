// Room: what a node has left of the resources that a pod asks for, while pods come and go.
//
// A filter whose verdict follows from sums of requests fills one for a node (NodeFilter::measure). A dry run
// then needs no virtual call and no pod for a change: it subtracts what a RankedPod has.
// Threads: a value.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "scheduler/cluster/pods_by_importance.h"
#include "scheduler/cluster/resources.h"

namespace podium::framework {

struct Room {
  enum Kind : std::uint8_t { milli_cpu, memory, ephemeral_storage, scalar };
  struct Item {
    Kind kind;
    std::string_view scalar_name;  // of a scalar
    std::int64_t want, allocatable, used;
    bool is_left_out;  // devices serve it on this node: it is not compared

    bool is_short() const { return want > cluster::wrapping_minus(allocatable, used); }
    bool is_too_small() const { return want > allocatable; }
    bool fits() const { return is_left_out || (!is_short() && !is_too_small()); }
  };
  std::int64_t pods = 0, allowed_pods = 0;
  std::vector<Item> items;

  bool is_full() const { return pods + 1 > allowed_pods; }
  bool fits() const {
    if (is_full()) return false;
    for (const auto& item : items)
      if (!item.fits()) return false;
    return true;
  }

  // A hypothetical pod.
  void add(const cluster::PodInfo& pod) {
    ++pods;
    const auto requests = cluster::placed_requests(pod);
    for (auto& item : items) item.used = cluster::saturating_add(item.used, amount(item, requests));
  }
  // Pods of the node.
  void remove(const cluster::PodInfo& pod) {
    --pods;
    for (auto& item : items) item.used = cluster::wrapping_minus(item.used, amount(item, pod.requests));
  }
  void restore(const cluster::PodInfo& pod) {
    ++pods;
    for (auto& item : items) give_back(item, amount(item, pod.requests));
  }
  // The same; `pod` is read only if a scalar is asked for.
  void remove(const cluster::RankedPod& ranked, const cluster::PodInfoPtr& pod) {
    --pods;
    for (auto& item : items) item.used = cluster::wrapping_minus(item.used, amount(item, ranked, pod));
  }
  void restore(const cluster::RankedPod& ranked, const cluster::PodInfoPtr& pod) {
    ++pods;
    for (auto& item : items) give_back(item, amount(item, ranked, pod));
  }

 private:
  static void give_back(Item& item, std::int64_t amount) {
    item.used = cluster::wrapping_minus(item.used, cluster::wrapping_minus(0, amount));
  }
  static std::int64_t amount(const Item& item, const cluster::Resources& requests) {
    switch (item.kind) {
      case milli_cpu:
        return requests.milli_cpu;
      case memory:
        return requests.memory;
      case ephemeral_storage:
        return requests.ephemeral_storage;
      case scalar:
        break;
    }
    return requests.scalar(item.scalar_name);
  }
  static std::int64_t amount(const Item& item, const cluster::RankedPod& ranked,
                             const cluster::PodInfoPtr& pod) {
    return item.kind == scalar ? pod->requests.scalar(item.scalar_name) : ranked.requests[item.kind];
  }
};

}  // namespace podium::framework
