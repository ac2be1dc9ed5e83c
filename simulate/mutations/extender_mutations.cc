// The planted bugs of events that arrive while an engine decides.
#include <string>

#include "simulate/mutations/bug_tools.h"
#include "simulate/mutations/mutations.h"

namespace podium::simulate {
namespace {

using client::Request;

// Loses lines of watches that arrive while the engine waits for its extender.
Bug loses_in_flight(std::string type, std::string path) {
  Bug bug;
  bug.reads_while_deciding = [=](const Request& request, std::string line) {
    return is_line_of(line, type) && names(request, path) ? std::string() : line;
  };
  return bug;
}

}  // namespace

std::vector<Mutation> extender_mutations() {
  const auto lost = [](std::string_view name, std::string_view bug, std::uint64_t seed,
                       std::string_view found_as, std::string type, std::string path) {
    return Mutation{.name = name, .bug = bug, .seed = seed, .found_as = found_as, .make = [=] {
                      return loses_in_flight(type, path);
                    }};
  };
  return {
      lost("deletion_in_flight", "does not see that a pod is deleted while it decides",
           kFirstWithExtender + 1, "waits, and fits", "DELETED", "/api/v1/pods"),
      lost("pod_in_flight", "does not see a pod that is created while it decides", kFirstWithExtender + 1,
           "waits, and fits", "ADDED", "/api/v1/pods"),
      lost("change_in_flight", "does not see that a pod changes while it decides", kFirstWithExtender + 1,
           "waits, and fits", "MODIFIED", "/api/v1/pods"),
      lost("node_change_in_flight", "does not see that a node changes while it decides",
           kFirstWithExtender + 4, "has counted", "MODIFIED", "/api/v1/nodes"),
      lost("node_in_flight", "does not see a node that is created while it decides", kFirstWithExtender + 8,
           "lacks a node", "ADDED", "/api/v1/nodes"),
      lost("claim_in_flight", "does not see that a claim changes while it decides", kFirstWithExtender + 19,
           "a claim that is not there", "MODIFIED", "/resourceclaims"),
  };
}

}  // namespace podium::simulate
