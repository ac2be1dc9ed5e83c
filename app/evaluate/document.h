// The JSON document of `podium evaluate`: the one that e2e/oracle prints for kube-scheduler, field by field, so that the
// two can be compared.
//
// Threads: pure functions.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "scheduler/framework/decision.h"
#include "scheduler/plugins/default_preemption.h"

namespace podium::evaluate {

struct PodResult {
  cluster::PodInfoPtr pod;
  std::string profile;
  framework::Decision decision;
  std::vector<plugins::PreemptionCandidate> candidates;  // on request: every node that preemption could use
};

boost::json::value to_document(const std::vector<PodResult>& results, const cluster::Snapshot& snapshot);

}  // namespace podium::evaluate
