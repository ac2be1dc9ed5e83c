// DynamicResources after the decision: Reserve, PreBind and Unreserve.
//
// PreBind's writes follow one another: each needs the resourceVersion of the reply before. A claim that was
// changed in between is read and written again. The claim of extended resources comes last: it is created,
// written like the others, and named in the pod's status.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "api/decode/decode.h"
#include "scheduler/plugins/dynamic_resources/binding_conditions.h"
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
// Period of the checks of binding conditions, as upstream: thousands of pods may wait, and a check is short.
constexpr std::chrono::milliseconds kPoll = std::chrono::seconds(5);

struct Reservation final : PluginState {
  struct Item {
    ClaimPtr claim;                               // the last version seen
    std::optional<api::Allocation> allocation{};  // to be written; nullopt: the claim had one
    std::string flight{};                         // the UID under which it is in flight; empty: not in flight
    bool is_extended = false;                     // this is the claim of extended resources
    bool was_known = false;                       // of the extended claim: the watch has shown it
  };
  enum class Request : std::uint8_t { create, withdrawal, finalizer, status, read, mention };

  std::vector<Item> items;
  ExtendedMappings mappings;  // the resources that the extended claim serves
  bool waits = false;         // for binding conditions
  std::size_t current = 0;    // index of the claim that is being written
  Request request = Request::status;
  int tries = 0;  // of the current claim after conflicts
};

Reservation& reservation(PluginState* state) { return *static_cast<Reservation*>(state); }
const Reservation& reservation(const PluginState* state) { return *static_cast<const Reservation*>(state); }

// Ends the flight at most once: afterwards, the claim may be in flight for another pod. True if it has ended,
// and no other pod shares it.
bool end_flight(Reservation::Item& item, cluster::Objects& objects, cluster::Objects::FlightEnd end) {
  return item.allocation && !item.flight.empty() && objects.end_flight(std::exchange(item.flight, {}), end);
}

// The current version of the claim, if the reservation waits for its changes; else the last version seen.
ClaimPtr latest(const Reservation& reserved, const Reservation::Item& item, const cluster::Objects& objects) {
  if (!reserved.waits) return item.claim;
  auto known = objects.shared<api::ResourceClaim>(item.claim->meta.namespace_, item.claim->meta.name);
  return known && known->meta.uid == item.claim->meta.uid ? known : item.claim;
}

Verdict failure_with(std::string error) {
  return {std::string(DynamicResources::kName), framework::Code::error, {std::move(error)}};
}

// The claim as other pods' decisions see it until the write.
ClaimPtr allocated(const api::ResourceClaim& claim, const api::Allocation& allocation) {
  auto changed = std::make_shared<api::ResourceClaim>(claim);
  changed->has_finalizer = true;
  changed->status.allocation = allocation;
  return changed;
}

// The devices that were only promised to the claim are free again.
ClusterEvent deallocation_event(const ClaimPtr& claim, const api::Allocation& promised) {
  return {.resource = framework::EventResource::resource_claim,
          .actions = framework::kUpdateOther,
          .before = allocated(*claim, promised),
          .after = claim};
}

// --- requests ---

ObjectWrite request_for(const api::ResourceClaim& claim) {
  auto write = write_to(claim);
  write.verb = ObjectWrite::Verb::strategic;
  return write;
}

ObjectWrite finalizer_for(const api::ResourceClaim& claim) {
  auto write = request_for(claim);
  write.resource_version = claim.meta.resource_version;
  json::object metadata{{"finalizers", json::array{api::kClaimFinalizer}}};
  write.patch = json::object{{"metadata", std::move(metadata)}};
  return write;
}

// A strategic merge puts a new entry first unless the patch gives the order. The version of the claim is a
// precondition, so that these are all.
json::array order_of_users(const api::ResourceClaim& claim, const api::Pod& newest) {
  json::array order;
  for (const auto& user : claim.status.reserved_for) order.push_back(json::object{{"uid", user.uid}});
  order.push_back(json::object{{"uid", newest.meta.uid}});
  return order;
}

ObjectWrite status_for(const Reservation::Item& item, const api::Pod& pod) {
  auto write = request_for(*item.claim);
  write.resource_version = item.claim->meta.resource_version;
  write.subresource = "status";
  json::object status;
  json::object user{{"resource", "pods"}, {"name", pod.meta.name}, {"uid", pod.meta.uid}};
  status["reservedFor"] = json::array{std::move(user)};
  if (!item.claim->status.reserved_for.empty())
    status["$setElementOrder/reservedFor"] = order_of_users(*item.claim, pod);
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
  write.resource_version = claim.meta.resource_version;
  write.subresource = "status";
  json::object entry{{"$patch", "delete"}, {"uid", pod.meta.uid}};
  json::object status{{"reservedFor", json::array{std::move(entry)}}};
  write.patch = json::object{{"status", std::move(status)}};
  return write;
}

