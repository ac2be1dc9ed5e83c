// Inputs of `podium evaluate`: reads the files and reports all errors together: first those of the
// configuration and unreadable files, then those of the contents, then names of pods that do not exist.
//
// Threads: any; two at a time cannot both read standard input. Errors: `invalid` for bad input.
#pragma once

#include <string>
#include <vector>

#include "api/admission/quota.h"
#include "api/decode/manifests.h"
#include "app/evaluate/subjects.h"
#include "base/result.h"
#include "scheduler/config/values/config.h"
#include "scheduler/plugins/registry.h"

namespace podium::evaluate {

struct Inputs {
  std::vector<std::string> cluster;  // files and directories of files; "-" is standard input
  std::vector<std::string> pods;     // files (see subjects.h), or namespace/name of pods of the cluster
  std::string config;                // a file; empty: the defaults
  std::string ns = "default";        // of objects that name none
  bool allow_unknown_fields = false;
  bool preemption_candidates = false;
  // Takes the objects without defaults and validation. For comparisons with kube-scheduler's framework.
  bool as_given = false;
  std::vector<std::string> feature_gates;  // one --feature-gates each
  plugins::Registry plugins{};             // with the program's own plugins
};

// The contents of the files before admission.
struct Contents {
  config::Config config;
  api::Manifests cluster;                 // without the pods to evaluate
  std::vector<AskedObjects::Item> asked;  // in the order of the input; placed pods without their nodes
  std::vector<api::ResourceQuota> quotas;
  std::vector<std::string> warnings;
};

Result<Contents> read_inputs(const Inputs& inputs);

}  // namespace podium::evaluate
