#include "scheduler/cluster/class_index.h"

#include <algorithm>
#include <optional>

namespace podium::cluster {
namespace {

// Bounds what one term costs: a requirement with more values does not narrow, more namespaces count as any.
constexpr std::size_t kMostValues = 16, kMostNamespaces = 16;

// The namespaces in which a term of a pod in `owner` selects.
std::vector<std::uint64_t> namespaces_of(const api::PodAffinityTerm& term, std::string_view owner) {
  if (term.namespace_selector || term.namespaces.size() > kMostNamespaces) return {kAnyNamespace};
  if (term.namespaces.empty()) return {hash_text(owner)};
  std::vector<std::uint64_t> hashes;
  for (const auto& ns : term.namespaces) hashes.push_back(hash_text(ns));
  return hashes;
}

}  // namespace

std::uint64_t hash_of_label(std::string_view key, std::string_view value) {
  return hash_mix(hash_text(key), hash_text(value));
}

void ClassIndex::insert(Place place, ClassId id) {
  auto& ids = ids_[place];
  const auto it = std::ranges::lower_bound(ids, id);
  if (it == ids.end() || *it != id) ids.insert(it, id);
}

void ClassIndex::erase(Place place, ClassId id) {
  auto* ids = ids_.find_for_write(place);
  if (!ids) return;
  const auto it = std::ranges::lower_bound(*ids, id);
  if (it != ids->end() && *it == id) ids->erase(it);
  if (ids->empty()) ids_.erase(place);
}

std::size_t ClassIndex::ids_under(std::span<const Place> places) const {
  std::size_t count = 0;
  for (const auto place : places) {
    if (const auto* ids = ids_.find(place)) count += ids->size();
  }
  return count;
}

std::vector<Place> ClassIndex::narrowest(std::span<const std::uint64_t> namespaces,
                                         const api::LabelSelector& selector) const {
  std::optional<std::vector<Place>> best;
  std::size_t fewest = 0;
  const auto consider = [&](std::string_view key, std::span<const std::string> values) {
    std::vector<Place> places;
    places.reserve(namespaces.size() * values.size());
    for (const auto& value : values) {
      const auto label = hash_of_label(key, value);
      for (const auto ns : namespaces) places.push_back(place_of(ns, label));
    }
    // Each place counts too, so that one is preferred to several that are empty.
    const auto cost = ids_under(places) + places.size();
    if (best && cost >= fewest) return;
    best = std::move(places);
    fewest = cost;
  };
  for (const auto& [key, value] : selector.match_labels) consider(key, {&value, 1});
  for (const auto& requirement : selector.match_expressions) {
    if (requirement.op == api::Requirement::Op::in && requirement.values.size() <= kMostValues)
      consider(requirement.key, requirement.values);
  }
  if (best) return *std::move(best);
  std::vector<Place> places;
  for (const auto ns : namespaces) places.push_back(place_of(ns, kAnyLabel));
  return places;
}

void TermIndex::insert(ClassId id, std::string_view ns, const api::PodAffinityTerm& term) {
  if (!term.label_selector) return;  // selects nothing
  const auto places = index_.narrowest(namespaces_of(term, ns), *term.label_selector);
  for (const auto place : places) index_.insert(place, id);
  auto& all = places_[id];
  all.insert(all.end(), places.begin(), places.end());
}

void TermIndex::erase(ClassId id) {
  const auto* places = places_.find(id);
  if (!places) return;
  for (const auto place : *places) index_.erase(place, id);
  places_.erase(id);
}

std::vector<Place> TermIndex::places_of(std::string_view ns, const api::Labels& labels) {
  std::vector<Place> places;
  places.reserve(2 * (labels.size() + 1));
  const auto add = [&, own = hash_text(ns)](std::uint64_t label) {
    places.push_back(place_of(own, label));
    places.push_back(place_of(kAnyNamespace, label));
  };
  add(kAnyLabel);
  for (const auto& [key, value] : labels) add(hash_of_label(key, value));
  return places;
}

}  // namespace podium::cluster
