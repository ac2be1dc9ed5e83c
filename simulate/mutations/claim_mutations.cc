// The planted bugs of claims and devices.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>

#include "simulate/base/object_fields.h"
#include "simulate/mutations/bug_tools.h"
#include "simulate/mutations/mutations.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;
using client::Request;
using client::Response;

bool of_claim(const Request& request) { return names(request, "/resourceclaims"); }
bool writes_claim_status(const Request& request) {
  return request.method == "PATCH" && of_claim(request) && names(request, "/status");
}

Bug writes_claims_late() {
  Bug bug;
  bug.delays = [](const Request& request) -> Steady::duration {
    return writes_claim_status(request) ? 12s : 0s;
  };
  return bug;
}

// The allocations of another leader do not count.
Bug sees_no_allocations() {
  Bug bug;
  bug.reads = [](const Request& request, std::string line) {
    const bool allocates = line.find(R"("allocation":{)") != std::string::npos;
    return of_claim(request) && allocates ? std::string() : line;
  };
  return bug;
}

// Deallocated devices stay in use, as if Unreserve did not end the flight of a claim.
Bug keeps_devices_in_use() {
  Bug bug;
  bug.reads = [](const Request& request, std::string line) {
    const bool frees = is_line_of(line, "MODIFIED") && line.find(R"("allocation":{)") == line.npos;
    const bool ends = is_line_of(line, "DELETED");
    return of_claim(request) && (frees || ends) ? std::string() : line;
  };
  return bug;
}

Bug takes_conflicts_for_reserved() {
  Bug bug;
  bug.after = [](const Request& request, Answer& answer) {
    if (!writes_claim_status(request) || !has_code(answer, 409)) return;
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

// Replaces text in the claims that an engine reads: in watches, lists and replies.
Bug reads_claims_with(std::string from, std::string to) {
  const auto replaced = [from = std::move(from), to = std::move(to)](std::string text) {
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    return text;
  };
  Bug bug;
  bug.reads = [replaced](const Request& request, std::string line) {
    return of_claim(request) ? replaced(std::move(line)) : line;
  };
  bug.after = [replaced](const Request& request, Answer& answer) {
    if (of_claim(request) && answer) answer->body = replaced(std::move(answer->body));
  };
  return bug;
}

// PostFilter's write counts as done without being sent.
Bug loses_deallocations() {
  Bug bug;
  bug.instead = [](const Request& request) -> std::optional<Response> {
    const bool takes_back =
        writes_claim_status(request) && request.body.find(R"("allocation":null)") != std::string::npos;
    return takes_back ? std::optional(Response{200, request.body}) : std::nullopt;
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
       .bug = "writes a claim's status over a write in the meantime",
       .seed = kFirstWithDevices + 569,
       .found_as = "without a finalizer",
       .make = writes_claims_without_version},
      {.name = "conditions_not_awaited",
       .bug = "binds a pod before its device is ready",
       .seed = kFirstWithConditions + 1,
       .found_as = "is not ready",
       .make = [] { return reads_claims_with(R"("bindingConditions")", R"("otherConditions")"); }},
      {.name = "failure_is_ready",
       .bug = "binds a pod whose device failed",
       .seed = kFirstWithConditions + 1,
       .found_as = "failed",
       .make =
           [] {
             return reads_claims_with(R"("type":"example.com/broken")", R"("type":"example.com/attached")");
           }},
      {.name = "failed_device_kept",
       .bug = "takes back no claim whose device failed",
       .seed = kFirstWithConditions + 7,
       .found_as = "waits, and",
       .make = loses_deallocations},
      {.name = "conditions_not_seen",
       .bug = "does not see that a device is ready",
       .seed = kFirstWithConditions + 3,
       .found_as = "waits, and",
       .make = [] { return reads_claims_with(R"("type":"example.com/attached")", R"("type":"other")"); }},
  };
}

}  // namespace podium::simulate
