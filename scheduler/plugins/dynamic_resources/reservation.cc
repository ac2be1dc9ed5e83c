// DynamicResources after the decision: Reserve, PreBind and Unreserve.
//
// PreBind's writes follow one another: each needs the resourceVersion of the reply before. A claim that was
// changed meanwhile is read and written again.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/decode.h"
#include "scheduler/plugins/dynamic_resources/claim_json.h"
#include "scheduler/plugins/dynamic_resources/dynamic_resources.h"

namespace podium::plugins {
namespace {

namespace json = boost::json;
using framework::AssumedPod;
using framework::ClusterEvent;
using framework::NextStep;
using framework::ObjectWrite;
using framework::PluginState;
using framework::Verdict;
using framework::WriteReply;

// Source: client-go retry.DefaultRetry.
constexpr int kTries = 5;
constexpr std::chrono::milliseconds kBetweenTries{10};

struct Reservation final : PluginState {
  struct Item {
    ClaimPtr claim;                             // as it was last seen
    std::optional<api::Allocation> allocation;  // to be written; nullopt: the claim had one
  };
  enum class Request : std::uint8_t { finalizer, status, read };

  std::vector<Item> items;
  std::size_t current = 0;  // index of the claim that is being written
  Request request = Request::status;
  int tries = 0;  // of the current claim that met a conflict
};

Reservation& reservation(PluginState* state) { return *static_cast<Reservation*>(state); }

Verdict failure_with(std::string error) {
  return {std::string(DynamicResources::kName), framework::Code::error, {std::move(error)}};
}

// As other pods' decisions see the claim until it is written.
ClaimPtr allocated(const api::ResourceClaim& claim, const api::Allocation& allocation) {
  auto changed = std::make_shared<api::ResourceClaim>(claim);
  changed->has_finalizer = true;
  changed->status.allocation = allocation;
  return changed;
}

// --- requests ---

ObjectWrite request_for(const api::ResourceClaim& claim) {
  ObjectWrite write;
  write.verb = ObjectWrite::Verb::strategic;
  write.group = "resource.k8s.io";
  write.resource = "resourceclaims";
  write.namespace_ = claim.meta.namespace_;
  write.name = claim.meta.name;
  write.uid = claim.meta.uid;
  return write;
}

ObjectWrite finalizer_for(const api::ResourceClaim& claim) {
  auto write = request_for(claim);
  write.resource_version = claim.meta.resource_version;
  json::object metadata{{"finalizers", json::array{api::kClaimFinalizer}}};
  write.patch = json::object{{"metadata", std::move(metadata)}};
  return write;
}

ObjectWrite status_for(const Reservation::Item& item, const api::Pod& pod) {
  auto write = request_for(*item.claim);
  write.resource_version = item.claim->meta.resource_version;
  write.subresource = "status";
  json::object status;
  json::object user{{"resource", "pods"}, {"name", pod.meta.name}, {"uid", pod.meta.uid}};
  status["reservedFor"] = json::array{std::move(user)};
  const auto& has = item.allocation ? item.allocation : item.claim->status.allocation;
  if (item.allocation) status["allocation"] = allocation_json(*item.allocation);
  if (!has->timestamp) {
    if (!item.allocation) status["allocation"] = json::object();
    status["allocation"].as_object()["allocationTimestamp"] = nullptr;
    write.time_at = "/status/allocation/allocationTimestamp";
  }
  write.patch = json::object{{"status", std::move(status)}};
  return write;
}

ObjectWrite read_again(const api::ResourceClaim& claim) {
  auto write = request_for(claim);
  write.verb = ObjectWrite::Verb::read;
  write.uid.clear();
  write.delay = kBetweenTries;
  return write;
}

ObjectWrite withdrawal_from(const api::ResourceClaim& claim, const api::Pod& pod) {
  auto write = request_for(claim);
  write.subresource = "status";
  json::object entry{{"$patch", "delete"}, {"uid", pod.meta.uid}};
  json::object status{{"reservedFor", json::array{std::move(entry)}}};
  write.patch = json::object{{"status", std::move(status)}};
  return write;
}

// --- the steps of PreBind ---

// The next request for the current claim, or why it cannot be had.
std::expected<ObjectWrite, std::string> next_request(Reservation& reserved, const api::Pod& pod) {
  const auto& item = reserved.items[reserved.current];
  const auto& claim = *item.claim;
  const auto meanwhile = [&](std::string_view what) {
    return std::unexpected(fmt::format("claim {} got {} in the meantime", full_name(claim), what));
  };
  if (claim.meta.deleted) return meanwhile("deleted");
  if (item.allocation && claim.status.allocation) return meanwhile("allocated elsewhere");
  if (!item.allocation && !claim.status.allocation) return meanwhile("deallocated elsewhere");
  if (item.allocation && !claim.has_finalizer) {
    reserved.request = Reservation::Request::finalizer;
    return finalizer_for(claim);
  }
  reserved.request = Reservation::Request::status;
  return status_for(item, pod);
}

// The first claim from `current` on that is not reserved for the pod.
bool has_work(Reservation& reserved, const api::Pod& pod) {
  while (reserved.current < reserved.items.size() &&
         is_reserved_for(*reserved.items[reserved.current].claim, pod.meta.uid)) {
    ++reserved.current;
  }
  return reserved.current < reserved.items.size();
}

std::string failure_of(const Reservation& reserved, const std::string& error) {
  const auto& item = reserved.items[reserved.current];
  const auto name = full_name(*item.claim);
  switch (reserved.request) {
    case Reservation::Request::finalizer:
      return fmt::format("add finalizer to claim {}: {}", name, error);
    case Reservation::Request::read:
      return fmt::format("get updated claim {} after conflict: {}", name, error);
    case Reservation::Request::status:
      break;
  }
  return fmt::format("add {}reservation to claim {}: {}", item.allocation ? "allocation and " : "", name,
                     error);
}

// The reply to the status has what the watch will show: an event, unless the watch was faster.
void assume(const ClaimPtr& claim, cluster::Objects& objects, std::vector<ClusterEvent>& events) {
  auto known = objects.shared<api::ResourceClaim>(claim->meta.namespace_, claim->meta.name);
  if (!known || cluster::is_newer(known->meta.resource_version, claim->meta.resource_version)) return;
  objects.assume<api::ResourceClaim>(claim);
  events.push_back({.resource = framework::Resource::resource_claim,
                    .actions = framework::kUpdateOther,
                    .before = std::move(known),
                    .after = claim});
}

NextStep give_up(Reservation& reserved, cluster::Objects& objects, std::string error) {
  const auto& item = reserved.items[reserved.current];
  if (item.allocation) objects.end_flight(item.claim->meta.uid);
  return {.writes = {}, .error = std::move(error), .events = {}};
}

// The step that begins with the current claim as it was last seen.
NextStep step_on(Reservation& reserved, const api::Pod& pod, cluster::Objects& objects) {
  auto request = next_request(reserved, pod);
  if (!request) return give_up(reserved, objects, std::move(request.error()));
  return {.writes = {std::move(*request)}, .error = {}, .events = {}};
}

}  // namespace

framework::ReserveResult DynamicResources::reserve(const AssumedPod& pod, cluster::Snapshot& snapshot) const {
  const auto claims = accepted_claims(**pod.pod, snapshot);
  if (!claims)
    return {failure_with(message(claims.error())), nullptr};  // not expected: the filter accepted them
  if (claims->empty()) return {};
  auto reserved = std::make_unique<Reservation>();
  std::vector<api::Allocation> allocations;
  if (const auto search = search_for(*claims, snapshot)) {
    const auto row = snapshot.find_row(pod.node);
    auto found = row ? search->at(*row) : DevicesFound();
    if (found.end != DevicesFound::End::found)
      return {failure_with("claim allocation not found for node"), nullptr};
    allocations = std::move(found.allocations);
  }
  auto next = allocations.begin();
  for (const auto& claim : *claims) {
    auto& item = reserved->items.emplace_back(claim, std::nullopt);
    if (!claim->status.allocation && next != allocations.end()) item.allocation = std::move(*next++);
  }
  for (const auto& [claim, allocation] : reserved->items) {
    if (allocation) snapshot.objects().begin_flight(allocated(*claim, *allocation));
  }
  return {std::nullopt, std::move(reserved)};
}

// An allocation that was written stays: PostFilter takes it back if it is in the way.
void DynamicResources::unreserve(const AssumedPod& pod, PluginState* state, cluster::Snapshot& snapshot,
                                 framework::Handle& handle) const {
  if (!state) return;
  for (const auto& [claim, allocation] : reservation(state).items) {
    if (allocation) snapshot.objects().end_flight(claim->meta.uid);
    if (claim->status.allocation && is_reserved_for(*claim, (*pod.pod)->meta.uid))
      handle.send(withdrawal_from(*claim, **pod.pod));
  }
}

// Also if nothing is left to write, as upstream.
std::expected<bool, Verdict> DynamicResources::needs_pre_bind(const AssumedPod&,
                                                              const PluginState* state) const {
  return state != nullptr;
}

framework::PreBindPlan DynamicResources::pre_bind(const AssumedPod& pod, PluginState* state,
                                                  const cluster::Snapshot&) const {
  auto& reserved = reservation(state);
  framework::PreBindPlan plan;
  if (!has_work(reserved, **pod.pod)) return plan;
  auto request = next_request(reserved, **pod.pod);
  if (request) {
    plan.writes.push_back(std::move(*request));
  } else {
    plan.failed = failure_with(std::move(request.error()));
  }
  return plan;
}

std::optional<NextStep> DynamicResources::replied(const AssumedPod& pod, PluginState* state, std::size_t,
                                                  const WriteReply& reply,
                                                  cluster::Snapshot& snapshot) const {
  using Request = Reservation::Request;
  auto& reserved = reservation(state);
  auto& item = reserved.items[reserved.current];
  auto& objects = snapshot.objects();
  if (!reply.object) {
    auto error = failure_of(reserved, reply.error);
    const bool again = reply.conflict && reserved.request != Request::read && ++reserved.tries < kTries;
    if (!again) return give_up(reserved, objects, std::move(error));
    reserved.request = Request::read;
    return NextStep{.writes = {read_again(*item.claim)}, .error = {}, .events = {}};
  }
  auto decoded = api::decode_resource_claim(*reply.object);
  if (!decoded) return give_up(reserved, objects, failure_of(reserved, decoded.error().message));
  item.claim = std::make_shared<const api::ResourceClaim>(std::move(*decoded));
  if (reserved.request != Request::status) return step_on(reserved, **pod.pod, objects);

  std::vector<ClusterEvent> events;
  assume(item.claim, objects, events);
  if (item.allocation) objects.end_flight(item.claim->meta.uid);
  ++reserved.current;
  reserved.tries = 0;
  auto step = has_work(reserved, **pod.pod) ? step_on(reserved, **pod.pod, objects) : NextStep();
  step.events = std::move(events);
  return step;
}

}  // namespace podium::plugins
