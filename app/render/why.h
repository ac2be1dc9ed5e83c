// The answer to "why": a report's verdict, one table, what was turned down, and what to do next.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "app/render/report.h"
#include "app/render/text.h"

namespace podium::render {

struct Options {
  Style style;
  bool wide = false;
  Wall now{};
  // The name that the program was called by, for hints: "kubectl podium". Empty: no hints.
  std::string program;
  std::string flags = {};  // that a hint repeats, with a leading space: " --cluster dump.yaml"
};

// Whether no node fits because of the pod itself: a claim that does not exist, and the like. No change that
// podium tries would help.
bool is_pods_own_fault(const Report& report);

// For a decision, or a question about one pod. `subject` is what the reader calls it: "shop/web-07".
std::string why(const Report& report, const std::string& subject, const Options& options);
// Of a pod that waits for its scheduling gates.
std::string gated(const std::string& subject, const std::vector<std::string>& gates);

// Whether the cluster has no such node.
bool is_unknown_node(const explain::NodeVerdict& verdict);
// The verdict on each node that a question named.
std::string why_node(const Report& report, const std::string& subject, const Options& options);

// The groups of nodes that were turned down. Empty where there are none.
std::string turned_down(const std::vector<explain::ReportRejection>& rejections, std::size_t total,
                        const Options& options);

}  // namespace podium::render
