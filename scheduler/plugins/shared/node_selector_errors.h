// What upstream says of node selector terms that it cannot parse. The API server lets such values into pods:
// Gt and Lt with no number, and what can be no label value.
//
// Source: component-helpers/scheduling/corev1/nodeaffinity, apimachinery labels.NewRequirement. What the API
// server refuses is an error here as well, told in fewer words. Threads: pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/pod.h"

namespace podium::plugins {

// One text an error, each with the path of the value below `path`; empty: the term can be parsed.
std::vector<std::string> parse_errors(const api::NodeSelectorTerm& term, std::string_view path);

// Of all preferred terms that count, as one text, with "[0]" for the first; empty: all can be parsed.
std::string parse_error(std::span<const api::PreferredNodeTerm> terms);

}  // namespace podium::plugins
