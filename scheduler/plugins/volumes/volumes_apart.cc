#include "scheduler/plugins/volumes/volumes_apart.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "scheduler/plugins/volumes/claim_lookup.h"
#include "scheduler/plugins/volumes/zone_labels.h"

namespace podium::plugins {
namespace {

// Values by label key.
using Places = std::map<std::string, std::set<std::string>>;

// The labels that every term of the volume's node affinity requires. Terms are ORed.
Places places_of(const std::vector<api::NodeSelectorTerm>& terms) {
  Places out;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    Places of_term;
    for (const auto& each : terms[i].match_expressions) {
      if (each.op == api::Requirement::Op::in)
        of_term[each.key].insert(each.values.begin(), each.values.end());
    }
    if (i == 0) {
      out = std::move(of_term);
      continue;
    }
    std::erase_if(out, [&](const auto& each) { return !of_term.contains(each.first); });
    for (auto& [key, values] : out) values.merge(of_term.at(key));
  }
  return out;
}

Places places_of(const api::PersistentVolume& volume) {
  auto out = volume.node_affinity ? places_of(*volume.node_affinity) : Places();
  for (const auto& [label, values] : topologies_of(volume))
    out.try_emplace(std::string(label.fallback), values.begin(), values.end());
  return out;
}

struct Placed {
  std::string claim, volume;
  Places places;
};

PlacedVolume at(const Placed& placed, const std::string& key) {
  const auto& values = placed.places.at(key);
  return {placed.claim, placed.volume, key, {values.begin(), values.end()}};
}

// The label by which no node reaches both; null: there is none.
const std::string* apart_by(const Places& one, const Places& other) {
  for (const auto& [key, values] : one) {
    const auto same = other.find(key);
    if (same == other.end() || values.empty() || same->second.empty()) continue;
    if (std::ranges::none_of(values, [&](const auto& value) { return same->second.contains(value); }))
      return &key;
  }
  return nullptr;
}

}  // namespace

std::optional<std::pair<PlacedVolume, PlacedVolume>> volumes_apart(const api::Pod& pod,
                                                                   const cluster::Snapshot& snapshot) {
  constexpr std::size_t kMostCompared = 32;
  std::vector<Placed> all;
  for (const auto& each : pod.volumes) {
    if (all.size() == kMostCompared) break;
    const auto name = claim_name(pod, each);
    const auto* claim = name ? find_claim(snapshot, pod, *name) : nullptr;
    const auto* volume =
        claim && !claim->volume_name.empty() ? find_volume(snapshot, claim->volume_name) : nullptr;
    if (!volume) continue;
    Placed placed{*name, volume->meta.name, places_of(*volume)};
    for (const auto& other : all) {
      if (const auto* key = apart_by(other.places, placed.places))
        return std::pair(at(other, *key), at(placed, *key));
    }
    all.push_back(std::move(placed));
  }
  return std::nullopt;
}

}  // namespace podium::plugins
