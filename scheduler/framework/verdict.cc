#include "scheduler/framework/verdict.h"

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

std::string message(const Verdict& verdict) {
  std::string out;
  for (const auto& reason : verdict.reasons) out += (out.empty() ? "" : ", ") + reason.text;
  return out;
}

}  // namespace podium::framework
