// Asks podium. First the API server checks the objects, with the user's rights. Then this creates a question,
// waits for its answer and deletes it.
//
// Threads: the Cluster's. Errors: messages for people.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "app/kubectl/live_cluster.h"
#include "base/result.h"

namespace podium::kubectl {

// A server-side dry run of the pod: checks quota, limits, webhooks and admission policies of the cluster.
AdmittedPod dry_run_pod(LiveCluster& cluster, const std::string& ns, const boost::json::value& pod);

// A server-side dry run that creates another object, or replaces it if it exists. Returns whether it exists.
Result<bool> dry_run(LiveCluster& cluster, const std::string& ns, const boost::json::value& object);

// "the API server refuses Deployment web: exceeded quota …".
std::string refusal(std::string_view kind, std::string_view name, std::string_view why);

// Creates the question, waits for its answer and deletes it unless `keep`. Returns the answered object.
// Ctrl-C deletes the question too.
Result<boost::json::value> ask(LiveCluster& cluster, const std::string& ns, boost::json::object spec,
                               bool keep);

// Whether the API server does not serve SchedulingReports: podium is not installed.
bool is_not_installed(const Error& error);

// "podium is not installed in this cluster: …", and how to get an answer without it.
std::string not_installed_words(const std::string& ns, const std::string& pod);

}  // namespace podium::kubectl
