// The JSON documents of `podium evaluate` and `podium evaluate --place`. They have the fields that
// e2e/oracle prints for kube-scheduler, so that the two can be compared.
//
// Threads: pure functions.
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "explain/report/what_if_parts.h"
#include "scheduler/framework/decision.h"
#include "scheduler/plugins/preemption/default_preemption.h"

namespace podium::evaluate {

// How many pods of a workload fit, placed one after the other.
struct Fitting {
  std::size_t asked = 0, fitting = 0;
  bool is_of_daemon_set = false;
};

struct PodResult {
  cluster::PodInfoPtr pod;  // of a workload its first
  std::string profile;
  framework::Decision decision;
  std::vector<plugins::PreemptionCandidate> candidates;  // with --preemption-candidates; else empty
  // By feasible node: the pod's claims that are not allocated, with the devices that they would get there.
  std::map<std::string, std::vector<std::shared_ptr<const api::ResourceClaim>>> allocations = {};
  std::optional<Fitting> replicas = std::nullopt;  // for a workload with several pods
  std::vector<explain::QuotaAnswer> quotas = {};   // that count the pods, those that allow the fewest first
  std::vector<std::string> not_modelled = {};      // what may change the result in the cluster
};

// The result of one pod with --place. It omits the scores of the other nodes, to bound the file at
// thousands of pods and nodes.
struct PlacedPod {
  std::string pod;   // namespace/name
  std::string node;  // empty: it did not fit
  std::size_t nodes = 0, feasible = 0;
  std::optional<std::int64_t> score;     // of the chosen node; nullopt: nodes were not scored
  std::string message;                   // why the pod was not placed
  std::string workload = {}, zone = {};  // the key of a summary's group; zone: of the node, may be empty
  std::string reason = {};               // the reason that rejected the most nodes; empty: the pod was placed
};

boost::json::value to_document(const std::vector<PlacedPod>& pods);
boost::json::value to_document(const std::vector<PodResult>& results, const cluster::Snapshot& snapshot);

}  // namespace podium::evaluate
