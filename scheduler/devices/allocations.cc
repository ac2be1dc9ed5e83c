#include "scheduler/devices/allocations.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scheduler/devices/capacity.h"

namespace podium::devices {
namespace {

api::AllocatedDevice result_of(const WantedClaim& claim, const Pick& pick, const DeviceFeatures& features,
                               const std::function<std::string()>& make_share_id) {
  const auto& wanted = claim.requests[pick.request][pick.subrequest];
  const auto& slice = pick.slice->slice();
  const auto& device = slice.devices[pick.device];
  api::AllocatedDevice result{.request = wanted.full_name(),
                              .driver = slice.driver,
                              .pool = slice.pool.name,
                              .device = device.name,
                              .admin_access = wanted.asked->admin_access,
                              .tolerations = wanted.asked->tolerations};
  if (features.binding_conditions) {
    result.binding_conditions = device.binding_conditions;
    result.binding_failure_conditions = device.binding_failure_conditions;
  }
  if (features.consumable_capacity && device.allow_multiple_allocations) {
    result.share_id = make_share_id();
    result.consumed_capacity = consumed_capacity(wanted.asked->capacity, device);
  }
  return result;
}

// The subrequest that each request of the claim got.
std::vector<const WantedDevices*> chosen(const WantedClaim& claim, const Solution& solution,
                                         std::uint32_t index) {
  std::vector<const WantedDevices*> wanted;
  for (const auto& alternatives : claim.requests) wanted.push_back(&alternatives.front());
  for (const auto& pick : solution) {
    if (pick.claim == index) wanted[pick.request] = &claim.requests[pick.request][pick.subrequest];
  }
  return wanted;
}

// Adds each class once, with the names of all its requests.
void add_class_configs(const std::vector<const WantedDevices*>& requests,
                       std::vector<api::AllocatedConfiguration>& configs) {
  struct Range {
    std::string_view name;
    std::size_t begin, end;
  };
  std::vector<Range> ranges;
  for (const auto* wanted : requests) {
    const auto& device_class = *wanted->device_class;
    const auto known = std::ranges::find(ranges, device_class.meta.name, &Range::name);
    if (known != ranges.end()) {
      for (auto i = known->begin; i < known->end; ++i) configs[i].requests.push_back(wanted->full_name());
      continue;
    }
    const auto begin = configs.size();
    for (const auto& config : device_class.config) {
      configs.push_back({.from_class = true, .requests = {wanted->full_name()}, .opaque = config});
    }
    ranges.push_back({device_class.meta.name, begin, configs.size()});
  }
}

// True if the configuration names the request, or the subrequest that it got.
bool is_named(const WantedDevices& wanted, std::string_view request, const std::vector<std::string>& names) {
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  return has(request) || (!wanted.parent.empty() && has(wanted.full_name()));
}

void add_claim_configs(const api::ResourceClaim& claim, const std::vector<const WantedDevices*>& requests,
                       std::vector<api::AllocatedConfiguration>& configs) {
  for (const auto& config : claim.spec.config) {
    const api::AllocatedConfiguration entry{.requests = config.requests, .opaque = config.opaque};
    if (config.requests.empty()) {
      configs.push_back(entry);
      continue;
    }
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (!is_named(*requests[i], claim.spec.requests[i].name, config.requests)) continue;
      configs.push_back(entry);
      break;
    }
  }
}

// A configuration for every request of the claim needs no names.
void clear_names(const api::ResourceClaim& claim, const std::vector<const WantedDevices*>& requests,
                 std::vector<api::AllocatedConfiguration>& configs) {
  for (auto& config : configs) {
    bool is_for_all = true;
    for (std::size_t i = 0; i < requests.size() && is_for_all; ++i) {
      is_for_all = is_named(*requests[i], claim.spec.requests[i].name, config.requests);
    }
    if (is_for_all) config.requests.clear();
  }
}

bool is_same(const api::Requirement& a, const api::Requirement& b) {
  return a.key == b.key && a.op == b.op &&
         std::set(a.values.begin(), a.values.end()) == std::set(b.values.begin(), b.values.end());
}

void add_new(const std::vector<api::Requirement>& from, std::vector<api::Requirement>& to) {
  for (const auto& requirement : from) {
    if (std::ranges::none_of(to, [&](const auto& known) { return is_same(known, requirement); })) {
      to.push_back(requirement);
    }
  }
}

}  // namespace

const api::DeviceNodes& nodes_of(const Pick& pick) {
  const auto& slice = pick.slice->slice();
  return slice.per_device_node_selection ? slice.devices[pick.device].nodes : slice.nodes;
}

std::expected<NodeSelector, std::string> node_selector(const Solution& solution, std::uint32_t claim,
                                                       std::string_view node) {
  api::NodeSelectorTerm term;
  for (const auto& pick : solution) {
    if (pick.claim != claim) continue;
    const auto& nodes = nodes_of(pick);
    if (nodes.name || pick.slice->devices()[pick.device].binds_to_node) {
      api::NodeSelectorTerm only;
      only.match_fields.push_back({"metadata.name", api::Requirement::Op::in, {std::string(node)}});
      return NodeSelector(std::in_place, {only});
    }
    if (!nodes.selector || nodes.selector->empty()) continue;
    if (nodes.selector->size() > 1) {
      return std::unexpected(
          fmt::format("unsupported ResourceSlice.NodeSelector with {} terms", nodes.selector->size()));
    }
    add_new(nodes.selector->front().match_fields, term.match_fields);
    add_new(nodes.selector->front().match_expressions, term.match_expressions);
  }
  if (term.match_fields.empty() && term.match_expressions.empty()) return std::nullopt;
  return NodeSelector(std::in_place, {term});
}

std::vector<api::Allocation> allocations(const std::vector<WantedClaim>& claims, const Solution& solution,
                                         std::string_view node, const DeviceFeatures& features,
                                         const std::function<std::string()>& make_share_id) {
  std::vector<api::Allocation> all;
  for (std::uint32_t i = 0; i < claims.size(); ++i) {
    auto& allocation = all.emplace_back();
    for (const auto& pick : solution) {
      if (pick.claim == i) allocation.results.push_back(result_of(claims[i], pick, features, make_share_id));
    }
    const auto requests = chosen(claims[i], solution, i);
    add_class_configs(requests, allocation.config);
    add_claim_configs(*claims[i].claim, requests, allocation.config);
    clear_names(*claims[i].claim, requests, allocation.config);
    // The search has checked that there is no error.
    allocation.node_selector = node_selector(solution, i, node).value_or(std::nullopt);
  }
  return all;
}

}  // namespace podium::devices
