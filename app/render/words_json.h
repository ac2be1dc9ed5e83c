// The words of a report as JSON, next to its codes, for programs that show them to people: the page. They
// are those of the terminal.
//
// Threads: pure functions. Errors: none; what a report does not have is left out.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "explain/report/report.h"

namespace podium::render {

// What is known of a pod besides its decision.
struct Life {
  std::optional<Wall> created = {};
  std::optional<Wall> nominated = {};  // when the first pod was evicted for it
  std::optional<explain::NamespacedName> evicted_for = {};
  std::optional<Wall> evicted_at = {};
  bool is_gone = false;  // it has ended or was deleted
  std::optional<Wall> gone_at = {};
};

// A question in the terms of its answer.
struct Asked {
  std::string subject = {};  // "shop/web"
  bool fixes = false;        // changes were looked for
  struct Change {
    std::vector<std::string> nodes = {};
    bool is_drain = false, is_failure = false, then_uncordon = false;
    std::size_t added = 0;  // new nodes
    std::string like = {};
  };
  std::vector<Change> changes = {};  // as in spec.changes
};

// A decision has these words: blockedBy, choice, lead, decided, rejections: [{reason, missing}], gated,
// selector, replaces, timeline: [{at, what, text}], and of a pod that is gone: gone, evictedFor: {namespace,
// name}. Lists are in the status' order.
boost::json::object words_json(const explain::ReportStatus& status, const std::string& ns, const Life& life);
// An answer has the same words without the life, and room, capacity: {more, limit} of one replica, quotas,
// firstFailure: {rejections}, fixes: [{what, outcome, snippet}], noFix, verdicts: [{title, rejects, passes,
// notes}], changes: of a drain {verdict, notes, budgets, pods: why each has no place, against: what speaks
// against the eviction of each}, rolling: {verdict, notes, steps: [{name, nodes, fullest, marks}]}, of a
// search for nodes: nodes: {verdict, notes}, blocked: what blocks the other nodes.
boost::json::object words_json(const explain::ReportStatus& status, const std::string& ns,
                               const Asked& asked);

// A line in a list has reason, and missing if an amount is short.
boost::json::object line_words_json(const explain::ReportStatus& status);

}  // namespace podium::render
