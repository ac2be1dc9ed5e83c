#include "scheduler/cluster/snapshot.h"

#include <algorithm>

namespace podium::cluster {

std::optional<Row> Snapshot::find_row(std::string_view node) const {
  const auto* row = row_of_node_.find(hash_text(node), [&](Row known) { return node_name(known) == node; });
  return row ? std::optional(*row) : std::nullopt;
}

NameOrder::NameOf Snapshot::name_of() const {
  return [this](Row row) { return node_name(row); };
}

std::span<const Row> Snapshot::rows_by_name() const { return by_name_->rows(*present_, name_of()); }

const Snapshot::ScalarColumn* Snapshot::scalar(std::string_view resource) const {
  const auto it = scalars_->find(resource);
  return it == scalars_->end() ? nullptr : &*it->second;
}

const ImageState* Snapshot::image(std::string_view name) const {
  const auto* state = images_.find(name);
  return state ? &**state : nullptr;
}

const PodInfoPtr* Snapshot::find_pod(std::string_view uid) const {
  const auto* found = pods_.find(hash_text(uid), [&](const PodInfo* p) { return p->pod->meta.uid == uid; });
  if (!found) return nullptr;
  const std::string& node = (**found)->node_name;
  const auto row = find_row(node);
  const auto& among = row ? entry(*row).pods : pods_on_unknown_nodes_->find(node)->second;
  return &*std::ranges::find(among, *found, &PodInfoPtr::get);
}

void Snapshot::nominate(PodInfoPtr pod, std::string node) {
  withdraw_nomination((*pod)->meta.uid);
  ++generation_;
  nominations_.write().push_back({std::move(pod), std::move(node)});
}

void Snapshot::withdraw_nomination(std::string_view uid) {
  const auto hash = hash_text(uid);
  const auto same = [&](const Nomination& n) { return n.pod->uid_hash == hash && (*n.pod)->meta.uid == uid; };
  const auto it = std::ranges::find_if(*nominations_, same);
  if (it == nominations_->end()) return;
  ++generation_;
  const auto at = it - nominations_->begin();
  auto& nominations = nominations_.write();
  nominations.erase(nominations.begin() + at);
}

}  // namespace podium::cluster
