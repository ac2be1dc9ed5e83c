// Asks where the pods of workloads would go, and how many more fit: of files or of the cluster, together or
// each alone.
//
// Owner: a command. Threads: the Cluster's. Errors: printed; the exit code says what they were.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/kubectl/cluster.h"
#include "app/kubectl/question_spec.h"
#include "app/kubectl/targets.h"
#include "app/kubectl/verbs.h"

namespace CLI {
class App;
}

namespace podium::kubectl {

struct WhatIfFlags {
  std::shared_ptr<Shared> shared;
  QuestionFlags question;
  std::vector<std::string> files;
  std::vector<std::string> words;  // the workloads or pods of the cluster
  bool keep = false, capacity = false;
  bool each = false;                  // each workload separately
  std::vector<std::string> requests;  // of pods that the namespace could run
};

// `targets`: of the cluster; those of the files are in `flags`. Prints the answers. Returns the exit code.
int ask_workloads(const CLI::App& command, const WhatIfFlags& flags, Cluster& cluster,
                  const std::vector<Target>& targets);

}  // namespace podium::kubectl
