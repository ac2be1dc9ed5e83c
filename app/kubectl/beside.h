// What a user may see beside podium's answer to `whatif`: zones, the workload's pods now, and how many more
// fit.
//
// Threads: the Cluster's. Errors: none; what the user may not see is left out.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "app/kubectl/cluster.h"
#include "app/kubectl/question.h"
#include "app/render/report.h"
#include "app/render/what_if.h"

namespace podium::kubectl {

// The zones of the nodes that take pods. `selector`: of the workload's pods, as the API takes it; empty: it
// has none now.
void add_zones(Cluster& cluster, const std::string& ns, const std::string& selector, render::Beside& beside);

// Replicas are placed one after the other, so the first ones of a question for more are those of the first
// question. Asks nothing where not all fit.
void add_room(Cluster& cluster, const std::string& ns, boost::json::object spec, const render::Report& report,
              render::Beside& beside);

// Options that this question does not have yet: "--weights NodeResourcesFit=5, --drain n1".
std::string other_options(const QuestionFlags& flags, const render::Report& report);

// A workload's matchLabels; empty where it has none, or expressions.
std::string selector_of(const boost::json::value& workload);

}  // namespace podium::kubectl
