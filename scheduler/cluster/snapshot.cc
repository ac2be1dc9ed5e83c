#include "scheduler/cluster/snapshot.h"

#include <algorithm>

#include "base/text_hash.h"

namespace podium::cluster {

Snapshot::Snapshot() = default;
Snapshot::Snapshot(const Snapshot& other) = default;
Snapshot::Snapshot(Snapshot&& other) noexcept = default;
Snapshot& Snapshot::operator=(const Snapshot& other) = default;
Snapshot& Snapshot::operator=(Snapshot&& other) noexcept = default;
Snapshot::~Snapshot() = default;

std::optional<Row> Snapshot::find_row(std::string_view node) const {
  const auto* row = row_of_node_.find(stable_hash(node), [&](Row known) { return node_name(known) == node; });
  return row ? std::optional(*row) : std::nullopt;
}

NameOrder::NameOf Snapshot::name_of() const {
  return [this](Row row) { return node_name(row); };
}

std::span<const Row> Snapshot::rows_by_name() const { return by_name_->rows(*present_, name_of()); }

const Snapshot::ScalarColumn* Snapshot::scalar(std::string_view resource) const {
  const auto* column = scalars_.find(resource);
  return column ? &**column : nullptr;
}

std::vector<std::string> Snapshot::resources_of_nodes() const {
  std::vector<std::string> out;
  scalars_.each([&](const std::string& name, const Cow<ScalarColumn>& column) {
    if (column->nodes > 0) out.push_back(name);
  });
  std::ranges::sort(out);
  return out;
}

const ImageState* Snapshot::image(std::string_view name) const {
  const auto* state = images_.find(name);
  return state ? &**state : nullptr;
}

const PodInfoPtr* Snapshot::find_pod(std::string_view uid) const {
  const auto* found = pods_.find(stable_hash(uid), [&](const PodInfo* p) { return p->pod->meta.uid == uid; });
  if (!found) return nullptr;
  const std::string& node = (**found)->node_name;
  const auto row = find_row(node);
  const auto& among = row ? entry(*row).pods : pods_on_unknown_nodes_->find(node)->second;
  return &*std::ranges::find(among, *found, &PodInfoPtr::get);
}

void Snapshot::nominate(PodInfoPtr pod, std::string node) {
  const auto& uid = (*pod)->meta.uid;
  withdraw_nomination(uid);
  ++generation_;
  nomination_of_pod_[uid] = ++last_nomination_;
  const auto row = find_row(node);
  const auto hash = stable_hash(node);
  nominations_.insert_or_assign(last_nomination_, {std::move(pod), std::move(node), hash, row});
}

std::optional<Row> Snapshot::row_of(const Nomination& nomination) const {
  const auto row = nomination.row;
  if (row && present().test(*row) && name_hash[*row] == nomination.node_hash) return row;
  return find_row(nomination.node);
}

const Snapshot::Nomination* Snapshot::find_nomination(std::string_view uid) const {
  const auto* number = nomination_of_pod_.find(uid);
  return number ? &nominations_.find(*number)->second : nullptr;
}

void Snapshot::withdraw_nomination(std::string_view uid) {
  const auto* known = nomination_of_pod_.find(uid);
  if (!known) return;
  const auto number = *known;
  ++generation_;
  nomination_of_pod_.erase(uid);
  nominations_.erase(number);  // last: the UID may be its pod's
}

}  // namespace podium::cluster
