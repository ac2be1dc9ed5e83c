#include "scheduler/plugins/volumes/available.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scheduler/plugins/shared/node_selector_errors.h"
#include "scheduler/plugins/volumes/claim_lookup.h"

namespace podium::plugins {
namespace {

using api::PersistentVolume;
using api::PersistentVolumeClaim;
using cluster::kNoValue;
using cluster::ValueId;

// Equal texts mean equal selectors, since labels contain no control characters.
void append_text(std::string& text, const std::vector<api::Requirement>& requirements) {
  for (const auto& requirement : requirements) {
    text.append(requirement.key).append(1, '\1');
    text.append(1, static_cast<char>('0' + static_cast<int>(requirement.op)));
    for (const auto& value : requirement.values) text.append(1, '\2').append(value);
    text.append(1, '\3');
  }
}

}  // namespace

bool could_hold(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return (!volume.claim || claim_ref_matches(volume, claim)) &&
         volume.storage_class == claim.storage_class.value_or("") && volume.capacity >= claim.request &&
         volume.volume_mode == claim.volume_mode &&
         volume.attributes_class == claim.attributes_class.value_or("") && !volume.meta.deleted;
}

bool has_access_modes(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return std::ranges::all_of(claim.access_modes, [&](const auto& mode) {
    return std::ranges::find(volume.access_modes, mode) != volume.access_modes.end();
  });
}

bool is_free_for(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return volume.phase == "Available" && (!claim.selector || claim.selector->matches(volume.meta.labels)) &&
         has_access_modes(volume, claim);
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

const api::Requirement* only_label(const std::vector<api::NodeSelectorTerm>& terms) {
  if (terms.size() != 1 || terms[0].match_expressions.size() != 1 || !terms[0].match_fields.empty())
    return nullptr;
  const auto& label = terms[0].match_expressions[0];
  return label.op == api::Requirement::Op::in && parse_errors(terms[0], "").empty() ? &label : nullptr;
}

std::string AvailableVolumes::text_of(const PersistentVolumeClaim& claim) {
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

AvailableVolumes::AvailableVolumes(const cluster::Snapshot& snapshot, const PersistentVolumeClaim& claim,
                                   std::string text, const AvailableVolumes* previous)
    : text_(std::move(text)) {
  take_leaves(snapshot.objects().volumes().free_of(claim.storage_class.value_or("")), claim, previous);
  choose_labels(snapshot);
  resolve(previous);
  put_together();
}

bool AvailableVolumes::is_of(const cluster::Snapshot& snapshot, const PersistentVolumeClaim& claim) const {
  const auto& leaves = snapshot.objects().volumes().free_of(claim.storage_class.value_or("")).leaves();
  const auto is_same = [](const auto& leaf, const Kept& kept) { return kept.leaf.is(leaf); };
  if (!std::ranges::equal(leaves, leaves_, is_same)) return false;
  const auto& labels = snapshot.labels();
  return std::ranges::all_of(by_label_,
                             [&](const ByLabel& label) {
                               const auto* column = labels.box(label.key);
                               return column && label.column.is(*column);
                             }) &&
         std::ranges::none_of(missing_, [&](const auto& key) { return labels.find(key) != nullptr; });
}

AvailableVolumes::Parts AvailableVolumes::parts_of(const Leaf& leaf, const PersistentVolumeClaim& claim) {
  Parts parts;
  for (const auto& [name, volume] : leaf) {
    if (!could_hold(*volume, claim) || !is_free_for(*volume, claim)) continue;
    auto affinity = by_labels(volume->node_affinity);
    if (!affinity) {
      parts.everywhere.push_back(volume.get());
      continue;
    }
    const auto* label = only_label(*affinity);
    if (!label || label->values.size() != 1) {
      parts.others.push_back({volume.get(), std::make_shared<const Affinity>(std::move(*affinity))});
      continue;
    }
    auto of_key = std::ranges::find(parts.by_key, label->key, &Parts::OfKey::key);
    if (of_key == parts.by_key.end()) of_key = parts.by_key.insert(of_key, {label->key, {}, {}});
    of_key->volumes.push_back(volume.get());
    of_key->values.push_back(label->values.front());
  }
  return parts;
}

void AvailableVolumes::take_leaves(const cluster::VolumeIndex::FreeVolumes& free,
                                   const PersistentVolumeClaim& claim, const AvailableVolumes* previous) {
  boost::unordered_flat_map<const Leaf*, const Kept*> known;
  if (previous) {
    for (const auto& kept : previous->leaves_) known.emplace(&*kept.leaf, &kept);
  }
  leaves_.reserve(free.leaves().size());
  for (const auto& leaf : free.leaves()) {
    const auto it = known.find(&*leaf);
    if (it != known.end())
      leaves_.push_back(*it->second);
    else
      leaves_.push_back({leaf, std::make_shared<const Parts>(parts_of(*leaf, claim))});
  }
}

AvailableVolumes::ByLabel* AvailableVolumes::label_of(std::string_view key) {
  const auto label = std::ranges::find(by_label_, key, &ByLabel::key);
  return label == by_label_.end() ? nullptr : &*label;
}

void AvailableVolumes::choose_labels(const cluster::Snapshot& snapshot) {
  for (const auto& kept : leaves_) {
    for (const auto& of_key : kept.parts->by_key) {
      if (label_of(of_key.key) || std::ranges::find(missing_, of_key.key) != missing_.end()) continue;
      if (by_label_.size() + missing_.size() == kMostLabels) return;
      if (const auto* column = snapshot.labels().box(of_key.key))
        by_label_.push_back({of_key.key, *column, {}, {}});
      else
        missing_.push_back(of_key.key);
    }
  }
}

void AvailableVolumes::resolve(const AvailableVolumes* previous) {
  const auto is_kept = [&](const ByLabel& label) {
    if (!previous) return false;
    const auto known = std::ranges::find(previous->by_label_, label.key, &ByLabel::key);
    return known != previous->by_label_.end() && known->column.is(label.column);
  };
  std::vector<bool> kept_labels;
  for (const auto& label : by_label_) kept_labels.push_back(is_kept(label));
  for (auto& kept : leaves_) {
    const auto& by_key = kept.parts->by_key;
    kept.ids.resize(by_key.size());
    for (std::size_t i = 0; i < by_key.size(); ++i) {
      auto& ids = kept.ids[i];
      const auto* label = label_of(by_key[i].key);
      if (!label) {
        ids = nullptr;
        continue;
      }
      if (ids && kept_labels[static_cast<std::size_t>(label - by_label_.data())]) continue;
      std::vector<ValueId> found;
      for (const auto& value : by_key[i].values) found.push_back(label->column->find(value));
      ids = std::make_shared<const std::vector<ValueId>>(std::move(found));
    }
  }
}

void AvailableVolumes::put_together() {
  const auto capacity = [](Volume volume) { return volume->capacity; };
  for (const auto& [leaf, parts, ids] : leaves_) {
    everywhere_.insert(everywhere_.end(), parts->everywhere.begin(), parts->everywhere.end());
    others_.insert(others_.end(), parts->others.begin(), parts->others.end());
    for (std::size_t i = 0; i < parts->by_key.size(); ++i) {
      const auto& of_key = parts->by_key[i];
      if (ids[i] || std::ranges::find(missing_, of_key.key) != missing_.end()) continue;
      for (std::size_t v = 0; v < of_key.volumes.size(); ++v) {
        Affinity affinity(1);
        affinity[0].match_expressions.push_back({of_key.key, api::Requirement::Op::in, {of_key.values[v]}});
        others_.push_back({of_key.volumes[v], std::make_shared<const Affinity>(std::move(affinity))});
      }
    }
  }
  std::ranges::stable_sort(everywhere_, {}, capacity);
  std::ranges::sort(others_, [](const Other& a, const Other& b) {
    return a.volume->capacity != b.volume->capacity ? a.volume->capacity < b.volume->capacity
                                                    : a.volume->meta.name < b.volume->meta.name;
  });
  for (auto& label : by_label_) put_together(label);
}

// Sorts by id, then the volumes of an id by capacity; those of equal capacity keep the order of their names.
void AvailableVolumes::put_together(ByLabel& label) {
  const auto each = [&](auto&& visit) {
    for (const auto& [leaf, parts, ids] : leaves_) {
      for (std::size_t i = 0; i < parts->by_key.size(); ++i) {
        const auto& of_key = parts->by_key[i];
        if (!ids[i] || of_key.key != label.key) continue;
        for (std::size_t v = 0; v < of_key.volumes.size(); ++v)
          if (const auto id = (*ids[i])[v]; id != kNoValue) visit(id, of_key.volumes[v]);
      }
    }
  };
  label.begins.resize(label.column->id_limit() + 1);
  each([&](ValueId id, Volume) { ++label.begins[id + 1]; });
  for (std::size_t id = 1; id < label.begins.size(); ++id) label.begins[id] += label.begins[id - 1];
  label.volumes.resize(label.begins.back());
  auto next = label.begins;
  each([&](ValueId id, Volume volume) { label.volumes[next[id]++] = volume; });
  for (std::size_t id = 1; id + 1 < label.begins.size(); ++id) {
    if (label.begins[id + 1] - label.begins[id] < 2) continue;
    std::stable_sort(label.volumes.begin() + label.begins[id], label.volumes.begin() + label.begins[id + 1],
                     [](Volume a, Volume b) { return a->capacity < b->capacity; });
  }
}

AvailableCache::Ptr AvailableCache::of(const cluster::Snapshot& snapshot,
                                       const api::PersistentVolumeClaim& claim) {
  auto text = AvailableVolumes::text_of(claim);
  Ptr known;
  {
    const std::lock_guard lock(mutex_);
    const auto it =
        std::ranges::find(kept_, text, [](const Ptr& each) -> const auto& { return each->text(); });
    if (it != kept_.end()) known = *it;
  }
  if (known && known->is_of(snapshot, claim)) return known;
  auto made = std::make_shared<const AvailableVolumes>(snapshot, claim, std::move(text), known.get());
  const std::lock_guard lock(mutex_);
  std::erase_if(kept_, [&](const Ptr& each) { return each->text() == made->text(); });
  kept_.insert(kept_.begin(), made);
  if (kept_.size() > kMost) kept_.pop_back();
  return made;
}

}  // namespace podium::plugins
