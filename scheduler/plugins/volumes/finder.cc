#include "scheduler/plugins/volumes/finder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/node_selector.h"
#include "scheduler/plugins/shared/node_selector_errors.h"
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
  for (const auto& requirement : requirements) {
    text.append(requirement.key).append(1, '\1');
    text.append(1, static_cast<char>('0' + static_cast<int>(requirement.op)));
    for (const auto& value : requirement.values) text.append(1, '\2').append(value);
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

// With fewer groups an index of a label costs more than it saves.
constexpr std::size_t kFewGroups = 16;

// The label and its values, if the terms ask for nothing else and can be parsed; else null.
const api::Requirement* only_label(const std::vector<api::NodeSelectorTerm>& terms) {
  if (terms.size() != 1 || terms[0].match_expressions.size() != 1 || !terms[0].match_fields.empty())
    return nullptr;
  const auto& label = terms[0].match_expressions[0];
  return label.op == api::Requirement::Op::in && parse_errors(terms[0], "").empty() ? &label : nullptr;
}

// What a claim asks for of volumes that name no claim.
std::string text_of(const PersistentVolumeClaim& claim) {
  auto text = fmt::format("{}\1{}\1{}\1{}\1{}\1", claim.storage_class.value_or(""), claim.request.text(),
                          claim.volume_mode, claim.attributes_class.value_or(""),
                          fmt::join(claim.access_modes, "\2"));
  if (!claim.selector) return text;
  text.append(1, '\4');
  for (const auto& [key, value] : claim.selector->match_labels)
    text.append(key).append(1, '\2').append(value).append(1, '\3');
  append_text(text, claim.selector->match_expressions);
  return text;
}

}  // namespace

VolumeFinder::VolumeFinder(const cluster::Snapshot& snapshot,
                           std::vector<const PersistentVolumeClaim*> claims)
    : snapshot_(snapshot), claims_(claims.size()) {
  for (std::size_t i = 0; i < claims.size(); ++i) {
    add_prebound(*claims[i], claims_[i]);
    const auto [it, is_new] = index_of_.try_emplace(text_of(*claims[i]), available_.size());
    if (is_new) add_available(*claims[i]);
    claims_[i].available = it->second;
  }
  std::ranges::sort(by_row_);
}

void VolumeFinder::add_prebound(const PersistentVolumeClaim& claim, Candidates& to) {
  for (const auto name : snapshot_.objects().volumes().promised_to(claim)) {
    const auto& volume = *find_volume(snapshot_, name);
    if (!claim_ref_matches(volume, claim) || !could_hold(volume, claim)) continue;
    to.prebound.emplace_back(&volume, group_of(volume));
    has_candidates_ = true;
  }
}

void VolumeFinder::add_available(const PersistentVolumeClaim& claim) {
  auto& available = available_.emplace_back();
  for (const auto name : snapshot_.objects().volumes().candidates_for(claim)) {
    const auto& volume = *find_volume(snapshot_, name);
    if (claim_ref_matches(volume, claim) || !could_hold(volume, claim) || !is_free_for(volume, claim))
      continue;
    available[group_of(volume)].push_back(&volume);
    has_candidates_ = true;
  }
  for (auto& [group, volumes] : available) std::ranges::sort(volumes, is_smaller);
}

VolumeFinder::Group VolumeFinder::group_of(const PersistentVolume& volume) {
  const auto affinity = by_labels(volume.node_affinity);
  if (!affinity) return 0;
  const auto [it, is_new] = groups_.try_emplace(text_of(*affinity), static_cast<Group>(groups_.size() + 1));
  if (!is_new) return it->second;
  const auto* label = groups_.size() > kFewGroups ? only_label(*affinity) : nullptr;
  if (label)
    add_rows_with(it->second, *label);
  else
    add_rows(it->second, *affinity);
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

const PersistentVolume* VolumeFinder::first_free(const Volumes& volumes, Taking& taking) {
  if (taking.taken.empty()) return volumes.front();
  auto& first = taking.passed[&volumes];
  while (first < volumes.size() && taking.taken.contains(volumes[first])) ++first;
  return first < volumes.size() ? volumes[first] : nullptr;
}

const PersistentVolume* VolumeFinder::find(const Candidates& candidates, Taking& taking) const {
  const auto row = taking.row;
  const auto is_taken = [&](const auto* volume) { return taking.taken.contains(volume); };
  // As upstream, a pre-bound volume excludes all others even if the node cannot reach it. It may be taken: by
  // another volume of the pod with the same claim.
  for (const auto& [volume, group] : candidates.prebound)
    if (!is_taken(volume)) return reaches(row, group) ? volume : nullptr;
  const PersistentVolume* best = nullptr;
  const auto& available = available_[candidates.available];
  const auto consider = [&](Group group) {
    const auto it = available.find(group);
    if (it == available.end()) return;
    const auto* volume = first_free(it->second, taking);
    if (volume && (!best || is_smaller(volume, best))) best = volume;
  };
  consider(0);
  for (auto [i, end] = groups_of(row); i < end; ++i) consider(by_row_[i].second);
  return best;
}

std::vector<const PersistentVolume*> VolumeFinder::find(Row row) const {
  Volumes result;
  result.reserve(claims_.size());
  Taking taking{row};
  for (const auto& candidates : claims_) {
    result.push_back(find(candidates, taking));
    if (result.back() && result.size() < claims_.size()) taking.taken.insert(result.back());
  }
  return result;
}

}  // namespace podium::plugins
