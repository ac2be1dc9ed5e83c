// A question of the user's file: a SchedulingReport with dryRun, which `kubectl apply` would create.
//
// Threads: the Cluster's. Errors: with their places in the file.
#pragma once

#include <boost/json/value.hpp>
#include <string>

#include "app/kubectl/cluster.h"
#include "app/kubectl/manifest.h"
#include "app/kubectl/question_spec.h"
#include "base/result.h"

namespace podium::kubectl {

// Whether the question can be asked as it is, with these flags. `counts`: by `capacity`.
Result<void> check_question(const FileObject& object, const QuestionFlags& flags, bool counts);

// Returns the answered SchedulingReport; a refusal has the places of the file. `keep`: it stays, with the
// question's own lifetime.
Result<boost::json::value> ask_question(Cluster& cluster, const FileObject& object, const std::string& ns,
                                        bool keep);

// The name of the pod or workload that it is about; else its own.
std::string subject_of_question(const FileObject& object);

}  // namespace podium::kubectl
