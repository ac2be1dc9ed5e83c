#include "app/report_api/node_list.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "api/validate/selector_text.h"
#include "scheduler/cluster/resources.h"

namespace podium::app::report_api {
namespace {

namespace json = boost::json;
using cluster::Row;
using cluster::Snapshot;
using Amounts = std::vector<std::int64_t>;

// One resource of all nodes.
struct Source {
  std::string name;
  const Snapshot::ScalarColumn* scalar = nullptr;  // null: a column of the snapshot, or no pod or node has it

  std::pair<std::int64_t, std::int64_t> at(const Snapshot& snapshot, Row row) const {
    if (name == "cpu") return {snapshot.allocatable_milli_cpu[row], snapshot.requested_milli_cpu[row]};
    if (name == "memory") return {snapshot.allocatable_memory[row], snapshot.requested_memory[row]};
    if (name == "ephemeral-storage")
      return {snapshot.allocatable_ephemeral[row], snapshot.requested_ephemeral[row]};
    if (name == "pods") return {snapshot.allocatable_pods[row], snapshot.pod_count[row]};
    return scalar ? std::pair{scalar->allocatable[row], scalar->requested[row]}
                  : std::pair<std::int64_t, std::int64_t>();
  }
};

// cpu, memory and pods first; then the others that nodes have, by name.
std::vector<Source> sources_of(const Snapshot& snapshot) {
  std::set<std::string, std::less<>> names;
  snapshot.present().each([&](Row row) {
    for (const auto& [name, amount] : snapshot.entry(row).node->allocatable) {
      if (amount > api::Quantity()) names.insert(name);
    }
  });
  std::vector<Source> out;
  for (const auto* name : {"cpu", "memory", "pods"}) {
    out.push_back({.name = name});
    names.erase(name);
  }
  for (const auto& name : names) {
    if (out.size() == kMostResources) break;
    out.push_back({.name = name, .scalar = snapshot.scalar(name)});
  }
  return out;
}

json::array array_of(const Amounts& amounts) { return json::array(amounts.begin(), amounts.end()); }

// A node's amounts, in the order of the sources.
struct NodeAmounts {
  Amounts allocatable, requested;
};

NodeAmounts amounts_of(const std::vector<Source>& sources, const Snapshot& snapshot, Row row) {
  NodeAmounts out;
  for (const auto& source : sources) {
    const auto [has, asks] = source.at(snapshot, row);
    out.allocatable.push_back(has);
    out.requested.push_back(asks);
  }
  return out;
}

struct Zone {
  std::int64_t nodes = 0, cordoned = 0;
  Amounts allocatable, requested, free;  // free: on nodes that are not cordoned

  void add(const NodeAmounts& node, bool is_cordoned) {
    const auto size = node.allocatable.size();
    for (auto* sums : {&allocatable, &requested, &free}) sums->resize(size);
    ++nodes;
    cordoned += is_cordoned ? 1 : 0;
    for (std::size_t i = 0; i < size; ++i) {
      const auto has = node.allocatable[i], asks = node.requested[i];
      const auto left = std::max<std::int64_t>(0, cluster::wrapping_minus(has, asks));
      allocatable[i] = cluster::saturating_add(allocatable[i], has);
      requested[i] = cluster::saturating_add(requested[i], asks);
      if (!is_cordoned) free[i] = cluster::saturating_add(free[i], left);
    }
  }
  json::object to_json(const std::string& name) const {
    return {{"name", name},
            {"nodes", nodes},
            {"cordoned", cordoned},
            {"allocatable", array_of(allocatable)},
            {"requested", array_of(requested)},
            {"free", array_of(free)}};
  }
};

}  // namespace

Result<WantedNodes> wanted_nodes(const json::object& parameters) {
  WantedNodes out;
  if (const auto* only = parameters.if_contains("zonesOnly")) out.zones_only = only->as_bool();
  const auto* given = parameters.if_contains("selector");
  if (!given) return out;
  auto selector = api::parse_selector(given->as_string());
  if (!selector) return invalid("selector: " + selector.error().message);
  out.selector = std::move(*selector);
  return out;
}

json::object node_list(const Snapshot& snapshot, const std::string& leader, const WantedNodes& wanted) {
  const auto sources = sources_of(snapshot);
  std::map<std::string, Zone, std::less<>> zones;
  json::array items;
  std::int64_t cordoned = 0;
  for (const auto row : snapshot.rows_by_name()) {
    const auto& node = *snapshot.entry(row).node;
    const auto* label = node.meta.labels.find(api::label::zone);
    const auto zone = label ? *label : std::string();
    const auto amounts = amounts_of(sources, snapshot, row);
    zones[zone].add(amounts, node.unschedulable);
    cordoned += node.unschedulable ? 1 : 0;
    if (wanted.zones_only || items.size() == kMostNodes) continue;
    if (wanted.selector && !wanted.selector->matches(node.meta.labels)) continue;
    json::object item{{"name", node.meta.name},
                      {"zone", zone},
                      {"pods", static_cast<std::int64_t>(snapshot.pod_count[row])},
                      {"allocatable", array_of(amounts.allocatable)},
                      {"requested", array_of(amounts.requested)}};
    if (node.unschedulable) item["cordoned"] = true;
    items.push_back(std::move(item));
  }
  json::array resources, by_zone;
  for (const auto& source : sources) resources.emplace_back(source.name);
  for (const auto& [name, zone] : zones) by_zone.push_back(zone.to_json(name));
  json::object out{
      {"metadata",
       json::object{{"leader", leader}, {"nodes", snapshot.node_count()}, {"cordoned", cordoned}}},
      {"resources", std::move(resources)},
      {"zones", std::move(by_zone)}};
  if (wanted.selector) out["metadata"].as_object()["selector"] = api::selector_json(*wanted.selector);
  if (!wanted.zones_only) out["items"] = std::move(items);
  return out;
}

}  // namespace podium::app::report_api
