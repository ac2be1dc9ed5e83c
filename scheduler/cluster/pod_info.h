// PodInfo: a pod with what the core derives from it once, on arrival, off the scheduling strand.
//
// Owner: shared and immutable; the snapshot, the queue and decisions hold the same one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/pod.h"
#include "scheduler/cluster/resources.h"

namespace podium::cluster {

struct HostPort {
  std::string ip;        // "0.0.0.0" where the pod names none
  std::string protocol;  // TCP, UDP, SCTP
  std::int32_t port = 0;
  bool operator==(const HostPort&) const = default;
  // Same protocol and port, and equal addresses or one of them 0.0.0.0.
  bool conflicts_with(const HostPort& other) const;
};

struct PodInfo {
  api::PodPtr pod;

  Resources requests;  // of the pod as placed (status counts) or as incoming (spec only)
  std::int64_t non_zero_milli_cpu = 0, non_zero_memory = 0;  // its part of a node's non-zero requested sums
  Resources score_requests;  // NodeResourcesFit's view when incoming: non-zero defaults, pod level ignored
  std::vector<HostPort> host_ports;  // containers and sidecars
  std::int32_t priority = 0;
  std::uint64_t uid_hash = 0;
  std::uint64_t class_hash = 0;  // of namespace, labels and inter-pod affinity terms; see pod_class.h
  RequestRules rules;            // by which the requests are counted

  const api::Pod& operator*() const { return *pod; }
  const api::Pod* operator->() const { return pod.get(); }
};

using PodInfoPtr = std::shared_ptr<const PodInfo>;

// A pod with spec.nodeName counts as placed.
PodInfoPtr make_pod_info(api::PodPtr pod, const RequestRules& rules = {});
// What the pod takes up once it is on a node. A nominated pod that was resized in place counts by its status
// there, though as an incoming pod it does not.
Resources placed_requests(const PodInfo& pod);
// The same pod, as if it ran on `node`: the assumption of the live cycle, and a what-if's placement. Gets the
// zone and region labels of the node where `node_labels` gives them, as the API server's admission would.
PodInfoPtr make_placed(const PodInfo& pod, std::string_view node, const api::Labels* node_labels);

}  // namespace podium::cluster
