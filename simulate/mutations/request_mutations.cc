// The planted bugs of the requests that an engine may send, and of their times.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>

#include "simulate/base/object_fields.h"
#include "simulate/mutations/bug_tools.h"
#include "simulate/mutations/mutations.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;
using client::Request;
using client::Response;

bool is_event(const Request& request) {
  return request.method == "POST" && request.target.ends_with("/events");
}

Bug evicts_by_name() {
  Bug bug;
  bug.before = [](Request& request) {
    if (request.method != "DELETE" || !names(request, "/pods/")) return;
    auto body = json::parse(request.body);
    body.as_object().erase("preconditions");
    request.body = json::serialize(body);
  };
  return bug;
}

Bug decides_before_it_has_listed() {
  Bug bug;
  bug.fails_for_empty = true;
  return bug;
}

Bug writes_events_late() {
  Bug bug;
  bug.delays = [](const Request& request) -> Steady::duration { return is_event(request) ? 12s : 0s; };
  return bug;
}

Bug ignores_retry_after() {
  Bug bug;
  bug.after = [](const Request&, Answer& answer) {
    if (answer) answer->retry_after = 0;
  };
  return bug;
}

bool writes_status(const Request& request) {
  return request.method == "PATCH" && names(request, "/pods/") && names(request, "/status");
}

Bug loses_nominations() {
  Bug bug;
  bug.instead = [](const Request& request) -> std::optional<Response> {
    const bool nominates =
        writes_status(request) && request.body.find(R"("nominatedNodeName":")") != std::string::npos;
    return nominates ? std::optional(stored(200, request)) : std::nullopt;
  };
  return bug;
}

Bug loses_conditions() {
  Bug bug;
  bug.instead = [](const Request& request) -> std::optional<Response> {
    const bool clears = writes_status(request) &&
                        request.body.find(R"("type":"PodScheduled")") != std::string::npos &&
                        request.body.find("nominatedNodeName") == std::string::npos;
    return clears ? std::optional(stored(200, request)) : std::nullopt;
  };
  return bug;
}

Bug writes_status_of_any_version() {
  Bug bug;
  bug.before = [](Request& request) {
    if (writes_status(request)) drop_metadata(request, {"resourceVersion"});
  };
  return bug;
}

Bug loses_events_of_bindings() {
  Bug bug;
  bug.instead = [](const Request& request) -> std::optional<Response> {
    const bool reported =
        is_event(request) && request.body.find(R"("reason":"Scheduled")") != std::string::npos;
    return reported ? std::optional(stored(201, request)) : std::nullopt;
  };
  return bug;
}

}  // namespace

std::vector<Mutation> request_mutations() {
  return {
      {.name = "eviction_without_uid",
       .bug = "evicts the pod that now has the victim's name",
       .seed = 21,
       .found_as = "whatever its UID is",
       .make = evicts_by_name},
      {.name = "failed_list_is_empty",
       .bug = "decides before its first lists are complete",
       .seed = 6,
       .found_as = "has not read",
       .make = decides_before_it_has_listed},
      {.name = "events_without_the_lease",
       .bug = "writes an event that has waited, though the lease is lost",
       .seed = 13,
       .found_as = "has the lease",
       .make = writes_events_late,
       .writes_always = true,
       .faults = only({Fault::freeze})},
      {.name = "no_retry_after",
       .bug = "sends again before the time that the API server asked for",
       .seed = 1,
       .found_as = "before its Retry-After",
       .make = ignores_retry_after},
      {.name = "lost_nomination",
       .bug = "does not write the nomination of a pod that preempts",
       .seed = 9,
       .found_as = "has not nominated it",
       .make = loses_nominations},
      {.name = "lost_condition",
       .bug = "does not write why a pod waits",
       .seed = 15,
       .found_as = "its status does not say so",
       .make = loses_conditions},
      {.name = "status_of_any_version",
       .bug = "writes a status whatever has become of the pod",
       .seed = 21,
       .found_as = "is bound, but its status says that it is not scheduled",
       .make = writes_status_of_any_version},
      {.name = "no_event_of_binding",
       .bug = "does not write the event of a binding",
       .seed = 1,
       .found_as = "has written no event",
       .make = loses_events_of_bindings},
  };
}

}  // namespace podium::simulate
