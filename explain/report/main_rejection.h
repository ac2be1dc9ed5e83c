// The most useful of the reasons against the nodes.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <vector>

#include "explain/report/what_if_parts.h"

namespace podium::explain {

// Whether none of these nodes has any of the resource.
bool has_none(const ReportRejection& rejection);

// Whether no node has one of the labels that the pod requires. One of several terms is enough.
bool lacks_a_part(const ReportRejection& rejection);

// The most useful rejection; null: none. Labels that no node has come first, since room would not help. Then
// the one of the most nodes that could take the pod if they had room: nodes that their taints or the pod's
// selector exclude come after these. Among equals, one that is not a taint, and one that has a shortfall.
const ReportRejection* main_rejection(const std::vector<ReportRejection>& rejections);

}  // namespace podium::explain
