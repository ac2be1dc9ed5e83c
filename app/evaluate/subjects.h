// The subjects in the files of `podium evaluate --pod`: pods, workloads, questions, and the other objects in
// the output of kustomize and helm.
//
// A workload is evaluated with pods as its controller would create them (explain/workload/workload.h). A
// SchedulingReport with dryRun is evaluated with its template or its podRef. Objects of other kinds belong to
// the cluster.
//
// Threads: pure functions. Errors: see read_asked().
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/decode/manifests.h"
#include "base/problems.h"
#include "explain/workload/workload.h"

namespace podium::evaluate {

struct AskedObjects {
  struct Item {
    api::PodPtr pod;                          // of a workload: its first one, before admission
    std::optional<explain::Subject> subject;  // of a workload or a template
    std::string place = {};                   // of its object: "web.yaml:12"; empty: a pod of the cluster
    std::vector<explain::EphemeralClaim> claims = {};  // of a pod without a subject
  };
  std::vector<Item> items;  // in the order of the input
  api::Manifests others;
  std::vector<std::string> references;  // namespace/name, of questions with podRef
};

// Omits invalid objects, and adds them to `problems` with source and document. `autoscalers`: of the cluster;
// those of the texts precede them.
AskedObjects read_asked(const std::vector<api::ManifestText>& texts, const api::ManifestOptions& options,
                        const std::vector<boost::json::value>& autoscalers,
                        std::vector<std::string>& warnings, Problems& problems);

// Adds objects that the cluster lacks and replaces the others, by kind and name, except for kinds whose state
// a manifest lacks (api::keeps_state).
void merge_into(api::Manifests& cluster, api::Manifests others);

}  // namespace podium::evaluate
