// Verdict: why a pod, or a node for a pod, was turned down. Data, not an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace podium::framework {

// framework.Code of kube-scheduler, where a verdict can carry it.
enum class Code : std::uint8_t {
  unschedulable,                   // preemption may help
  unschedulable_and_unresolvable,  // preemption on that node cannot help
  error,                           // the plugin failed; the attempt is retried as a SchedulerError
};
inline constexpr std::string_view kSuccess = "Success";  // where there is no verdict
std::string_view to_string(Code);  // "Unschedulable", "UnschedulableAndUnresolvable", "Error"

struct Verdict {
  std::string plugin;  // empty for nodes that a PreFilter node set left out
  Code code = Code::unschedulable;
  std::vector<std::string> reasons;
  bool operator==(const Verdict&) const = default;
};

std::string message(const Verdict&);  // the reasons, joined by ", "

}  // namespace podium::framework