void mark_withdrawn(const api::ResourceClaim& claim, const api::Pod& pod, cluster::Objects& objects) {
  const auto known = objects.shared<api::ResourceClaim>(claim.meta.namespace_, claim.meta.name);
  if (!known || known->meta.uid != claim.meta.uid) return;
  if (known->meta.resource_version != claim.meta.resource_version) return;
  objects.assume<api::ResourceClaim>(marked_withdrawn(*known, pod.meta.uid));
}

// --- the steps of PreBind ---

// The next request for the current claim, or the reason why the pod cannot get it.
std::expected<ObjectWrite, std::string> next_request(Reservation& reserved, const api::Pod& pod) {
  const auto& item = reserved.items[reserved.current];
  const auto& claim = *item.claim;
  if (is_in_memory(claim)) {
    reserved.request = Reservation::Request::create;
    return creation_of(claim, pod);
  }
  const auto changed = [&](std::string_view what) {
    return std::unexpected(fmt::format("claim {} got {} in the meantime", full_name(claim), what));
  };
  if (claim.meta.deleted) return changed("deleted");
  if (item.allocation && claim.status.allocation) return changed("allocated elsewhere");
  if (!item.allocation && !claim.status.allocation) return changed("deallocated elsewhere");
  if (is_withdrawn(claim, pod.meta.uid)) {
    reserved.request = Reservation::Request::withdrawal;
    return withdrawal_from(claim, pod);
  }
  if (item.allocation && !claim.has_finalizer) {
    reserved.request = Reservation::Request::finalizer;
    return finalizer_for(claim);
  }
  reserved.request = Reservation::Request::status;
  return status_for(item, pod);
}

// The first claim from `current` on that is not reserved for the pod, or is losing its reservation.
bool has_work(Reservation& reserved, const api::Pod& pod) {
  const auto& items = reserved.items;
  while (reserved.current < items.size() && !items[reserved.current].allocation &&
         is_reserved_for(*items[reserved.current].claim, pod.meta.uid) &&
         !is_withdrawn(*items[reserved.current].claim, pod.meta.uid)) {
    ++reserved.current;
  }
  return reserved.current < items.size();
}

std::string failure_of(const Reservation& reserved, const api::Pod& pod, const std::string& error) {
  const auto& item = reserved.items[reserved.current];
  const auto name = full_name(*item.claim);
  switch (reserved.request) {
    case Reservation::Request::create:
      return fmt::format("create claim for extended resources {}/: {}", pod.meta.namespace_, error);
    case Reservation::Request::mention:
      return fmt::format("update pod {} ExtendedResourceClaimStatus: {}", pod.full_name(), error);
    case Reservation::Request::finalizer:
      return fmt::format("add finalizer to claim {}: {}", name, error);
    case Reservation::Request::withdrawal:
      return fmt::format("renew reservation of claim {}: {}", name, error);
    case Reservation::Request::read:
      return fmt::format("get updated claim {} after conflict: {}", name, error);
    case Reservation::Request::status:
      break;
  }
  return fmt::format("add {}reservation to claim {}: {}", item.allocation ? "allocation and " : "", name,
                     error);
}

// The reply has the version that the watch will show: an event, unless the watch was faster. The watch may
// not have shown the creation of the claim yet; a claim that it has shown before is deleted.
void assume(const Reservation::Item& item, cluster::Objects& objects, std::vector<ClusterEvent>& events) {
  const auto& claim = item.claim;
  auto known = objects.shared<api::ResourceClaim>(claim->meta.namespace_, claim->meta.name);
  if (!known && (!item.is_extended || item.was_known)) return;
  if (known && !cluster::is_newer(claim->meta.resource_version, known->meta.resource_version)) return;
  objects.assume<api::ResourceClaim>(claim);
  events.push_back({.resource = framework::EventResource::resource_claim,
                    .actions = known ? framework::kUpdateOther : framework::kAdd,
                    .before = std::move(known),
                    .after = claim});
}

// The watch may never show a claim that is deleted right after the write: its devices would stay taken.
void forget_assumed(const api::ResourceClaim& claim, cluster::Objects& objects) {
  const auto& [space, name] = std::tie(claim.meta.namespace_, claim.meta.name);
  if (!objects.actual<api::ResourceClaim>(space, name)) objects.remove<api::ResourceClaim>(space, name);
}

