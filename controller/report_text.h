// The JSON text of a SchedulingReport, read without building values of it.
//
// A what-if holds whatever its author put into it. What is needed to refuse it, or to tell that it is
// answered, is read from the text in one pass and constant memory, however large and deep it is.
//
// Threads: pure functions; the views point into the text. Errors: Kind::invalid for what is not JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace podium::controller {

struct ReportText {
  std::size_t bytes = 0;  // of the whole object
  std::string_view ns, name, uid;
  std::int64_t generation = 0;
  bool is_what_if = false;                     // spec.dryRun
  std::optional<std::int64_t> answered;        // status.observedGeneration
  std::string_view spec;                       // its JSON text; empty where absent
  std::size_t template_bytes = 0;              // of spec.template, with each escape \uXXXX as one byte
  std::size_t template_depth = 0;              // how many objects and lists are nested

  // The status answers the spec as it is. A generation that is not this one answers nothing, whoever wrote it.
  bool is_answered() const { return answered == generation; }
};

Result<ReportText> scan_report(std::string_view json);

// Calls each() with the text of every item of a list, in order. Returns metadata.continue, empty on the last
// page.
Result<std::string_view> scan_list(std::string_view json, const std::function<void(std::string_view)>& each);

}  // namespace podium::controller
