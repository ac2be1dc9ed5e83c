#include "scheduler/plugins/volumes/binder.h"

#include <algorithm>

#include "base/check.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/csi_migration.h"
#include "scheduler/plugins/shared/node_selector.h"
#include "scheduler/plugins/volumes/claim_lookup.h"

namespace podium::plugins {
namespace {

using api::PersistentVolumeClaim;
using cluster::NodeMask;
using cluster::Row;

// Converts a label selector to a node selector with one term.
std::vector<api::NodeSelectorTerm> as_terms(const api::LabelSelector& selector) {
  api::NodeSelectorTerm term{selector.match_expressions, {}};
  for (const auto& [key, value] : selector.match_labels) {
    term.match_expressions.push_back({key, api::Requirement::Op::in, {value}});
  }
  return {term};
}

bool is_enough(const api::CsiStorageCapacity& capacity, std::int64_t bytes) {
  const auto& limit = capacity.maximum_volume_size ? capacity.maximum_volume_size : capacity.capacity;
  return limit && limit->value() >= bytes;
}

NodeMask& operator|=(NodeMask& mask, const NodeMask& other) {
  for (std::size_t w = 0; w < mask.words(); ++w) mask.word(w) |= other.word(w);
  return mask;
}

}  // namespace

VolumeBinder::VolumeBinder(const cluster::Snapshot& snapshot, const PodClaims& claims, AvailableCache& cache)
    : snapshot_(snapshot), conflict_(snapshot.chunks()) {
  check_bound(claims.bound);
  PodClaims::Claims to_match;
  for (const auto* claim : claims.delayed) {
    const auto* node = claim->meta.annotations.find(kSelectedNode);
    if (!node) {
      to_match.push_back(claim);
      continue;
    }
    NodeMask only(snapshot.chunks());
    if (const auto row = snapshot.find_row(*node)) only.set(*row);
    if (selected_nodes_)
      *selected_nodes_ &= only;
    else
      selected_nodes_ = std::move(only);
    selected_.push_back(provision(*claim));
  }
  std::ranges::stable_sort(to_match, {}, &PersistentVolumeClaim::request);
  for (const auto* claim : to_match) to_match_.push_back(provision(*claim));
  if (!to_match.empty()) finder_.emplace(snapshot, std::move(to_match), cache);
  found_.resize(to_match_.size());
}

// As upstream, the first claim with a problem ends the check: a node that conflicts with an earlier claim's
// volume does not also get kBoundVolumeMissing.
void VolumeBinder::check_bound(const PodClaims::Claims& bound) {
  for (const auto* claim : bound) {
    const auto* volume = find_volume(snapshot_, claim->volume_name);
    if (!volume) {
      missing_ = true;
      return;
    }
    check_volume(*volume);
  }
}

void VolumeBinder::check_volume(const api::PersistentVolume& volume) {
  auto beyond = out_of_reach(volume.node_affinity);
  const auto [plugin, terms] = migrated_affinity(volume);
  if (!plugin.empty()) {
    const auto beyond_driver = terms ? out_of_reach(*terms) : NodeMask(snapshot_.chunks());
    NodeMask untranslatable(snapshot_.chunks());
    for (const auto row : migrated(plugin)) {
      if (beyond_driver.test(row))
        beyond.set(row);
      else
        beyond.clear(row);
      if (!terms && !conflict_.test(row)) untranslatable.set(row);
    }
    if (!terms) untranslatable_.push_back({std::move(untranslatable), terms.error()});
  }
  conflict_ |= beyond;
}

const std::vector<Row>& VolumeBinder::migrated(std::string_view plugin) {
  const auto [it, is_new] = migrated_.try_emplace(std::string(plugin));
  if (!is_new) return it->second;
  for (const auto& [key, csi_node] : snapshot_.objects().all<api::CsiNode>()) {
    const auto row = has_migrated(*csi_node, plugin) ? snapshot_.find_row(csi_node->meta.name) : std::nullopt;
    if (row) it->second.push_back(*row);
  }
  return it->second;
}

const std::string& VolumeBinder::error_at(Row row) const {
  const auto at =
      std::ranges::find_if(untranslatable_, [&](const auto& each) { return each.nodes.test(row); });
  PODIUM_CHECK(at != untranslatable_.end(), row);
  return at->error;
}

NodeMask VolumeBinder::selected(std::span<const api::NodeSelectorTerm> terms) const {
  NodeMask nodes = snapshot_.present();
  const CompiledSelector selector(terms, snapshot_);
  for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
    auto rows = chunk_of(nodes, chunk);
    selector.narrow(chunk, rows);
    for (std::size_t w = 0; w < kChunkWords; ++w) nodes.word(chunk * kChunkWords + w) = rows[w];
  }
  return nodes;
}

