// The JSON documents of `podium evaluate`, and of its --place: those that e2e/oracle prints for
// kube-scheduler, field by field, so that they can be compared.
//
// Threads: pure functions.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/framework/decision.h"
#include "scheduler/plugins/preemption/default_preemption.h"

namespace podium::evaluate {

struct PodResult {
  cluster::PodInfoPtr pod;
  std::string profile;
  framework::Decision decision;
  std::vector<plugins::PreemptionCandidate> candidates;  // on request: every node that preemption could use
};

// What is left of a decision that was carried out: of thousands of pods, on thousands of nodes, no more fits
// in a file.
struct PlacedPod {
  std::string pod;   // namespace/name
  std::string node;  // empty: it did not fit
  std::size_t nodes = 0, feasible = 0;
  std::optional<std::int64_t> score;  // of the node that was taken, where it has any
  std::string message;                // why it is nowhere
};

boost::json::value to_document(const std::vector<PlacedPod>& pods);
boost::json::value to_document(const std::vector<PodResult>& results, const cluster::Snapshot& snapshot);

}  // namespace podium::evaluate