// The reason why the claim that was read does not match the decision; empty: it matches. The name may be of
// another claim, or the claim was deallocated and allocated again: its devices may be on another node.
std::string lost_since(const Reservation::Item& item, const api::ResourceClaim& live) {
  const auto changed = [&](std::string_view what) {
    return fmt::format("claim {} got {} in the meantime", full_name(*item.claim), what);
  };
  if (is_in_memory(*item.claim)) return {};  // this is its creation
  if (live.meta.uid != item.claim->meta.uid) return changed("deleted");
  const auto &had = item.claim->status.allocation, &has = live.status.allocation;
  const bool same =
      !had || !has || (had->results == has->results && had->node_selector == has->node_selector);
  return same ? "" : changed("allocated elsewhere");
}

NextStep give_up(std::string error) { return {.writes = {}, .error = std::move(error), .events = {}}; }

// The step that begins with the last version seen of the current claim.
NextStep step_on(Reservation& reserved, const api::Pod& pod) {
  auto request = next_request(reserved, pod);
  if (!request) return give_up(std::move(request.error()));
  return {.writes = {std::move(*request)}, .error = {}, .events = {}};
}

// The next request for the current claim, or for the first after it that needs one.
NextStep continue_with(Reservation& reserved, const api::Pod& pod) {
  return has_work(reserved, pod) ? step_on(reserved, pod) : NextStep();
}

NextStep next_claim(Reservation& reserved, const api::Pod& pod) {
  ++reserved.current;
  reserved.tries = 0;
  return continue_with(reserved, pod);
}

NextStep mention(Reservation& reserved, const api::Pod& pod) {
  reserved.request = Reservation::Request::mention;
  if (!reserved.mappings.empty())
    return {{status_with_claim(*reserved.items[reserved.current].claim, reserved.mappings, pod)}, {}, {}};
  return {{},
          fmt::format("nil or empty request mappings, no update of pod {} ExtendedResourceClaimStatus",
                      pod.full_name()),
          {}};
}

bool needs_conditions(const Reservation::Item& item) {
  const auto& allocation = item.allocation ? item.allocation : item.claim->status.allocation;
  return allocation && has_binding_conditions(*allocation);
}

}  // namespace

framework::ReserveResult DynamicResources::reserve(const AssumedPod& pod, cluster::Snapshot& snapshot) const {
  auto accepted = accept(*pod.pod, snapshot);
  if (!accepted)
    return {failure_with(message(accepted.error())), nullptr};  // not expected: the filter accepted them
  if (accepted->empty()) return {};
  const auto failure = [] { return failure_with("claim allocation not found for node"); };
  const auto devices = devices_for(std::move(*accepted), snapshot);
  const auto row = snapshot.find_row(pod.node);
  const auto is_given = [](const ClaimPtr& claim) { return claim->status.allocation.has_value(); };
  if (!row && (devices->extended() || !std::ranges::all_of(devices->claims(), is_given)))
    return {failure(), nullptr};
  const auto here = row ? devices->at(*row) : PodDevices::Here();
  if (!here) return {failure(), nullptr};
  std::vector<api::Allocation> allocations;
  if (here->search) {
    allocations = here->search->allocations(*row);
    if (allocations.empty()) return {failure(), nullptr};
  }
  auto reserved = std::make_unique<Reservation>();
  auto next = allocations.begin();
  const auto add = [&](const ClaimPtr& claim) -> Reservation::Item& {
    auto& item = reserved->items.emplace_back(Reservation::Item{.claim = claim});
    if (!claim->status.allocation && next != allocations.end()) item.allocation = std::move(*next++);
    item.flight = claim->meta.uid;
    return item;
  };
  for (const auto& claim : devices->claims()) add(claim);
  if (here->extended) {
    add(here->extended->claim).is_extended = true;
    reserved->mappings = here->extended->mappings;
  }
  for (const auto& item : reserved->items) {
    if (item.allocation) snapshot.objects().begin_flight(allocated(*item.claim, *item.allocation));
  }
  return {std::nullopt, std::move(reserved)};
}

// A written allocation stays: PostFilter deallocates it if it keeps a pod from every node. The claim of
// extended resources is deleted.
void DynamicResources::unreserve(const AssumedPod& pod, PluginState* state, cluster::Snapshot& snapshot,
                                 framework::Handle& handle) const {
  if (!state) return;
  for (auto& item : reservation(state).items) {
    const bool has_ended = end_flight(item, snapshot.objects(), cluster::Objects::FlightEnd::for_one);
    const auto now = latest(reservation(state), item, snapshot.objects());
    const auto& claim = *now;
    if (has_ended && !claim.status.allocation) handle.gave_back(deallocation_event(now, *item.allocation));
    if (item.is_extended) {
      if (is_in_memory(claim)) continue;
      forget_assumed(claim, snapshot.objects());
      handle.send(removal_of(claim));
    } else if (claim.status.allocation && is_reserved_for(claim, (*pod.pod)->meta.uid)) {
      handle.send(withdrawal_from(claim, **pod.pod));
      mark_withdrawn(claim, **pod.pod, snapshot.objects());
    }
  }
}

