// The planted bugs of volumes and of claims for them.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>

#include "simulate/base/object_fields.h"
#include "simulate/mutations/bug_tools.h"
#include "simulate/mutations/mutations.h"

namespace podium::simulate {
namespace {

using client::Request;

bool of_volumes(const Request& request) { return names(request, "/persistentvolumes"); }
bool of_volume_claims(const Request& request) { return names(request, "/persistentvolumeclaims"); }

bool of_node_drivers(const Request& request) { return names(request, "/csinodes"); }

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

// Changes the objects of a kind as the engine reads them.
Bug misreads(bool (*of)(const Request&), void (*how)(json::object& spec)) {
  Bug bug;
  bug.reads = [of, how](const Request& request, std::string line) {
    if (!of(request) || (!is_line_of(line, "ADDED") && !is_line_of(line, "MODIFIED"))) return line;
    auto event = json::parse(line);
    how(event.as_object()["object"].as_object()["spec"].as_object());
    return json::serialize(event) + "\n";
  };
  return bug;
}

void without_reach(json::object& spec) { spec.erase("nodeAffinity"); }

void in_the_other_zone(json::object& spec) {
  auto text = json::serialize(spec);
  const auto at = text.find(R"(["z)");
  if (at == std::string::npos) return;
  text[at + 3] = text[at + 3] == '0' ? '1' : '0';
  spec = json::parse(text).as_object();
}

void for_many_pods(json::object& spec) { spec["accessModes"] = json::array{"ReadWriteOnce"}; }

void without_drivers(json::object& spec) { spec["drivers"] = json::array(); }

// A write is lost, and the engine does not learn of it.
Bug writes_in_vain(bool (*of)(const Request&)) {
  Bug bug;
  bug.instead = [of](const Request& request) -> std::optional<client::Response> {
    if (request.method != "PATCH" || !of(request)) return std::nullopt;
    return stored(200, request);
  };
  return bug;
}

// After the wait for its volumes a pod's binding is not sent.
Bug forgets_to_bind() {
  Bug bug;
  bug.instead = [](const Request& request) -> std::optional<client::Response> {
    const bool has_claims = names(request, "/pods/b") && names(request, "/binding");
    return has_claims ? std::optional(done(201)) : std::nullopt;
  };
  return bug;
}

}  // namespace

std::vector<Mutation> volume_mutations() {
  return {
      {.name = "volume_reach_ignored",
       .bug = "ignores which nodes reach a volume",
       .seed = kFirstWithVolumes + 1,
       .found_as = "cannot reach the volume",
       .make = [] { return misreads(of_volumes, without_reach); }},
      {.name = "volume_in_another_zone",
       .bug = "takes a volume for one of another zone",
       .seed = kFirstWithVolumes + 1,
       .found_as = "cannot reach the volume",
       .make = [] { return misreads(of_volumes, in_the_other_zone); }},
      {.name = "attach_limit_ignored",
       .bug = "ignores how many volumes a node attaches",
       .seed = kFirstWithVolumes + 1,
       .found_as = "attaches fewer volumes",
       .make = [] { return misreads(of_node_drivers, without_drivers); }},
      {.name = "claim_for_many_pods",
       .bug = "ignores that a claim is for one pod",
       .seed = kFirstWithVolumes + 1,
       .found_as = "is of another pod",
       .make = [] { return misreads(of_volume_claims, for_many_pods); }},
      {.name = "volume_write_lost",
       .bug = "assumes that a volume is reserved for a claim, and it is not",
       .seed = kFirstWithVolumes + 1,
       .found_as = "waits, and fits",
       .make = [] { return writes_in_vain(of_volumes); }},
      {.name = "claim_write_lost",
       .bug = "assumes that a claim has its node, and it does not",
       .seed = kFirstWithVolumes + 1,
       .found_as = "still assumes the volume claim",
       .make = [] { return writes_in_vain(of_volume_claims); }},
      {.name = "binding_after_prebind_lost",
       .bug = "does not send the binding of a pod whose volumes are ready",
       .seed = kFirstWithVolumes + 1,
       .found_as = "waits, and fits",
       .make = forgets_to_bind},
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
