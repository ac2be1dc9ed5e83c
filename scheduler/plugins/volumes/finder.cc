#include "scheduler/plugins/volumes/finder.h"

#include <algorithm>

#include "scheduler/plugins/shared/node_selector.h"
#include "scheduler/plugins/volumes/claims.h"

namespace podium::plugins {
namespace {

using api::PersistentVolume;
using api::PersistentVolumeClaim;
using cluster::Row;

// The conditions that a pre-bound volume must also meet.
bool could_hold(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return (!volume.claim || claim_ref_matches(volume, claim)) &&
         volume.storage_class == claim.storage_class.value_or("") && volume.capacity >= claim.request &&
         volume.volume_mode == claim.volume_mode &&
         volume.attributes_class == claim.attributes_class.value_or("") && !volume.meta.deleted;
}

bool is_free_for(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return volume.phase == "Available" && (!claim.selector || claim.selector->matches(volume.meta.labels)) &&
         std::ranges::all_of(claim.access_modes, [&](const auto& mode) {
           return std::ranges::find(volume.access_modes, mode) != volume.access_modes.end();
         });
}

bool is_smaller(const PersistentVolume* a, const PersistentVolume* b) {
  return a->capacity != b->capacity ? a->capacity < b->capacity : a->meta.name < b->meta.name;
}

// Equal texts mean equal selectors, since labels contain no control characters.
void append_text(std::string& text, const std::vector<api::Requirement>& requirements) {
  for (const auto& [key, op, values] : requirements) {
    text.append(key).append(1, '\1').append(1, static_cast<char>('0' + static_cast<int>(op)));
    for (const auto& value : values) text.append(1, '\2').append(value);
    text.append(1, '\3');
  }
}

std::string text_of(const std::vector<api::NodeSelectorTerm>& terms) {
  std::string text;
  for (const auto& term : terms) {
    append_text(text, term.match_expressions);
    text.append(1, '\4');
    append_text(text, term.match_fields);
    text.append(1, '\5');
  }
  return text;
}

}  // namespace

VolumeFinder::VolumeFinder(const cluster::Snapshot& snapshot,
                           std::vector<const PersistentVolumeClaim*> claims)
    : snapshot_(snapshot), claims_(claims.size()) {
  for (std::size_t i = 0; i < claims.size(); ++i) {
    for (const auto name : snapshot.objects().volumes().candidates_for(*claims[i]))
      add(*find_volume(snapshot, name), *claims[i], claims_[i]);
  }
  for (auto& candidates : claims_) {
    for (auto& [group, volumes] : candidates.available) std::ranges::sort(volumes, is_smaller);
  }
  std::ranges::sort(by_row_);
}

void VolumeFinder::add(const PersistentVolume& volume, const PersistentVolumeClaim& claim, Candidates& to) {
  if (!could_hold(volume, claim)) return;
  if (claim_ref_matches(volume, claim)) {
    to.prebound.emplace_back(&volume, group_of(volume));
  } else if (is_free_for(volume, claim)) {
    to.available[group_of(volume)].push_back(&volume);
  } else {
    return;
  }
  has_candidates_ = true;
}

VolumeFinder::Group VolumeFinder::group_of(const PersistentVolume& volume) {
  const auto affinity = by_labels(volume.node_affinity);
  if (!affinity) return 0;
  const auto [it, is_new] = groups_.try_emplace(text_of(*affinity), static_cast<Group>(groups_.size() + 1));
  if (!is_new) return it->second;
  const CompiledSelector selector(*affinity, snapshot_);
  for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
    auto rows = chunk_of(snapshot_.present(), chunk);
    selector.narrow(chunk, rows);
    for (std::size_t w = 0; w < kChunkWords; ++w) {
      for (auto bits = rows[w]; bits; bits &= bits - 1) {
        const auto row = chunk * kChunkRows + w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        by_row_.emplace_back(static_cast<Row>(row), it->second);
      }
    }
  }
  return it->second;
}

bool VolumeFinder::reaches(Row row, Group group) const {
  return group == 0 || std::ranges::binary_search(by_row_, std::pair(row, group));
}

std::pair<std::size_t, std::size_t> VolumeFinder::groups_of(Row row) const {
  const auto found = std::ranges::equal_range(by_row_, row, {}, &std::pair<Row, Group>::first);
  return {static_cast<std::size_t>(found.begin() - by_row_.begin()),
          static_cast<std::size_t>(found.end() - by_row_.begin())};
}

const PersistentVolume* VolumeFinder::find(Row row, const Candidates& candidates,
                                           const Volumes& taken) const {
  const auto is_taken = [&](const auto* volume) { return std::ranges::find(taken, volume) != taken.end(); };
  // As upstream, a pre-bound volume excludes all others even if the node cannot reach it. It may be taken: by
  // another volume of the pod with the same claim.
  for (const auto& [volume, group] : candidates.prebound)
    if (!is_taken(volume)) return reaches(row, group) ? volume : nullptr;
  const PersistentVolume* best = nullptr;
  const auto consider = [&](Group group) {
    const auto it = candidates.available.find(group);
    if (it == candidates.available.end()) return;
    const auto free = std::ranges::find_if_not(it->second, is_taken);
    if (free != it->second.end() && (!best || is_smaller(*free, best))) best = *free;
  };
  consider(0);
  for (auto [i, end] = groups_of(row); i < end; ++i) consider(by_row_[i].second);
  return best;
}

std::vector<const PersistentVolume*> VolumeFinder::find(Row row) const {
  Volumes result;
  for (const auto& candidates : claims_) result.push_back(find(row, candidates, result));
  return result;
}

}  // namespace podium::plugins