// Also done if nothing is left to write, as upstream.
std::expected<bool, Verdict> DynamicResources::needs_pre_bind(const AssumedPod&,
                                                              const PluginState* state) const {
  return state != nullptr;
}

framework::PreBindPlan DynamicResources::pre_bind(const AssumedPod& pod, PluginState* state,
                                                  const cluster::Snapshot&) const {
  auto& reserved = reservation(state);
  framework::PreBindPlan plan;
  reserved.waits = std::ranges::any_of(reserved.items, needs_conditions);
  if (reserved.waits) {
    plan.timeout = binding_timeout_;
    plan.timed_out = "device binding timeout: context deadline exceeded";
    plan.poll = kPoll;
    plan.reason = "BindingConditionsPending";
    plan.note = fmt::format("waiting for binding conditions for device on node {}", pod.node);
  }
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
    auto error = failure_of(reserved, **pod.pod, reply.error);
    const bool is_of_claim = reserved.request == Request::withdrawal ||
                             reserved.request == Request::finalizer || reserved.request == Request::status;
    const bool again = reply.conflict && is_of_claim && ++reserved.tries < kTries;
    if (!again) return give_up(std::move(error));
    reserved.request = Request::read;
    return NextStep{.writes = {read_again(*item.claim)}, .error = {}, .events = {}};
  }
  if (reserved.request == Request::mention) return next_claim(reserved, **pod.pod);
  auto decoded = api::decode_resource_claim(*reply.object);
  if (!decoded) return give_up(failure_of(reserved, **pod.pod, decoded.error().message));
  if (auto lost = lost_since(item, *decoded); !lost.empty()) return give_up(std::move(lost));
  item.claim = std::make_shared<const api::ResourceClaim>(std::move(*decoded));
  const auto& meta = item.claim->meta;
  const bool is_known = objects.find<api::ResourceClaim>(meta.namespace_, meta.name) != nullptr;
  const bool is_written = reserved.request == Request::status;
  item.was_known |= is_known;
  // The watch may be behind, and the reply to any request may show another client's write.
  std::vector<ClusterEvent> events;
  if (is_known || is_written) assume(item, objects, events);
  auto step = !is_written        ? continue_with(reserved, **pod.pod)
              : item.is_extended ? mention(reserved, **pod.pod)
                                 : next_claim(reserved, **pod.pod);
  step.events = std::move(events);
  return step;
}

// Until now another pod's decision sees a written claim twice: as it is, and in flight. So the capacity that
// it consumes counts twice while the pod waits for conditions, as upstream.
void DynamicResources::pre_bound(const AssumedPod&, PluginState* state, cluster::Snapshot& snapshot) const {
  for (auto& item : reservation(state).items)
    end_flight(item, snapshot.objects(), cluster::Objects::FlightEnd::for_all);
}

// The first claim that is not ready decides, as upstream.
framework::Progress DynamicResources::ready(const AssumedPod&, const PluginState* state,
                                            const cluster::Snapshot& snapshot) const {
  using framework::Progress;
  for (const auto& item : reservation(state).items) {
    const auto& meta = item.claim->meta;
    const auto* claim = snapshot.objects().find<api::ResourceClaim>(meta.namespace_, meta.name);
    if (!claim) {
      return {Progress::State::error, claim_missing(meta.namespace_, meta.name)};
    }
    auto binding = device_binding(*claim);
    if (binding.state == DeviceBinding::State::ready) continue;
    if (binding.state == DeviceBinding::State::failed) return Progress::failed(std::move(binding.error));
    if (!is_binding_overdue(*claim, snapshot.moment().time, binding_timeout_))
      return Progress::not_yet(framework::Reason(framework::ReasonCode::devices_not_ready));
    return {Progress::State::timed_out, fmt::format("device binding timeout: claim={}", meta.name)};
  }
  return Progress::ready();
}

std::vector<framework::AwaitedDevice> DynamicResources::awaited(const AssumedPod&, const PluginState* state,
                                                                const cluster::Snapshot& snapshot) const {
  std::vector<framework::AwaitedDevice> devices;
  const auto& reserved = reservation(state);
  for (const auto& item : reserved.items) {
    const auto claim = latest(reserved, item, snapshot.objects());
    if (!claim->status.allocation) continue;
    for (const auto& device : claim->status.allocation->results)
      devices.push_back({device.driver, !device.binding_conditions.empty()});
  }
  return devices;
}

}  // namespace podium::plugins
