#include "scheduler/framework/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace podium::framework {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::unschedulable:
      return "Unschedulable";
    case Code::unschedulable_and_unresolvable:
      return "UnschedulableAndUnresolvable";
    case Code::error:
      return "Error";
  }
  return "Error";
}

std::string message(const Verdict& verdict) { return fmt::format("{}", fmt::join(verdict.reasons, ", ")); }

}  // namespace podium::framework
