#include "scheduler/plugins/dynamic_resources/dynamic_resources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/duration.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/decision.h"
#include "scheduler/framework/filters.h"
#include "scheduler/plugins/dynamic_resources/binding_conditions.h"
#include "scheduler/plugins/dynamic_resources/claim_json.h"
#include "scheduler/plugins/shared/arg_names.h"
#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"
#include "scheduler/plugins/shared/node_selector.h"
#include "scheduler/plugins/shared/node_selector_errors.h"

namespace podium::plugins {
namespace {

using namespace framework;

constexpr auto kName = DynamicResources::kName;
// The most subrequests that the API admits. Source: resource/v1 FirstAvailableDeviceRequestMaxSize.
constexpr std::int64_t kMostSubRequests = 8;
// The feature that a node declares.
constexpr std::string_view kOptionalNodeOperations = "DRAOptionalNodeOperations";
// Steps of a tally over all nodes: about 50 ms. Reports do not count devices beyond that.
constexpr std::int64_t kTallySteps = 1'000'000;

Verdict waits(Reason reason) {
  return {std::string(kName), Code::unschedulable_and_unresolvable, {std::move(reason)}};
}
Verdict fails(std::string error) { return {std::string(kName), Code::error, {std::move(error)}}; }

// --- PreFilter ---

std::optional<Verdict> check_class(const Snapshot& snapshot, const std::string& name,
                                   const std::string& request) {
  if (name.empty()) return fails(fmt::format("request {}: unsupported request type", request));
  if (snapshot.objects().find<api::DeviceClass>("", name)) return std::nullopt;
  return waits(
      Reason(ReasonCode::device_class_not_found, {{Topic::request, request}, {Topic::device_class, name}}));
}

// The reason why no node can serve the unallocated claim now.
std::optional<Verdict> check_requests(const api::ResourceClaim& claim, const Snapshot& snapshot) {
  for (const auto& request : claim.spec.requests) {
    if (request.exactly) {
      if (auto verdict = check_class(snapshot, request.exactly->device_class, request.name)) return verdict;
    } else if (request.first_available.empty()) {
      return waits(Reason(
          ReasonCode::resource_claim_invalid,
          fmt::format("resource claim {}, request {}: unknown request type", full_name(claim), request.name),
          {{Topic::claim, claim.meta.name}, {Topic::request, request.name}}));
    }
    for (const auto& one : request.first_available) {
      const auto name = request.name + "/" + one.name;
      if (auto verdict = check_class(snapshot, one.request.device_class, name)) return verdict;
    }
  }
  return std::nullopt;
}

// Upstream parses the node selector, which the API server has checked.
std::optional<Verdict> check_nodes(const api::Allocation& allocation) {
  std::vector<std::string> errors;
  for (std::size_t i = 0; allocation.node_selector && i < allocation.node_selector->size(); ++i) {
    std::ranges::move(parse_errors((*allocation.node_selector)[i], fmt::format("nodeSelectorTerms[{}]", i)),
                      std::back_inserter(errors));
  }
  if (errors.empty()) return std::nullopt;
  return fails(errors.size() == 1 ? errors.front() : fmt::format("[{}]", fmt::join(errors, ", ")));
}

std::optional<Verdict> check_claim(const api::ResourceClaim& claim, const Snapshot& snapshot) {
  if (const auto& allocation = claim.status.allocation) return check_nodes(*allocation);
  if (snapshot.objects().is_in_flight(claim.meta.uid)) {
    return waits(
        Reason(ReasonCode::resource_claim_in_flight,
               fmt::format("resource claim {} is in the process of being allocated", full_name(claim)),
               {{Topic::claim, claim.meta.name}}));
  }
  return check_requests(claim, snapshot);
}

// --- Filter ---

// Calls `see` with each claim and its allocation: from its status, or from the search.
template <typename See>
void each_allocation(const std::vector<ClaimPtr>& claims, const std::vector<api::Allocation>& found,
                     See see) {
  auto next = found.begin();
  for (const auto& claim : claims) {
    if (claim->status.allocation) {
      see(*claim, *claim->status.allocation);
    } else if (next != found.end()) {
      see(*claim, *next++);
    }
  }
}

// The nodes that the allocated claims allow for the pod.
class Reach {
 public:
  Reach(const Snapshot& snapshot, const std::vector<ClaimPtr>& claims,
        std::chrono::milliseconds binding_timeout)
      : snapshot_(snapshot), binding_timeout_(binding_timeout) {
    for (const auto& claim : claims) nodes_.push_back(nodes_of(*claim));
  }
  bool has(std::size_t claim, Row row) const { return !nodes_[claim] || nodes_[claim]->test(row); }
  bool has(Row row) const {
    return std::ranges::all_of(nodes_, [row](const auto& nodes) { return !nodes || nodes->test(row); });
  }