NodeMask VolumeBinder::out_of_reach(const std::optional<std::vector<api::NodeSelectorTerm>>& affinity) const {
  NodeMask nodes(snapshot_.chunks());
  const auto terms = by_labels(affinity);
  if (!terms) return nodes;
  const auto reach = selected(*terms);
  for (std::size_t w = 0; w < nodes.words(); ++w)
    nodes.word(w) = snapshot_.present().word(w) & ~reach.word(w);
  return nodes;
}

VolumeBinder::Provision VolumeBinder::provision(const PersistentVolumeClaim& claim) {
  Provision result{&claim, false, {}, {}};
  const auto* storage_class = class_of(snapshot_, claim);
  if (!storage_class || !creates_volumes(*storage_class)) return result;
  result.possible = true;
  if (!storage_class->allowed_topologies.empty()) result.topology = topology_of(*storage_class);
  const auto* driver = snapshot_.objects().find<api::CsiDriver>("", storage_class->provisioner);
  if (driver && driver->storage_capacity && !claim.request.is_zero()) {
    result.capacities = capacities_for(claim, *storage_class);
  }
  return result;
}

std::shared_ptr<const NodeMask> VolumeBinder::topology_of(const api::StorageClass& storage_class) {
  auto& known = topologies_[&storage_class];
  if (!known) known = std::make_shared<const NodeMask>(selected(storage_class.allowed_topologies));
  return known;
}

// If several capacities are large enough, upstream takes any of them; podium takes the first by
// namespace and name.
std::shared_ptr<const VolumeBinder::Capacities> VolumeBinder::capacities_for(
    const PersistentVolumeClaim& claim, const api::StorageClass& storage_class) {
  auto& known = capacities_[{&storage_class, claim.request.value()}];
  if (known) return known;
  auto by_row = std::make_shared<Capacities>(snapshot_.chunks() * kChunkRows);
  for (const auto& [key, capacity] : snapshot_.objects().all<api::CsiStorageCapacity>()) {
    if (capacity->storage_class != storage_class.meta.name || !is_enough(*capacity, claim.request.value()))
      continue;
    if (!capacity->node_topology) continue;
    auto nodes = nodes_of_.find(capacity.get());
    if (nodes == nodes_of_.end()) {
      nodes = nodes_of_
                  .emplace(capacity.get(), capacity->node_topology->empty()
                                               ? snapshot_.present()
                                               : selected(as_terms(*capacity->node_topology)))
                  .first;
    }
    nodes->second.each([&](Row row) {
      if (!(*by_row)[row]) (*by_row)[row] = capacity.get();
    });
  }
  return known = std::move(by_row);
}

std::uint8_t VolumeBinder::check_provision(const Provision& provision, Row row) const {
  if (!provision.possible) return kNoVolumeToBind;
  if (provision.topology && !provision.topology->test(row)) return kOutsideAllowedTopologies;
  return provision.capacities && !(*provision.capacities)[row] ? kNotEnoughStorage : 0;
}

std::uint8_t VolumeBinder::check_delayed(Row row, VolumePlan* plan) const {
  if (selected_nodes_ && !selected_nodes_->test(row)) return kProvisionedElsewhere;
  for (const auto& provision : selected_) {
    if (const auto conflict = check_provision(provision, row)) return conflict;
    if (plan) plan->provisions.push_back(provision.at(row));
  }
  if (finder_ && finder_->has_candidates()) finder_->find(row, found_);
  for (std::size_t i = 0; i < to_match_.size(); ++i) {
    if (found_[i]) {
      if (plan) plan->bindings.push_back({to_match_[i].claim, found_[i]});
      continue;
    }
    if (const auto conflict = check_provision(to_match_[i], row)) return conflict;
    if (plan) plan->provisions.push_back(to_match_[i].at(row));
  }
  return 0;
}

bool VolumeBinder::delayed_are_alike() const {
  if (selected_nodes_ || (finder_ && finder_->has_candidates())) return false;
  return std::ranges::none_of(to_match_, [](const auto& each) { return each.topology || each.capacities; });
}

NodeMask VolumeBinder::maybe_in_conflict(const NodeMask& nodes) const {
  constexpr Row kAny = 0;
  if (missing_ || !delayed_are_alike() || check_delayed(kAny, nullptr)) return nodes;
  auto rows = conflict_;
  for (const auto& each : untranslatable_) rows |= each.nodes;
  auto asked = nodes;
  return asked &= rows;
}

std::uint8_t VolumeBinder::conflicts_at(Row row, VolumePlan* plan) const {
  const auto has_row = [&](const Untranslatable& each) { return each.nodes.test(row); };
  if (std::ranges::any_of(untranslatable_, has_row)) return kUntranslatableVolume;
  const std::uint8_t bound = conflict_.test(row) ? kNodeAffinityConflict : missing_ ? kBoundVolumeMissing : 0;
  return bound | check_delayed(row, plan);
}

}  // namespace podium::plugins
