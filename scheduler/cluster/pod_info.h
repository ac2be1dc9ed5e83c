// PodInfo: a pod and the values derived from it: requests, host ports, hashes.
//
// Derived once, when the pod arrives, off the scheduling strand. Immutable and shared: snapshot, queue and
// decisions hold the same object. Threads: any.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/cluster/request_rules.h"
#include "scheduler/cluster/resources.h"

namespace podium::api {
class Labels;
struct Pod;
}  // namespace podium::api

namespace podium::cluster {

struct HostPort {
  std::string ip;        // "0.0.0.0" if the pod names none
  std::string protocol;  // TCP, UDP, SCTP
  std::int32_t port = 0;
  bool operator==(const HostPort&) const = default;
};
// The ports of containers and sidecars; sorted by port, protocol and address.
std::vector<HostPort> host_ports(const api::Pod&);
// Whether one of `ports`, which are sorted as in host_ports(), has the same port and protocol, and the same
// address or one of both is 0.0.0.0.
bool conflicts(std::span<const HostPort> ports, const HostPort& other);
bool contains(std::span<const HostPort> ports, const HostPort& port);

struct PodInfo {
  std::shared_ptr<const api::Pod> pod;

  Resources requests;  // placed pods: spec and status; pending pods: spec only
  std::int64_t non_zero_milli_cpu = 0, non_zero_memory = 0;  // its share of a node's non-zero requested sums
  Resources score_requests;          // for NodeResourcesFit's score: non-zero defaults, no pod-level requests
  std::vector<HostPort> host_ports;  // see host_ports()
  std::uint64_t uid_hash = 0;
  std::uint64_t class_hash = 0;  // of namespace, labels and inter-pod affinity terms; see pod_class.h
  std::int32_t priority = 0;
  RequestRules rules;            // that `requests` was computed with
  bool status_may_count = true;  // once it is placed: placed_requests() may differ from `requests`

  const api::Pod& operator*() const { return *pod; }
  const api::Pod* operator->() const { return pod.get(); }
};

using PodInfoPtr = std::shared_ptr<const PodInfo>;

// A pod with spec.nodeName counts as placed.
PodInfoPtr make_pod_info(std::shared_ptr<const api::Pod> pod, const RequestRules& rules = {});
// The pod's requests once it is on a node, where its status also counts. They differ from `requests` for a
// nominated pod that was resized in place.
Resources placed_requests(const PodInfo& pod);
// A copy of the pod with spec.nodeName set, for the live cycle's assumed pods and a what-if's placements.
// Copies the zone and region labels from `node_labels` (if not null), as the API server's admission does.
PodInfoPtr make_placed(const PodInfo& pod, std::string_view node, const api::Labels* node_labels);

}  // namespace podium::cluster