 private:
  // Nullopt: all. A binding that failed or takes too long allows none.
  std::optional<NodeMask> nodes_of(const api::ResourceClaim& claim) const {
    const auto& allocation = claim.status.allocation;
    if (!allocation) return std::nullopt;
    if (is_binding_lost(claim, snapshot_.moment().time, binding_timeout_))
      return NodeMask(snapshot_.chunks());
    const bool skips_operations =
        std::ranges::any_of(allocation->results, &api::AllocatedDevice::skips_node_operations);
    if (!allocation->node_selector && !skips_operations) return std::nullopt;
    NodeMask nodes = snapshot_.present();
    nodes.grow_to_chunks(snapshot_.chunks());
    if (skips_operations) keep_declaring(nodes);
    if (!allocation->node_selector) return nodes;
    const CompiledSelector selector(*allocation->node_selector, snapshot_);
    for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
      auto rows = chunk_of(nodes, chunk);
      selector.narrow(chunk, rows);
      for (std::size_t w = 0; w < kChunkWords; ++w) nodes.word(chunk * kChunkWords + w) = rows[w];
    }
    return nodes;
  }

  // A driver may leave operations on the node out. Source: allocationResultRequiresDRAOptionalNodeOperations.
  void keep_declaring(NodeMask& nodes) const {
    NodeMask(nodes).each([&](Row row) {
      const auto& declared = snapshot_.entry(row).node->declared_features;
      if (std::ranges::find(declared, kOptionalNodeOperations) == declared.end()) nodes.clear(row);
    });
  }

  const Snapshot& snapshot_;
  const std::chrono::milliseconds binding_timeout_;
  std::vector<std::optional<NodeMask>> nodes_;  // by claim
};

// Calls `see` with each row that this plugin rejected for this reason.
template <typename See>
void each_row_with(const Snapshot& snapshot, const Decision& decision, ReasonCode reason, See see) {
  snapshot.present().each([&](Row row) {
    const auto id = decision.rejections.id(row);
    if (id == kFits) return;
    const auto& verdict = decision.rejections.verdict(id);
    if (!verdict.reasons.empty() && verdict.reasons.front().code == reason) see(row);
  });
}

class ClaimsFilter final : public NodeFilter {
 public:
  ClaimsFilter(const Snapshot& snapshot, std::unique_ptr<const PodDevices> devices,
               std::chrono::milliseconds binding_timeout)
      : NodeFilter(snapshot),
        devices_(std::move(devices)),
        reach_(snapshot, devices_->claims(), binding_timeout) {}

  // A search that ran out of steps fails the attempt: the nodes after it get its verdict, unsearched.
  void filter(NodeMask& nodes, Rejections& out) const override {
    VerdictId given_up = kFits;
    NodeMask(nodes).each([&](Row row) {
      if (given_up != kFits) return out.reject(nodes, row, given_up);
      auto answer = answer_at(row);
      if (!answer.verdict) return;
      const auto id = out.add(std::move(*answer.verdict));
      out.reject(nodes, row, id);
      if (answer.gave_up) given_up = id;
    });
  }
  std::optional<Verdict> check(Row row, const PodDelta&) const override { return answer_at(row).verdict; }
  bool ignores_pods() const override { return true; }

  void add_facts(const Decision& decision, ReportFacts& out) const override {
    if (decision.choice) {
      add_given(*decision.choice, out);
    } else {
      add_tallies(decision, out);
    }
  }

