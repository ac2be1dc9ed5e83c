#include "simulate/mutations/mutations.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <iterator>
#include <map>
#include <set>

#include "simulate/mutations/bug_tools.h"
#include "simulate/protocol/route.h"
#include "simulate/server/store.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;
using client::Request;
using client::Response;

bool is_binding(const Request& request) { return request.method == "POST" && names(request, "/binding"); }

// --- bindings and the lease ---

// The engine reads the pod after a refused binding: the bug returns it as pending.
Bug takes_doubt_for_refusal() {
  const auto refused = std::make_shared<std::map<std::string, json::value>>();  // metadata, by the pod's path
  Bug bug;
  bug.instead = [refused](const Request& request) -> std::optional<Response> {
    const auto pod = refused->find(request.target);
    if (request.method != "GET" || pod == refused->end()) return std::nullopt;
    json::object pending{{"apiVersion", "v1"}, {"kind", "Pod"}, {"spec", json::object()}};
    pending["metadata"] = pod->second;
    refused->erase(pod);
    return Response{200, json::serialize(pending)};
  };
  bug.after = [refused](const Request& request, Answer& answer) {
    if (!is_binding(request) || (answer && answer->status < 500)) return;
    const auto path = request.target.substr(0, request.target.find("/binding"));
    (*refused)[path] = json::parse(request.body).at("metadata");
    answer = Response{500, R"({"kind":"Status","reason":"lost"})"};
  };
  return bug;
}

Bug binds_late() {
  Bug bug;
  bug.delays = [](const Request& request) -> Steady::duration { return is_binding(request) ? 12s : 0s; };
  return bug;
}

Bug takes_any_404_for_gone() {
  Bug bug;
  bug.after = [](const Request& request, Answer& answer) {
    if (!has_code(answer, 404) || !names(request, "/pods/")) return;
    const auto route = parse_route(request.target);
    answer->body = json::serialize(json::object{{"kind", "Status"},
                                                {"apiVersion", "v1"},
                                                {"reason", "NotFound"},
                                                {"code", 404},
                                                {"details", {{"name", route->name}, {"kind", "pods"}}}});
  };
  return bug;
}

Bug binds_without_uid() {
  Bug bug;
  bug.before = [](Request& request) {
    if (is_binding(request)) drop_metadata(request, {"uid"});
  };
  return bug;
}

// Also skips the read of the pod, which would show that it is not on a node.
Bug takes_errors_for_bound() {
  const auto unread = std::make_shared<std::set<std::string>>();  // paths of pods
  Bug bug;
  bug.after = [unread](const Request& request, Answer& answer) {
    if (is_binding(request) && answer && answer->status >= 500) {
      unread->insert(request.target.substr(0, request.target.find("/binding")));
      answer = done(201);
    } else if (request.method == "GET" && unread->contains(request.target)) {
      answer = Response{500, R"({"kind":"Status","reason":"lost"})"};
    }
  };
  return bug;
}

Bug takes_conflicts_for_bound() {
  Bug bug;
  bug.after = [](const Request& request, Answer& answer) {
    if (is_binding(request) && has_code(answer, 409)) answer = done(201);
  };
  return bug;
}

Bug writes_the_lease_without_version() {
  Bug bug;
  bug.before = [](Request& request) {
    if (request.method == "PUT" && names(request, "/leases/"))
      drop_metadata(request, {"resourceVersion", "uid"});
  };
  return bug;
}

Bug keeps_the_lease_at_the_end() {
  Bug bug;
  bug.instead = [](const Request& request) -> std::optional<Response> {
    if (request.method != "PUT" || !names(request, "/leases/")) return std::nullopt;
    const auto lease = json::parse(request.body);
    if (!text_at(lease, "/spec/holderIdentity").empty()) return std::nullopt;
    return stored(200, request);
  };
  return bug;
}

Bug evicts_again_immediately() {
  Bug bug;
  bug.retries = [](const Request& request, const Answer& answer) {
    return request.method == "DELETE" && names(request, "/pods/") && has_code(answer, 403);
  };
  return bug;
}

Bug loses_withdrawals() {
  Bug bug;
  bug.after = [](const Request& request, Answer& answer) {
    const bool withdraws = request.method == "PATCH" && names(request, "/pods/") &&
                           request.body.find(R"("nominatedNodeName":null)") != std::string::npos;
    const bool failed = !answer || answer->status >= 400;
    if (withdraws && failed) answer = done(200);
  };
  return bug;
}

// The writer of nominations does not know of the writer that clears them.
Bug nominates_late() {
  const auto nominates = [](const Request& request) {
    return request.method == "PATCH" && names(request, "/pods/") &&
           request.body.find(R"("nominatedNodeName":")") != std::string::npos;
  };
  Bug bug;
  bug.instead = [nominates](const Request& request) {
    return nominates(request) ? std::optional(stored(200, request)) : std::nullopt;
  };
  bug.sends_late = [nominates](const Request& request) -> Steady::duration {
    return nominates(request) ? 20s : 0s;
  };
  return bug;
}

// --- watches ---

Bug never_relists() {
  const auto listed = std::make_shared<std::set<std::string>>();
  Bug bug;
  bug.after = [listed](const Request& request, Answer& answer) {
    const auto route = parse_route(request.target);
    if (request.method != "GET" || !route || !route->name.empty() || route->parameter("limit") == "1") return;
    if (!listed->insert(route->plural).second && has_code(answer, 200))
      answer = Response{500, R"({"kind":"Status","reason":"not now"})"};
  };
  return bug;
}

