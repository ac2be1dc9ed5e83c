#include "scheduler/cluster/volume_index.h"

#include <algorithm>

#include "api/values/pod.h"

namespace podium::cluster {
namespace {

std::string full_name(std::string_view ns, std::string_view name) {
  return std::string(ns).append("/").append(name);
}
std::string full_name(const api::PersistentVolumeClaim& claim) {
  return full_name(claim.meta.namespace_, claim.meta.name);
}

// Lists by key; an empty list is erased.
template <typename Lists, typename Item>
void add_to(Lists& lists, const std::string& key, Item item) {
  lists[key].push_back(std::move(item));
}
template <typename Lists, typename Item>
void take_from(Lists& lists, const std::string& key, const Item& item) {
  auto* list = lists.find_for_write(key);
  if (!list) return;
  if (const auto it = std::ranges::find(*list, item); it != list->end()) {
    *it = std::move(list->back());
    list->pop_back();
  }
  if (list->empty()) lists.erase(key);
}

// Has no volume that counts on a node.
bool has_none(const api::Pod& pod) {
  return std::ranges::all_of(
      pod.volumes, [](const api::Volume& volume) { return volume.kind == api::Volume::Kind::other; });
}

template <typename F>
void each_claim(const api::Pod& pod, F&& f) {
  for (const auto& volume : pod.volumes) {
    if (const auto name = claim_name(pod, volume)) f(full_name(pod.meta.namespace_, *name));
  }
}

}  // namespace

std::optional<std::string> claim_name(const api::Pod& pod, const api::Volume& volume) {
  if (volume.kind == api::Volume::Kind::claim) return volume.id;
  if (volume.kind == api::Volume::Kind::ephemeral) return pod.meta.name + "-" + volume.name;
  return std::nullopt;
}

const VolumeIndex::Attachments& VolumeIndex::attachments(std::string_view node) const {
  static const Attachments kNone;
  const auto* found = attachments_.find(node);
  return found ? *found : kNone;
}

const std::vector<Row>& VolumeIndex::users(std::string_view ns, std::string_view claim) const {
  static const std::vector<Row> kNone;
  const auto* found = users_.find(full_name(ns, claim));
  return found ? *found : kNone;
}

std::vector<std::string_view> VolumeIndex::promised_to(const api::PersistentVolumeClaim& claim) const {
  std::vector<std::string_view> names;
  if (const auto* promised = promised_.find(full_name(claim)))
    names.assign(promised->begin(), promised->end());
  std::ranges::sort(names);
  return names;
}

const VolumeIndex::FreeVolumes& VolumeIndex::free_of(std::string_view storage_class) const {
  static const FreeVolumes kNone;
  const auto* free = free_.find(storage_class);
  return free ? *free : kNone;
}

void VolumeIndex::forget_node(std::string_view name) {
  if (const auto* row = rows_.find(name)) forget(*row);
}

void VolumeIndex::forget_users(const std::string& claim) {
  if (const auto* rows = users_.find(claim)) {
    for (const auto row : *rows) forget(row);
  }
}

void VolumeIndex::node_added(const std::string& name, Row row) {
  slots_.grow_to(row + 1);
  rows_[name] = row;
  forget(row);
}

void VolumeIndex::node_removed(const std::string& name, Row row) {
  rows_.erase(name);
  slots_.write(row) = nullptr;
}

void VolumeIndex::pod_placed(const api::Pod& pod, Row row) {
  if (has_none(pod)) return;
  each_claim(pod, [&](const std::string& claim) { add_to(users_, claim, row); });
  forget(row);
}

void VolumeIndex::pod_displaced(const api::Pod& pod, Row row) {
  if (has_none(pod)) return;
  each_claim(pod, [&](const std::string& claim) { take_from(users_, claim, row); });
  forget(row);
}

void VolumeIndex::changed(const api::PersistentVolumeClaim* before, const api::PersistentVolumeClaim* after) {
  const auto key = full_name(before ? *before : *after);
  const std::string none, &from = before ? before->volume_name : none,
                          &to = after ? after->volume_name : none;
  if (from != to) {
    if (!from.empty()) take_from(claims_, from, key);
    if (!to.empty()) add_to(claims_, to, key);
  }
  const bool is_same = before && after && from == to && before->storage_class == after->storage_class &&
                       before->meta.owners == after->meta.owners;
  if (!is_same) forget_users(key);
}

// The volume is among the free ones, or those that are promised to a claim.
void VolumeIndex::file(const VolumePtr& before, const VolumePtr& after) {
  const auto is_free = [](const VolumePtr& volume) { return volume && !volume->claim; };
  const auto claim_of = [](const VolumePtr& volume) {
    return volume && volume->claim ? full_name(volume->claim->namespace_, volume->claim->name)
                                   : std::string();
  };
  const auto& name = (before ? before : after)->meta.name;
  if (const auto from = claim_of(before), to = claim_of(after); from != to) {
    if (!from.empty()) take_from(promised_, from, name);
    if (!to.empty()) add_to(promised_, to, name);
  }
  if (is_free(before) && (!is_free(after) || after->storage_class != before->storage_class)) {
    if (auto* of_class = free_.find_for_write(before->storage_class)) {
      of_class->erase(name);
      if (of_class->empty()) free_.erase(before->storage_class);
    }
  }
  if (is_free(after)) free_[after->storage_class].insert_or_assign(name, after);
}

void VolumeIndex::changed(const VolumePtr& before, const VolumePtr& after) {
  file(before, after);
  const auto& name = (before ? before : after)->meta.name;
  const bool is_same = before && after && before->csi_driver == after->csi_driver &&
                       before->csi_handle == after->csi_handle && before->source == after->source &&
                       before->meta.labels == after->meta.labels;
  if (is_same) return;
  if (const auto* claims = claims_.find(name)) {
    for (const auto& claim : *claims) forget_users(claim);
  }
  if (const auto* nodes = attached_to_.find(name)) {
    for (const auto& node : *nodes) forget_node(node);
  }
}

void VolumeIndex::changed(const api::StorageClass* before, const api::StorageClass* after) {
  if (before && after && before->provisioner == after->provisioner) return;
  rows_.each([&](const std::string&, Row row) { forget(row); });
}

void VolumeIndex::changed(const api::CsiNode* before, const api::CsiNode* after) {
  if (before && after && before->drivers == after->drivers) return;
  forget_node((before ? before : after)->meta.name);
}

void VolumeIndex::changed(const std::shared_ptr<const api::VolumeAttachment>& before,
                          const std::shared_ptr<const api::VolumeAttachment>& after) {
  if (before) {
    take_from(attachments_, before->node_name, before);
    take_from(attached_to_, before->volume_name, before->node_name);
    forget_node(before->node_name);
  }
  if (after) {
    add_to(attachments_, after->node_name, after);
    add_to(attached_to_, after->volume_name, after->node_name);
    forget_node(after->node_name);
  }
}

}  // namespace podium::cluster
