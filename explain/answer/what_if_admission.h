// Admission of a what-if: its profile, its pod as the API server would store it, and what is not modelled.
//
// Emulates defaults, validation, priority classes, DefaultTolerationSeconds, LimitRanger and RuntimeClass.
// not_modelled() names what could not be read.
//
// Threads: pure functions. Errors: Kind::invalid; Error.message is "path: reason".
// Source: plugin/pkg/admission/priority, plugin/pkg/admission/defaulttolerationseconds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/admission/admission.h"
#include "api/values/pod.h"
#include "base/result.h"
#include "explain/answer/budget.h"
#include "explain/answer/new_volumes.h"
#include "explain/question/question.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/values/config.h"
#include "scheduler/framework/decision.h"
#include "scheduler/framework/profile.h"

namespace podium::explain {

// The question's pod with defaults, priority and the name of its profile. Scheduling gates are removed. The
// question has its subject.
Result<std::shared_ptr<const api::Pod>> admit_question(const Question& question,
                                                       const cluster::Snapshot& snapshot,
                                                       const config::Config& config,
                                                       const api::AdmissionObjects& objects = {});

// Refused: the profile does not have the strategy. remove_disabled() then removes strategies of weight 0.
Result<void> set_weight(const StrategyWeight& strategy, const FieldPath& path, framework::Profile& profile);
void remove_disabled(const std::vector<StrategyWeight>& strategies, framework::Profile& profile);

// The profile of the pod, with the question's weights; for a pod that names its node, see below.
Result<framework::Profile> profile_for(const Question& question, const api::Pod& pod,
                                       const config::Config& config);

// The part of a profile that applies to a pod that names its node (spec.nodeName): such a pod skips the
// scheduler, and the kubelet admits it if these filters pass.
// Source: pkg/kubelet/lifecycle/predicate.go, AdmissionCheck.
framework::Profile kubelet_profile(framework::Profile profile);

// "claim gpu: namespace shop has no ResourceClaimTemplate "one"". Empty: each claim exists or can be created.
std::string missing_claim(const Subject& subject, const api::AdmissionObjects& objects);
// Whether the pod was rejected because the claim of a template does not exist, or because the API server
// refuses its claim. Another reason comes first otherwise.
bool lacks_claim(const framework::Decision& decision, const api::AdmissionObjects& objects);

// The forks before and after the replicas were placed, and their nodes. Both are without the old pods.
struct Answered {
  const cluster::Snapshot &start, &fork;
  const std::vector<cluster::Row>& rows;
  std::size_t victims = 0;  // that terminate, and were taken as gone
  const Budget& budget = kNoBudget;
  Overlap overlap = {};
};
// Names what may change the real outcome and is not part of the answer. The question has its subject.
std::vector<std::string> not_modelled(const Question& question, const framework::Profile& profile,
                                      const Answered& answered, const api::AdmissionObjects& objects = {});

}  // namespace podium::explain
