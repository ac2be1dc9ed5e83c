// Scans the JSON text of a SchedulingReport without building a DOM.
//
// A what-if is untrusted input of any size and depth. The fields that decide whether to refuse or
// skip it are read from the text in constant memory and without recursion.
//
// Threads: pure functions; the views point into the text. Errors: Kind::invalid for malformed JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace podium::explain {

// A condition of its status; empty if absent. The texts keep their JSON escapes.
struct ConditionText {
  std::string_view status, reason, since;
};

struct ReportText {
  std::size_t bytes = 0;                    // of the whole object
  std::string_view ns, name, uid, version;  // version: its resourceVersion
  std::int64_t generation = 0;
  bool is_what_if = false;  // spec.dryRun
  bool has_status = false;
  // JSON texts of status.decidedAt and status.observedGeneration; empty: absent.
  std::string_view decided_at, observed;
  std::optional<std::int64_t> answered;                       // status.observedGeneration
  std::string_view kind_label, outcome_label, expires_label;  // see explain/report/report_labels.h
  ConditionText accepted, complete;
  std::string_view spec;            // its JSON text; empty if absent
  std::string_view scheduler_name;  // spec.schedulerName: the scheduler that answers; empty: any
  std::size_t template_bytes = 0;   // of spec.template, counting each escape \uXXXX as one byte
  std::size_t template_depth = 0;   // nesting depth of its objects and lists
  std::size_t search_bytes = 0;     // of spec.search, counted the same way
  std::size_t rest_bytes = 0;       // of the other fields of spec
  std::size_t rest_depth = 0;

  // True if the status answers the current spec. A status with another observedGeneration is not an answer,
  // even if podium did not write it.
  bool is_answered() const { return answered == generation; }
};

Result<ReportText> scan_report(std::string_view json);
// The fields of `spec` alone, from its JSON text.
ReportText scan_spec(std::string_view json);

// Calls each() with the text of every item of a list, in order. Returns metadata.continue, empty on
// the last page.
Result<std::string_view> scan_list(std::string_view json, const std::function<void(std::string_view)>& each);

}  // namespace podium::explain
