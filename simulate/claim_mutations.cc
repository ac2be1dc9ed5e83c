// The planted bugs of claims and devices.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "simulate/mutations.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;
using client::Request;
using client::Response;

bool of_claim(const Request& request) { return request.target.find("/resourceclaims") != std::string::npos; }
bool writes_claim_status(const Request& request) {
  return request.method == "PATCH" && of_claim(request) &&
         request.target.find("/status") != std::string::npos;
}

Bug writes_claims_late() {
  Bug bug;
  bug.dawdles = [](const Request& request) -> Steady::duration {
    return writes_claim_status(request) ? 12s : 0s;
  };
  return bug;
}

// What another leader has allocated does not count.
Bug sees_no_allocations() {
  Bug bug;
  bug.reads = [](const Request& request, std::string line) {
    const bool allocates = line.find(R"("allocation":{)") != std::string::npos;
    return of_claim(request) && allocates ? std::string() : line;
  };
  return bug;
}

// Devices that were given back stay in use, as those of a claim in flight that Unreserve forgets.
Bug keeps_devices_in_use() {
  Bug bug;
  bug.reads = [](const Request& request, std::string line) {
    const bool frees =
        line.starts_with(R"({"type":"MODIFIED")") && line.find(R"("allocation":{)") == line.npos;
    const bool ends = line.starts_with(R"({"type":"DELETED")");
    return of_claim(request) && (frees || ends) ? std::string() : line;
  };
  return bug;
}

Bug takes_conflicts_for_reserved() {
  Bug bug;
  bug.after = [](const Request& request, Result<Response>& answer) {
    if (!writes_claim_status(request) || !answer || answer->status != 409) return;
    auto claim = boost::json::parse(request.body).as_object();
    claim["metadata"].as_object()["name"] = "taken-for-written";
    answer = Response{200, boost::json::serialize(claim)};
  };
  return bug;
}

Bug writes_claims_without_version() {
  Bug bug;
  bug.before = [](Request& request) {
    if (!writes_claim_status(request)) return;
    auto body = boost::json::parse(request.body);
    body.as_object()["metadata"].as_object().erase("resourceVersion");
    request.body = boost::json::serialize(body);
  };
  return bug;
}

}  // namespace

std::vector<Mutation> claim_mutations() {
  auto freeze = Faults::none();
  freeze.add(Fault::freeze);
  return {
      {.name = "claims_without_the_lease",
       .bug = "writes a claim's status that has waited, though the lease is lost",
       .seed = kFirstWithDevices + 188,
       .found_as = "has the lease",
       .make = writes_claims_late,
       .writes_always = true,
       .faults = freeze},
      {.name = "allocations_not_counted",
       .bug = "gives devices that a claim has already",
       .seed = kFirstWithDevices + 1,
       .found_as = "gave it to",
       .make = sees_no_allocations},
      {.name = "devices_kept",
       .bug = "counts devices that were given back",
       .seed = kFirstWithDevices + 4,
       .found_as = "waits, and fits",
       .make = keeps_devices_in_use},
      {.name = "conflict_is_reserved",
       .bug = "takes a conflict for a reservation",
       .seed = kFirstWithDevices + 1,
       .found_as = "is bound",
       .make = takes_conflicts_for_reserved},
      {.name = "claim_without_version",
       .bug = "writes a claim's status whatever was written to it meanwhile",
       .make = writes_claims_without_version},
  };
}

}  // namespace podium::simulate
