// What a file of `podium evaluate --pod` asks about: pods, workloads, questions, and what comes with them in
// the output of kustomize and helm.
//
// A Deployment, StatefulSet, ReplicaSet, DaemonSet, Job, CronJob or ReplicationController stands for a pod
// of its template, "NAME-new-0", with the owner it would have, so that the default spreading holds. A
// SchedulingReport with dryRun stands for its template. Other kinds belong to the cluster.
//
// Threads: pure functions. Errors: see read_asked().
#pragma once

#include <string>
#include <vector>

#include "api/manifests.h"
#include "base/problems.h"

namespace podium::evaluate {

struct AskedObjects {
  std::vector<api::ManifestText> pods;  // one for each object, in the order of the input
  // Services and the like; and the ReplicaSet that a Deployment would make.
  std::vector<api::ManifestText> others;
  std::vector<std::string> references;  // namespace/name, of questions with podRef
  std::vector<std::string> warnings;
};

// `replicas`: a workload stands for as many pods as it has replicas. What is wrong is left out, and added to
// `problems` with source and document.
AskedObjects read_asked(const std::vector<api::ManifestText>& texts, bool replicas, Problems& problems);

// Adds what the cluster has not, and replaces what it has, by kind and name.
void merge_into(api::Manifests& cluster, api::Manifests others);

}  // namespace podium::evaluate
