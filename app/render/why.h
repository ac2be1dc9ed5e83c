// Renders the answer to "why": a report's verdict, one table, the rejected nodes, and the next step.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/render/options.h"
#include "app/render/report.h"
#include "app/render/text.h"

namespace podium::render {

// Whether no node fits because of the pod itself: a claim that does not exist, and the like. No change that
// podium tries would help.
bool is_pods_own_fault(const Report& report);

// A line with the next command for a pod that exists, or nothing. Nothing if `options.program` is empty.
std::string next_step(const Report& report, const std::string& ns, const std::string& pod,
                      const Options& options);
// "Where would it go now? kubectl podium whatif pod/web -n shop".
std::string where_now(const std::string& ns, const std::string& pod, const Options& options);
// "Without its gate? kubectl podium whatif pod/web -n shop".
std::string without_gates(std::size_t gates, const std::string& ns, const std::string& pod,
                          const Options& options);
// "What would help? kubectl podium whatif pod/huge -n default --fixes". `target`: "pod/huge".
std::string what_would_help(const std::string& target, const std::string& ns, const Options& options);

// What has become of the pod since the decision.
struct Fate {
  bool is_gone = true;     // false: it terminates
  std::string how = {};    // "evicted 92s ago to make room for shop/big"; empty: not known
  std::string ended = {};  // "it has succeeded": it exists and does not run; empty: none of this
};
// "it no longer exists", "evicted 92s ago to make room for shop/big".
std::string fate_words(const Fate& fate);

// For a decision, or a question about one pod. `subject`: the reader's name for the pod, "shop/web-07".
// `fate`: nullopt: the pod exists.
std::string why(const Report& report, const std::string& subject, const Options& options,
                const std::optional<Fate>& fate = std::nullopt);
// The same for a pod that waits for its scheduling gates.
std::string gated(const std::string& subject, const std::vector<std::string>& gates);

// For a question: "Preemption: shop/a on n1 would be evicted to make room.\n"; empty: it evicts nothing.
std::string would_evict(const Report& report);

// "731 points, tied with 4 other nodes; the pod's UID decides"; empty: the chosen node has no score.
std::string choice_words(const Report& report);

// What each filter says about a node that a question named.
struct NodeChecks {
  std::vector<std::string> rejects;  // "cpu 3 of 2.5 free", "it is cordoned"
  std::vector<std::string> amounts;  // "memory 1Gi of 3Gi free": enough
  std::vector<std::string> passes;   // "taints"
};
NodeChecks checks_of(const explain::NodeVerdict& verdict, const Options& options);

// True if the node does not exist.
bool is_unknown_node(const explain::NodeVerdict& verdict);
// "there is no node n1. Did you mean n-1?"
std::string unknown_node(const explain::NodeVerdict& verdict);
// Without the checks.
struct NodeWords {
  std::string title;  // "No: n1 rejects shop/web."
  std::string notes;  // what would let it fit there, or the better node
  std::string rank;   // with the first fix
};
NodeWords node_words(const Report& report, const explain::NodeVerdict& verdict, const std::string& subject,
                     const Options& options);
// The verdict on each node that a question named; empty: it named none.
std::string node_verdicts(const Report& report, const std::string& subject, const Options& options);
// The same as an answer of its own, with the changes that would help and the notes.
std::string why_node(const Report& report, const std::string& subject, const Options& options);

// The sentence of a rejection that is about the pod: "there is no node n1. Did you mean n-1?"
std::string own_sentence(const explain::ReportRejection& own);
// The rejection for the pod's requirements on node labels, if no node meets all of them; else null. It counts
// the nodes that meet each part.
const explain::ReportRejection* unmet_selector(const Report& report);
// "12 nodes  would not accept it anyway: 9 with taint gpu=a100:NoSchedule, 3 cordoned", from rejections that
// are not about resources or labels; empty: there are none.
Cells cannot_anyway(const std::vector<explain::ReportRejection>& rejections);
bool is_of_the_node(const explain::ReportRejection& rejection);  // such a one
// How many nodes meet each part of the pod's node selector and node affinity; empty: podium does not know.
std::string selector_table(const std::vector<explain::ReportRejection>& rejections, const Options& options);
// The same below a heading.
std::string required_labels(const std::vector<explain::ReportRejection>& rejections, const Options& options);

// The groups of rejected nodes. Empty if there are none.
std::string rejected_nodes(const std::vector<explain::ReportRejection>& rejections, std::size_t total,
                           const Options& options);

}  // namespace podium::render
