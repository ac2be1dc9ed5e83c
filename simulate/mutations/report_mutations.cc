// The planted bugs of reports and what-ifs.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "simulate/mutations/bug_tools.h"
#include "simulate/mutations/mutations.h"
#include "simulate/protocol/route.h"
#include "simulate/server/store.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;
using client::Request;
using client::Response;

Bug retries_forbidden_reports() {
  Bug bug;
  bug.retries = [](const Request& request, const Answer& answer) {
    return request.method == "POST" && of_report(request) && has_code(answer, 403);
  };
  bug.retry_interval = 1s;
  return bug;
}

Bug takes_lost_answers_for_written() {
  Bug bug;
  bug.after = [](const Request& request, Answer& answer) {
    const bool failed = !answer || answer->status >= 400;
    const bool of_what_if = request.method == "PATCH" && of_report(request) && names(request, "/status") &&
                            request.body.find(R"("path":"/metadata/uid")") != std::string::npos;
    if (of_what_if && failed) answer = done(200);
  };
  return bug;
}

Bug stops_at_a_report_that_stays() {
  const auto stuck = std::make_shared<bool>(false);
  Bug bug;
  bug.instead = [stuck](const Request& request) -> std::optional<Response> {
    if (!*stuck || request.method != "DELETE" || !of_report(request)) return std::nullopt;
    return Response{403, R"({"kind":"Status","reason":"Forbidden","code":403})"};
  };
  bug.after = [stuck](const Request& request, const Answer& answer) {
    if (request.method == "DELETE" && of_report(request) && has_code(answer, 403)) *stuck = true;
  };
  return bug;
}

Bug takes_another_report_for_its_own() {
  Bug bug;
  bug.after = [](const Request& request, Answer& answer) {
    if (request.method == "POST" && of_report(request) && has_code(answer, 409))
      answer = stored(201, request);
  };
  return bug;
}

Bug deletes_reports_without_uid() {
  Bug bug;
  bug.before = [](Request& request) {
    if (request.method == "DELETE" && of_report(request)) request.body = "{}";
  };
  // Late enough for another report to have the name.
  bug.delays = [](const Request& request) -> Steady::duration {
    return request.method == "DELETE" && of_report(request) ? 20s : 0s;
  };
  return bug;
}

// A report that is created after one of its name was deleted becomes unknown.
Bug forgets_by_name() {
  struct Known {
    std::set<Key> deleted, forgotten;
  };
  const auto known = std::make_shared<Known>();
  Bug bug;
  bug.instead = [known](const Request& request) -> std::optional<Response> {
    if (request.method != "DELETE" || !of_report(request)) return std::nullopt;
    return known->forgotten.contains(parse_route(request.target)->key()) ? std::optional(done(200))
                                                                         : std::nullopt;
  };
  bug.after = [known](const Request& request, const Answer& answer) {
    if (!of_report(request)) return;
    auto key = parse_route(request.target)->key();
    if (request.method == "DELETE" && has_code(answer, 200)) {
      known->deleted.insert(std::move(key));
    } else if (request.method == "POST" && has_code(answer, 201)) {
      key.name = text_at(json::parse(request.body), "/metadata/name");
      if (known->deleted.contains(key)) known->forgotten.insert(std::move(key));
    }
  };
  return bug;
}

Bug deletes_reports_that_were_written_again() {
  Bug bug;
  bug.before = [](Request& request) {
    if (request.method != "DELETE" || !of_report(request)) return;
    auto body = json::parse(request.body);
    if (auto* asked = body.as_object().if_contains("preconditions"))
      asked->as_object().erase("resourceVersion");
    request.body = json::serialize(body);
  };
  return bug;
}

}  // namespace

std::vector<Mutation> report_mutations() {
  return {
      {.name = "forbidden_report",
       .bug = "a forbidden report holds its writer (11)",
       .seed = 2,
       .found_as = "of rest",
       .make = retries_forbidden_reports},
      {.name = "lost_answer",
       .bug = "a what-if whose answer was not stored stays unanswered (13)",
       .seed = 1440,
       .found_as = "is not answered",
       .make = takes_lost_answers_for_written,
       .faults = only({Fault::lose_reply, Fault::server_error, Fault::overload})},
      {.name = "head_of_line",
       .bug = "a report that cannot be deleted stops all deletions (19)",
       .seed = 2,
       .found_as = "is there",
       .make = stops_at_a_report_that_stays},
      {.name = "forgets_by_name",
       .bug = "a deletion forgets the next report of its name (21)",
       .seed = 4,
       .found_as = "is there",
       .make = forgets_by_name},
      {.name = "report_of_another",
       .bug = "takes an existing report for its own",
       .seed = 4,
       .found_as = "has no report",
       .make = takes_another_report_for_its_own},
      {.name = "report_without_uid",
       .bug = "deletes another report of the same name",
       .seed = 33,
       .found_as = "whatever its UID is",
       .make = deletes_reports_without_uid},
      {.name = "report_without_version",
       .bug = "deletes a report that the leader before has just written again",
       .seed = 226,
       .found_as = "before its TTL",
       .make = deletes_reports_that_were_written_again,
       .faults = only({Fault::lose_request, Fault::late, Fault::server_silence, Fault::crash})},
  };
}

}  // namespace podium::simulate