Bug drops(std::string_view type, std::string_view plural) {
  Bug bug;
  bug.reads = [type, plural](const Request& request, std::string line) {
    return is_line_of(line, type) && names(request, plural) ? std::string() : line;
  };
  return bug;
}

Bug keeps_deleted_pods_that_wait() {
  Bug bug;
  bug.reads = [](const Request& request, std::string line) {
    const bool waits = line.find(R"("nodeName":)") == std::string::npos;
    return waits && is_line_of(line, "DELETED") && names(request, "/pods") ? std::string() : line;
  };
  return bug;
}

Bug waits_for_silent_watches() {
  Bug bug;
  bug.waits_for_silence = true;
  return bug;
}

Bug believes_any_retry_after() {
  Bug bug;
  bug.rests = [](const Answer& answer) -> Steady::duration {
    return answer ? std::chrono::hours(answer->retry_after) : 0h;
  };
  return bug;
}

std::vector<Mutation> with_others(std::vector<Mutation> mutations) {
  for (auto more : {report_mutations(), claim_mutations(), request_mutations(), extender_mutations(),
                    neighbour_mutations(), volume_mutations()}) {
    mutations.insert(mutations.end(), std::make_move_iterator(more.begin()),
                     std::make_move_iterator(more.end()));
  }
  return mutations;
}

const std::vector<Mutation>& all() {
  static const std::vector<Mutation> found = with_others({
      {.name = "writes_without_the_lease",
       .bug = "sends a write that has waited, though the lease is lost (1)",
       .seed = 13,
       .found_as = "has the lease",
       .make = binds_late,
       .writes_always = true,
       .faults = only({Fault::freeze})},
      {.name = "doubt_is_refusal",
       .bug = "a binding without an answer frees its room (2)",
       .seed = 238,
       .found_as = "has written no event",
       .make = takes_doubt_for_refusal},
      {.name = "any_404_is_gone",
       .bug = "a proxy's 404 means that the pod is gone (3)",
       .seed = 6,
       .found_as = "waits, and fits",
       .make = takes_any_404_for_gone},
      {.name = "any_retry_after",
       .bug = "waits as long as any Retry-After says (5)",
       .seed = 6,
       .found_as = "waits, and fits",
       .make = believes_any_retry_after},
      {.name = "lost_withdrawal",
       .bug = "the withdrawal of a nomination is lost and not repeated (6)",
       .seed = 6058,
       .found_as = "its status does not say so",
       .make = loses_withdrawals,
       .faults = only({Fault::lose_reply, Fault::overload, Fault::server_error, Fault::proxy_404,
                       Fault::crash, Fault::freeze})},
      {.name = "late_nomination",
       .bug = "an older nomination overwrites what was written after it (6)",
       .seed = 189,
       .found_as = "has not nominated it",
       .make = nominates_late},
      {.name = "eviction_loop",
       .bug = "repeats a refused eviction immediately (7)",
       .seed = 301,
       .found_as = "times in a second",
       .make = evicts_again_immediately},
      {.name = "no_relist",
       .bug = "a lost DELETE never heals (9)",
       .seed = 1,
       .found_as = "waits, and fits",
       .make = never_relists},
      {.name = "binding_without_uid",
       .bug = "binds another pod of the same name",
       .seed = 7,
       .found_as = "put more on",
       .make = binds_without_uid},
      {.name = "error_is_bound",
       .bug = "takes an error for a binding",
       .seed = 10,
       .found_as = "waits, and fits",
       .make = takes_errors_for_bound},
      {.name = "conflict_is_bound",
       .bug = "takes a conflict for a binding",
       .seed = 847,
       .found_as = "its report says Scheduled",
       .make = takes_conflicts_for_bound,
       .faults = only(
           {Fault::lose_reply, Fault::freeze, Fault::half_open, Fault::proxy_404, Fault::server_silence})},
      {.name = "lease_without_version",
       .bug = "takes a lease that another has just taken",
       .seed = 57,
       .found_as = "has the lease",
       .rare = true,
       .make = writes_the_lease_without_version},
      {.name = "slow_clock",
       .bug = "keeps a lease for longer than it lasts",
       .seed = 1,
       .found_as = "is there",
       .clock_rate = 0.4},
      {.name = "lease_kept",
       .bug = "does not release the lease at the end",
       .seed = 1,
       .found_as = "the lease was not released",
       .make = keeps_the_lease_at_the_end},
      {.name = "no_deletions",
       .bug = "does not see that a pod is deleted",
       .seed = 2,
       .found_as = "waits, and fits",
       .make = [] { return drops("DELETED", "/pods"); }},
      {.name = "waiting_pod_kept",
       .bug = "keeps a pod in the queue that was deleted while it waited",
       .seed = 1,
       .found_as = "holds a pod that waits",
       .make = keeps_deleted_pods_that_wait},
      {.name = "no_node_changes",
       .bug = "does not see that a node changes",
       .seed = 108,
       .found_as = "waits, and fits",
       .rare = true,
       .make = [] { return drops("MODIFIED", "/nodes"); }},
      {.name = "expired_watch",
       .bug = "ignores a 410 in a watch",
       .seed = 9,
       .found_as = "waits, and fits",
       .make = [] { return drops("ERROR", "/"); }},
      {.name = "silent_watch",
       .bug = "waits for a watch that is silent",
       .seed = 5,
       .found_as = "waits, and fits",
       .make = waits_for_silent_watches},
  });
  return found;
}

}  // namespace

std::span<const Mutation> mutations() { return all(); }

const Mutation* mutation_named(std::string_view name) {
  const auto it = std::ranges::find(all(), name, &Mutation::name);
  return it == all().end() ? nullptr : &*it;
}

}  // namespace podium::simulate
