#include "scheduler/framework/verdict.h"

#include <fmt/format.h>

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

std::string filter_error(const Verdict& failed) {
  return fmt::format("running \"{}\" filter plugin: {}", failed.plugin, message(failed));
}

std::string no_victims_error(std::string_view node) {
  return fmt::format("expected at least one victim pod on node \"{}\"", node);
}

}  // namespace podium::framework