 private:
  struct Answer {
    std::optional<Verdict> verdict{};  // nullopt: the node fits
    bool gave_up = false;              // the search ran out of steps
  };

  void add_given(Row row, ReportFacts& out) const {
    const auto here = devices_->at(row);
    if (!here) return;
    auto claims = devices_->claims();
    if (here->extended) claims.push_back(here->extended->claim);
    each_allocation(claims, here->search ? here->search->allocations(row) : std::vector<api::Allocation>(),
                    [&](const api::ResourceClaim& claim, const api::Allocation& allocation) {
                      for (const auto& result : allocation.results) {
                        out.devices.push_back({claim.meta.name, result.request, result.driver, result.pool,
                                               result.device, result.admin_access});
                      }
                    });
  }

  void add_tallies(const Decision& decision, ReportFacts& out) const {
    devices::Tally tally(devices::StepBudget{kTallySteps});
    // Nodes whose device plugins serve other resources have other requests: reports those of the first node.
    const DeviceSearch* first = nullptr;
    const ExtendedClaim* extended = nullptr;
    each_row_with(snapshot_, decision, ReasonCode::insufficient_devices, [&](Row row) {
      const auto here = devices_->at(row);
      if (!here || !here->search) return;
      if (!first) {
        first = here->search;
        extended = here->extended;
      }
      if (here->search == first) first->tally(row, tally);
    });
    if (first) out.tallies = std::move(tally).take();
    if (extended) name_resources(*extended, out.tallies);
  }

  // The pod names the resource. The claim for it and the claim's requests have generated names.
  static void name_resources(const ExtendedClaim& extended, std::vector<framework::DeviceTally>& tallies) {
    for (auto& each : tallies) {
      if (each.claim != extended.claim->meta.name) continue;
      const auto of =
          std::ranges::find(extended.mappings, each.request, &ExtendedMappings::value_type::request);
      if (of != extended.mappings.end()) each.request = of->resource;
    }
  }

  // The search comes first, even if an allocated claim is not usable on the node: its errors end the attempt.
  Answer answer_at(Row row) const {
    const auto here = devices_->at(row);
    if (!here) return {waits(here.error())};
    if (here->search) {
      const auto found = here->search->at(row);
      if (auto verdict = verdict_of(found, row))
        return {std::move(verdict), found.end == DevicesFound::End::timed_out};
    }
    if (!reach_.has(row)) return {waits(Reason(ReasonCode::resource_claim_elsewhere))};
    return {};
  }

  std::optional<Verdict> verdict_of(const DevicesFound& found, Row row) const {
    switch (found.end) {
      case DevicesFound::End::timed_out:
        return fails(fmt::format("node {}: timed out trying to allocate devices", snapshot_.node_name(row)));
      case DevicesFound::End::invalid_pools:
        return waits(Reason(ReasonCode::device_pool_invalid));
      case DevicesFound::End::failed:
        return fails(found.error);
      case DevicesFound::End::none:
        return waits(Reason(ReasonCode::insufficient_devices));
      case DevicesFound::End::found:
        break;
    }
    return std::nullopt;
  }

  const std::unique_ptr<const PodDevices> devices_;
  const Reach reach_;
};

// --- PostFilter ---

// The status without the fields that the allocation added.
ObjectWrite deallocation_of(const api::ResourceClaim& claim) {
  auto write = write_to(claim);
  write.subresource = "status";
  write.resource_version = claim.meta.resource_version;
  boost::json::object status{{"reservedFor", nullptr}, {"allocation", nullptr}, {"devices", nullptr}};
  write.patch = boost::json::object{{"status", std::move(status)}};
  return write;
}

// --- Score ---

// Prefers nodes that serve requests with their first alternatives.
class AlternativesScorer final : public NodeScorer {
 public:
  explicit AlternativesScorer(std::unique_ptr<const PodDevices> devices) : devices_(std::move(devices)) {}

  void score(const NodeMask& feasible, std::span<std::uint8_t> out) const override {
    std::vector<std::pair<Row, std::int64_t>> raw;
    feasible.each([&](Row row) { raw.emplace_back(row, raw_score(row)); });
    std::int64_t most = 0;
    for (const auto& [row, score] : raw) most = std::max(most, score);
    if (most == 0) return;
    for (const auto& [row, score] : raw) out[row] = static_cast<std::uint8_t>(100 * score / most);
  }

