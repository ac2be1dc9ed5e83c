#include "scheduler/plugins/volumes/finder.h"

#include <algorithm>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/node_selector.h"
#include "scheduler/plugins/volumes/claim_lookup.h"

namespace podium::plugins {
namespace {

using api::PersistentVolume;
using api::PersistentVolumeClaim;
using cluster::Row;

bool is_smaller(const PersistentVolume* a, const PersistentVolume* b) {
  return a->capacity != b->capacity ? a->capacity < b->capacity : a->meta.name < b->meta.name;
}

// With fewer groups an index of a label costs more than it saves.
constexpr std::size_t kFewGroups = 16;

}  // namespace

VolumeFinder::VolumeFinder(const cluster::Snapshot& snapshot,
                           std::vector<const PersistentVolumeClaim*> claims, AvailableCache& cache)
    : snapshot_(snapshot), claims_(claims.size()) {
  for (std::size_t i = 0; i < claims.size(); ++i) {
    add_prebound(*claims[i], claims_[i]);
    auto available = cache.of(snapshot, *claims[i]);
    auto same = std::ranges::find(available_, available, &Available::volumes);
    if (same == available_.end()) {
      add_available(std::move(available));
      same = available_.end() - 1;
    }
    claims_[i].available = static_cast<std::size_t>(same - available_.begin());
  }
  std::ranges::sort(by_row_);
}

void VolumeFinder::add_prebound(const PersistentVolumeClaim& claim, Candidates& to) {
  for (const auto name : snapshot_.objects().volumes().promised_to(claim)) {
    const auto& volume = *find_volume(snapshot_, name);
    if (!claim_ref_matches(volume, claim) || !could_hold(volume, claim)) continue;
    const auto affinity = by_labels(volume.node_affinity);
    to.prebound.emplace_back(&volume, affinity ? group_of(*affinity) : 0);
    has_candidates_ = true;
  }
}

void VolumeFinder::add_available(AvailableCache::Ptr volumes) {
  auto& available = available_.emplace_back(std::move(volumes));
  has_candidates_ |= !available.volumes->empty();
  for (const auto& [volume, affinity] : available.volumes->others())
    available.others[group_of(*affinity)].push_back(volume);
}

VolumeFinder::Group VolumeFinder::group_of(const std::vector<api::NodeSelectorTerm>& affinity) {
  const auto [it, is_new] = groups_.try_emplace(text_of(affinity), static_cast<Group>(groups_.size() + 1));
  if (!is_new) return it->second;
  const auto* label = groups_.size() > kFewGroups ? only_label(affinity) : nullptr;
  if (label)
    add_rows_with(it->second, *label);
  else
    add_rows(it->second, affinity);
  return it->second;
}

void VolumeFinder::add_rows(Group group, const std::vector<api::NodeSelectorTerm>& affinity) {
  const CompiledSelector selector(affinity, snapshot_);
  for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
    auto rows = chunk_of(snapshot_.present(), chunk);
    selector.narrow(chunk, rows);
    for (std::size_t w = 0; w < kChunkWords; ++w) {
      for (auto bits = rows[w]; bits; bits &= bits - 1) {
        const auto row = chunk * kChunkRows + w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        by_row_.emplace_back(static_cast<Row>(row), group);
      }
    }
  }
}

void VolumeFinder::add_rows_with(Group group, const api::Requirement& label) {
  const auto* column = snapshot_.labels().find(label.key);
  if (!column) return;
  auto rows = rows_by_value_.find(column);
  if (rows == rows_by_value_.end())
    rows = rows_by_value_.emplace(column, RowsByValue(*column, snapshot_.chunks())).first;
  for (const auto& value : label.values) {
    const auto id = column->find(value);
    if (id == cluster::kNoValue) continue;
    for (const auto row : rows->second.with(id)) by_row_.emplace_back(row, group);
  }
}

VolumeFinder::RowsByValue::RowsByValue(const cluster::LabelColumn& column, std::size_t chunks)
    : begins_(column.id_limit() + 1) {
  const auto each = [&](const auto& visit) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      cluster::RareColumn<cluster::ValueId>::Chunk space;
      const auto& values = column.values().chunk(chunk, space);
      for (std::size_t i = 0; i < kChunkRows; ++i)
        if (values[i] != cluster::kNoValue) visit(values[i], static_cast<Row>(chunk * kChunkRows + i));
    }
  };
  each([&](cluster::ValueId id, Row) { ++begins_[id + 1]; });
  for (std::size_t id = 1; id < begins_.size(); ++id) begins_[id] += begins_[id - 1];
  rows_.resize(begins_.back());
  auto next = begins_;
  each([&](cluster::ValueId id, Row row) { rows_[next[id]++] = row; });
}

std::span<const Row> VolumeFinder::RowsByValue::with(cluster::ValueId id) const {
  return std::span(rows_).subspan(begins_[id], begins_[id + 1] - begins_[id]);
}

bool VolumeFinder::reaches(Row row, Group group) const {
  return group == 0 || std::ranges::binary_search(by_row_, std::pair(row, group));
}

std::pair<std::size_t, std::size_t> VolumeFinder::groups_of(Row row) const {
  const auto found = std::ranges::equal_range(by_row_, row, {}, &std::pair<Row, Group>::first);
  return {static_cast<std::size_t>(found.begin() - by_row_.begin()),
          static_cast<std::size_t>(found.end() - by_row_.begin())};
}

const PersistentVolume* VolumeFinder::first_free(Volumes volumes) const {
  if (volumes.empty()) return nullptr;
  if (taken_.empty()) return volumes.front();
  auto& first = passed_[volumes.data()];
  while (first < volumes.size() && taken_.contains(volumes[first])) ++first;
  return first < volumes.size() ? volumes[first] : nullptr;
}

const PersistentVolume* VolumeFinder::find(Row row, const Candidates& candidates) const {
  // As upstream, a pre-bound volume excludes all others even if the node cannot reach it. It may be taken: by
  // another volume of the pod with the same claim.
  for (const auto& [volume, group] : candidates.prebound)
    if (taken_.empty() || !taken_.contains(volume)) return reaches(row, group) ? volume : nullptr;
  const auto& [volumes, others] = available_[candidates.available];
  const auto* best = first_free(volumes->everywhere());
  const auto consider = [&](Volumes of_group) {
    const auto* volume = first_free(of_group);
    if (volume && (!best || is_smaller(volume, best))) best = volume;
  };
  volumes->each_of_label(row, consider);
  if (others.empty()) return best;
  for (auto [i, end] = groups_of(row); i < end; ++i) {
    const auto it = others.find(by_row_[i].second);
    if (it != others.end()) consider(it->second);
  }
  return best;
}

void VolumeFinder::find(Row row, std::vector<const PersistentVolume*>& found) const {
  found.clear();
  if (claims_.size() > 1) {
    taken_.clear();
    passed_.clear();
  }
  for (const auto& candidates : claims_) {
    found.push_back(find(row, candidates));
    if (found.back() && found.size() < claims_.size()) taken_.insert(found.back());
  }
}

}  // namespace podium::plugins
