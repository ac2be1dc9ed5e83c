// The planted bugs of volumes and of claims for them.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>

#include "simulate/mutations/bug_tools.h"
#include "simulate/mutations/mutations.h"

namespace podium::simulate {
namespace {

using client::Request;

bool of_volumes(const Request& request) { return names(request, "/persistentvolumes"); }
bool of_volume_claims(const Request& request) { return names(request, "/persistentvolumeclaims"); }

Bug loses(bool (*of)(const Request&), std::string type) {
  Bug bug;
  bug.reads = [of, type = std::move(type)](const Request& request, std::string line) {
    return of(request) && is_line_of(line, type) ? std::string() : line;
  };
  return bug;
}

// A claim counts as bound as soon as it names a node or a volume is reserved for it.
Bug does_not_wait() {
  Bug bug;
  bug.reads = [](const Request& request, std::string line) {
    if (!of_volume_claims(request) || !is_line_of(line, "MODIFIED")) return line;
    auto event = json::parse(line);
    auto& spec = event.as_object()["object"].as_object()["spec"].as_object();
    if (spec.contains("volumeName")) return line;
    spec["volumeName"] = "v0";
    auto& metadata = event.as_object()["object"].as_object()["metadata"].as_object();
    metadata["annotations"].as_object()["pv.kubernetes.io/bind-completed"] = "yes";
    return json::serialize(event) + "\n";
  };
  return bug;
}

}  // namespace

std::vector<Mutation> volume_mutations() {
  return {
      {.name = "claim_not_awaited",
       .bug = "takes a claim for bound whose node is chosen",
       .seed = kFirstWithVolumes + 3,
       .found_as = "waits, and fits",
       .make = does_not_wait},
      {.name = "new_volume_lost",
       .bug = "does not see that a volume is created",
       .seed = kFirstWithVolumes + 1,
       .found_as = "waits, and fits",
       .make = [] { return loses(of_volumes, "ADDED"); }},
      {.name = "new_claim_lost",
       .bug = "does not see that a claim for a volume is created",
       .seed = kFirstWithVolumes + 1,
       .found_as = "waits, and fits",
       .make = [] { return loses(of_volume_claims, "ADDED"); }},
      {.name = "bound_claim_lost",
       .bug = "does not see that a claim for a volume is bound",
       .seed = kFirstWithVolumes + 1,
       .found_as = "waits, and fits",
       .make = [] { return loses(of_volume_claims, "MODIFIED"); }},
      {.name = "volume_kept",
       .bug = "does not see that a volume is deleted",
       .seed = kFirstWithVolumes + 1,
       .found_as = "a volume that is not there",
       .make = [] { return loses(of_volumes, "DELETED"); }},
  };
}

}  // namespace podium::simulate