 private:
  std::int64_t raw_score(Row row) const {
    const auto here = devices_->at(row);
    if (!here || !here->search) return 0;
    std::int64_t score = 0;
    each_allocation(devices_->claims(), here->search->allocations(row),
                    [&](const auto& claim, const auto& allocation) { score += score_of(claim, allocation); });
    return score;
  }

  static std::int64_t score_of(const api::ResourceClaim& claim, const api::Allocation& allocation) {
    std::int64_t score = 0;
    for (const auto& request : claim.spec.requests) {
      for (std::size_t i = 0; i < request.first_available.size(); ++i) {
        const auto name = request.name + "/" + request.first_available[i].name;
        const bool is_used = std::ranges::find(allocation.results, name, &api::AllocatedDevice::request) !=
                             allocation.results.end();
        if (is_used) score += kMostSubRequests - static_cast<std::int64_t>(i);
      }
    }
    return score;
  }

  const std::unique_ptr<const PodDevices> devices_;
};

bool has_alternatives(const ClaimPtr& claim) {
  return std::ranges::any_of(claim->spec.requests, [](const api::DeviceRequest& request) {
    return !request.first_available.empty();
  });
}

// --- hints ---

// Source: isSchedulableAfterClaimChange.
bool claim_helps(const PodInfo& rejected, const ClusterEvent& event, const Snapshot& snapshot) {
  const auto *before = object_before<api::ResourceClaim>(event),
             *after = object_after<api::ResourceClaim>(event);
  // Its devices are free, for whichever pod asks for them. Without an allocation it had none.
  if (!after) return !before || before->status.allocation.has_value();
  const auto own = claims_of(*rejected, snapshot.objects());
  if (!own) return false;
  if (before && before->status.allocation && !after->status.allocation) return true;
  const auto is_it = [&](const ClaimPtr& claim) { return claim->meta.uid == after->meta.uid; };
  if (std::ranges::none_of(*own, is_it)) return false;
  return !before || before->status != after->status;
}

// Source: isSchedulableAfterTargetPodUpdate.
bool own_change_helps(const PodInfo&, const ClusterEvent& event, const Snapshot& snapshot) {
  const auto* after = object_after<api::Pod>(event);
  return after && claims_of(*after, snapshot.objects()).has_value();
}

}  // namespace

std::optional<Verdict> DynamicResources::pre_enqueue(const PodInfo& pod, const Snapshot& snapshot) const {
  if (pod->resource_claims.empty()) return std::nullopt;
  auto claims = claims_of(*pod, snapshot.objects());
  return claims ? std::nullopt : std::optional(waits(std::move(claims.error())));
}

std::expected<DynamicResources::Accepted, Verdict> DynamicResources::accept(const PodInfo& pod,
                                                                            const Snapshot& snapshot) const {
  auto claims = claims_of(*pod, snapshot.objects());
  if (!claims) return std::unexpected(waits(std::move(claims.error())));
  for (const auto& claim : *claims) {
    if (auto verdict = check_claim(*claim, snapshot)) return std::unexpected(std::move(*verdict));
  }
  auto extended = ExtendedResources::of(pod, snapshot);
  if (extended && extended->left_over()) {
    const auto& allocation = extended->left_over()->status.allocation;
    if (auto verdict = allocation ? check_nodes(*allocation) : std::nullopt)
      return std::unexpected(std::move(*verdict));
  }
  return Accepted{std::move(*claims), std::move(extended)};
}

std::unique_ptr<const PodDevices> DynamicResources::devices_for(Accepted accepted,
                                                                const Snapshot& snapshot) const {
  return std::make_unique<const PodDevices>(std::move(accepted.claims), std::move(accepted.extended),
                                            snapshot, start_search_);
}

PreparedFilter DynamicResources::prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const {
  auto accepted = accept(pod, snapshot);
  if (!accepted) return {.rejected = std::move(accepted.error())};
  if (accepted->empty()) return {};
  return {.filter = std::make_unique<ClaimsFilter>(snapshot, devices_for(std::move(*accepted), snapshot),
                                                   binding_timeout_)};
}

