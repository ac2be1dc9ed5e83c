// The node half of Snapshot: rows, and what a Node object says.
#include <algorithm>

#include "base/text_hash.h"
#include "scheduler/cluster/pod_requests.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::cluster {
namespace {

const api::Node kNoNode;

}  // namespace

Row Snapshot::take_row() {
  if (!free_rows_->empty()) {
    const Row row = free_rows_->back();
    free_rows_.write().pop_back();
    return row;
  }
  const Row row = rows_++;
  entries_.grow_to(rows_);
  if (chunks() * kChunkRows >= rows_) return row;
  const auto grown = (chunks() + 1) * kChunkRows;
  for (auto* column : {&allocatable_milli_cpu, &allocatable_memory, &allocatable_ephemeral, &allocatable_pods,
                       &requested_milli_cpu, &requested_memory, &requested_ephemeral, &non_zero_milli_cpu,
                       &non_zero_memory}) {
    column->grow_to(grown);
  }
  pod_count.grow_to(grown);
  taint_set.grow_to(grown);
  name_hash.grow_to(grown);
  present_.write().grow_to_chunks(chunks());
  with_host_ports_.write().grow_to_chunks(chunks());
  return row;
}

void Snapshot::set_node(api::NodePtr node) {
  ++generation_;
  const auto& name = node->meta.name;
  if (const auto row = find_row(name)) {
    const auto before = entry(*row).node;
    entries_.write(*row).write().node = node;
    apply_node(*row, *before, *node);
    return;
  }

  const auto row = take_row();
  row_changes_.write().note(row);
  ++node_count_;
  name_hash.write(row) = stable_hash(name);
  row_of_node_.insert(name_hash[row], row);
  present_.write().set(row);
  entries_.write(row).write().node = node;
  taint_set.set(row, taints_.write().take({}, false));
  apply_node(row, kNoNode, *node);
  by_name_ = by_name_->with(row, name_of());
  objects_.volumes().node_added(name, row);

  const auto waiting = pods_on_unknown_nodes_->find(name);
  if (waiting == pods_on_unknown_nodes_->end()) return;
  const auto pods = waiting->second;
  auto& pods_on_unknown_nodes = pods_on_unknown_nodes_.write();
  pods_on_unknown_nodes.erase(pods_on_unknown_nodes.find(name));
  for (const auto& pod : pods) {
    write_pods(row).push_back(pod);
    place(*pod, row);
    classes_.write().add(pod, row);
  }
}

void Snapshot::remove_node(std::string_view name) {
  const auto found = find_row(name);
  if (!found) return;
  const auto row = *found;
  ++generation_;
  by_name_ = by_name_->without(row, name_of());

  auto gone = entry(row);
  while (!entry(row).pods.empty()) {
    const auto pod = entry(row).pods.back();
    write_pods(row).pop_back();
    displace(*pod, row);
    classes_.write().remove(*pod, row);
  }
  apply_node(row, *gone.node, kNoNode);
  taints_.write().release(0);
  objects_.volumes().node_removed(gone.node->meta.name, row);
  entries_.write(row) = {};
  row_of_node_.erase(name_hash[row], row);
  row_changes_.write().note(row);
  name_hash.write(row) = 0;
  present_.write().clear(row);
  free_rows_.write().push_back(row);
  --node_count_;
  if (!gone.pods.empty()) pods_on_unknown_nodes_.write()[gone.node->meta.name] = std::move(gone.pods);
}

void Snapshot::apply_node(Row row, const api::Node& from, const api::Node& to) {
  set_allocatable(row, from, to);
  if (from.meta.labels != to.meta.labels) labels_.write().set(row, from.meta.labels, to.meta.labels);
  if (from.taints != to.taints || from.unschedulable != to.unschedulable) {
    row_changes_.write().note(row);
    auto& taints = taints_.write();
    const auto before = taint_set[row];
    taint_set.set(row, taints.take(to.taints, to.unschedulable));
    taints.release(before);
  }
  if (from.images != to.images) set_images(row, from, to);
}

void Snapshot::set_allocatable(Row row, const api::Node& from, const api::Node& to) {
  if (from.allocatable == to.allocatable) return;
  row_changes_.write().note(row);
  const auto before = to_resources(from.allocatable), after = to_resources(to.allocatable);
  allocatable_milli_cpu.set(row, after.milli_cpu);
  allocatable_memory.set(row, after.memory);
  allocatable_ephemeral.set(row, after.ephemeral_storage);
  allocatable_pods.set(row, allowed_pods(to));
  // Acquire before release, so that a column in use by both is not rebuilt.
  for (const auto& [name, amount] : after.scalars) {
    auto& column = use_scalar(name);
    ++column.nodes;
    column.allocatable.set(row, amount);
  }
  for (const auto& [name, amount] : before.scalars) {
    auto& column = used_scalar(name);
    --column.nodes;
    if (after.scalar(name) == 0) column.allocatable.set(row, 0);
    release_scalar(name);
  }
}

Snapshot::ScalarColumn& Snapshot::use_scalar(const std::string& resource) {
  auto& column = scalars_[resource].write();
  ++column.users;
  return column;
}

Snapshot::ScalarColumn& Snapshot::used_scalar(const std::string& resource) {
  return scalars_.find_for_write(resource)->write();
}

void Snapshot::release_scalar(const std::string& resource) {
  if (--used_scalar(resource).users > 0) return;
  scalars_.erase(resource);
  clamped_scalars_.erase(resource);
}

// An image keeps the size that the first node reported, until no node has the image.
// Source: pkg/scheduler/backend/cache addNodeImageStates and removeNodeImageStates.
void Snapshot::set_images(Row row, const api::Node& from, const api::Node& to) {
  for (const auto& image : from.images) {
    for (const auto& name : image.names) {
      auto* state = images_.find_for_write(name);
      if (!state) continue;
      if (!std::ranges::binary_search((*state)->nodes, row)) continue;
      auto& nodes = state->write().nodes;
      nodes.erase(std::ranges::lower_bound(nodes, row));
      if (nodes.empty()) images_.erase(name);
    }
  }
  for (const auto& image : to.images) {
    for (const auto& name : image.names) {
      auto& state = images_[name];
      if (std::ranges::binary_search(state->nodes, row)) continue;
      auto& mine = state.write();
      if (mine.nodes.empty()) mine.size = image.size_bytes;
      mine.nodes.insert(std::ranges::lower_bound(mine.nodes, row), row);
    }
  }
}

}  // namespace podium::cluster
