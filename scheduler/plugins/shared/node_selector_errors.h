// Upstream's error texts for node selector terms that cannot be parsed. The API server accepts some such
// terms in pods: Gt and Lt with a value that is not a number, and values that are not label values.
//
// The texts of these equal upstream's. Terms that the API server rejects are also errors, with shorter texts.
// Source: component-helpers/scheduling/corev1/nodeaffinity, apimachinery labels.NewRequirement.
// Threads: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace podium::api {
struct NodeSelectorTerm;
struct PreferredNodeTerm;
}  // namespace podium::api

namespace podium::plugins {

// One text per error, each starting with `path` and the path of the value. Empty: the term can be parsed.
std::vector<std::string> parse_errors(const api::NodeSelectorTerm& term, std::string_view path);

// The errors of all preferred terms with a weight, as one text; "[0]" is the path of the first term.
// Empty: all terms can be parsed.
std::string parse_error(std::span<const api::PreferredNodeTerm> terms);

}  // namespace podium::plugins
