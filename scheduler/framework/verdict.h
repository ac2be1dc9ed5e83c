// Verdict: the reason for which a plugin rejected a pod, on one node or on all. Data, not an error. Threads:
// a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/framework/reason.h"

namespace podium::framework {

// The values of kube-scheduler's framework.Code that a verdict can have.
enum class Code : std::uint8_t {
  unschedulable,                   // preemption may help
  unschedulable_and_unresolvable,  // preemption on that node cannot help
  error,                           // the plugin failed; the attempt is retried as a SchedulerError
};
inline constexpr std::string_view kSuccess = "Success";  // the status without a verdict
std::string_view to_string(Code);  // "Unschedulable", "UnschedulableAndUnresolvable", "Error"

struct Verdict {
  std::string plugin;  // empty for nodes excluded by PreFilter
  Code code = Code::unschedulable;
  std::vector<Reason> reasons;
  bool operator==(const Verdict&) const = default;
};

std::string message(const Verdict&);  // the reasons, joined by ", "
// Upstream's errors: of an attempt that a filter's failure ends, and of a candidate without victims.
std::string filter_error(const Verdict& failed);
std::string no_victims_error(std::string_view node);

}  // namespace podium::framework
