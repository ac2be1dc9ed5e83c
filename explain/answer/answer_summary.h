// The message of an answer's condition Complete: how many replicas fit, and what the reader must know.
//
// Threads: a pure function. Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "explain/answer/placing.h"
#include "explain/report/what_if_parts.h"
#include "explain/workload/workload.h"

namespace podium::explain {

// What a message says at its end.
inline constexpr auto kWithoutExtenders = " (HTTP extenders were not called)";

struct Summarised {
  const ReportAnswer& answer;
  const Placed& placed;
  std::string_view first_node;  // of the first replica; empty: it has none
  const Subject& subject;
  std::size_t removed = 0;        // placed pods that were not counted
  std::size_t other_victims = 0;  // of preemption, in other namespaces
  bool is_cut_short = false;      // the deadline passed before the answer was complete
  bool has_extenders = false;
};
std::string summary(const Summarised& seen);

}  // namespace podium::explain