// Upstream takes any claim that qualifies; here it is the pod's first. Upstream's PostFilter fails for every
// pod if an earlier PreFilter plugin rejected the pod.
PostFilterResult DynamicResources::post_filter(const PodInfo& pod, const Snapshot& snapshot,
                                               const Filters& filters, const Decision& decision) const {
  const auto says = [](Code code, std::string text) {
    return PostFilterResult{.failed = Verdict{std::string(kName), code, {std::move(text)}}};
  };
  if (!filters.ran_pre_filter(kName)) return says(Code::error, "not found");
  const auto accepted = accept(pod, snapshot);
  const auto nothing_to_free = [] {
    return PostFilterResult{.failed = Verdict{std::string(kName), Code::unschedulable, {}}};
  };
  if (!accepted || accepted->empty()) return nothing_to_free();
  const auto& claims = accepted->claims;
  std::vector<Row> rows;
  if (!decision.pre_filter) {
    each_row_with(snapshot, decision, ReasonCode::resource_claim_elsewhere,
                  [&](Row row) { rows.push_back(row); });
  }
  const Reach reach(snapshot, claims, binding_timeout_);
  for (std::size_t i = 0; i < claims.size() && !rows.empty(); ++i) {
    const auto& claim = *claims[i];
    const auto& users = claim.status.reserved_for;
    const bool may_lose_it = users.empty() || (users.size() == 1 && users.front().uid == pod->meta.uid);
    const bool is_out_of_reach = std::ranges::any_of(rows, [&](Row row) { return !reach.has(i, row); });
    if (!may_lose_it || !is_out_of_reach) continue;
    auto result = says(Code::unschedulable, "deallocation of ResourceClaim completed");
    result.write = deallocation_of(claim);
    if (!users.empty()) result.assumed_claim = marked_withdrawn(claim, pod->meta.uid);
    return result;
  }
  if (accepted->extended && accepted->extended->left_over()) {
    auto result = says(Code::unschedulable, "deletion of ResourceClaim completed");
    result.write = removal_of(*accepted->extended->left_over());
    return result;
  }
  return nothing_to_free();
}

PreparedScore DynamicResources::prepare_score(const PodInfo& pod, const Snapshot& snapshot,
                                              const NodeMask&) const {
  if (auto accepted = accept(pod, snapshot);
      accepted && std::ranges::any_of(accepted->claims, has_alternatives)) {
    return {std::make_unique<AlternativesScorer>(devices_for(std::move(*accepted), snapshot))};
  }
  return {std::make_unique<framework::SameScore>(0)};
}

std::vector<EventHint> DynamicResources::hints() const {
  std::vector<EventHint> hints;
  hints.push_back({EventResource::node, kAdd | kUpdateNodeLabel | kUpdateNodeAllocatable, nullptr});
  hints.push_back({EventResource::resource_claim, kAdd | kUpdate | kDelete, claim_helps});
  hints.push_back({EventResource::target_pod, kUpdatePodClaims, own_change_helps});
  hints.push_back({EventResource::device_class, kAdd | kUpdate, nullptr});
  hints.push_back({EventResource::resource_slice, kAdd | kUpdate, nullptr});
  return hints;
}

PluginPtr make_dynamic_resources(const boost::json::object& args) {
  constexpr std::chrono::nanoseconds kLongest = std::chrono::years(100);
  const auto duration = [&](std::string_view name, std::chrono::nanoseconds fallback) {
    const auto* given = args.if_contains(name);
    if (!given || !given->is_string()) return fallback;
    const auto parsed = parse_duration(given->get_string());
    return parsed ? std::min(*parsed, kLongest) : fallback;
  };
  return std::make_shared<DynamicResources>(
      device_search(duration(arg_names::kFilterTimeout, kDefaultFilterTimeout)),
      std::chrono::duration_cast<std::chrono::milliseconds>(
          duration(arg_names::kBindingTimeout, DynamicResources::kDefaultBindingTimeout)));
}

}  // namespace podium::plugins
