// ClassIndex and TermIndex: which classes of pods a selector, or the labels of a pod, can lead to.
//
// A place is the hash of a namespace and a label, either of which may be "any". Classes are filed under
// the places of their labels; affinity terms under the places of what they ask for. Two places may share
// a hash, and a selector asks for more than one label, so what is found are candidates: none that matches
// is missing, and the caller matches each.
// Threads: part of a Snapshot, with its rules. Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "api/pod.h"
#include "scheduler/cluster/cow_map.h"

namespace podium::cluster {

using ClassId = std::uint32_t;
using ClassIds = std::vector<ClassId>;  // sorted, unique

using Place = std::uint64_t;
inline constexpr std::uint64_t kAnyNamespace = 0, kAnyLabel = 0;  // in place of a hash

std::uint64_t hash_of_label(std::string_view key, std::string_view value);
inline Place place_of(std::uint64_t ns, std::uint64_t label) { return hash_mix(ns, label); }

class ClassIndex {
 public:
  void insert(Place place, ClassId id);  // an id that is there already stays there once
  void erase(Place place, ClassId id);   // an id that is not there is ignored
  bool empty() const { return ids_.size() == 0; }

  // f(id) for every id that is filed under one of the places, once each and in order.
  template <typename F>
  void each(std::span<const Place> places, F&& f) const {
    const ClassIds* only = nullptr;
    ClassIds several;
    for (const auto place : places) {
      const auto* ids = ids_.find(place);
      if (!ids) continue;
      if (only && several.empty()) several = *only;
      if (only) several.insert(several.end(), ids->begin(), ids->end());
      only = ids;
    }
    if (!several.empty()) {
      std::ranges::sort(several);
      const auto repeated = std::ranges::unique(several);
      several.erase(repeated.begin(), repeated.end());
      only = &several;
    }
    for (std::size_t i = 0; only && i < only->size(); ++i) f((*only)[i]);
  }

  // Every pod of these namespaces that the selector matches has one of the returned places. Of several
  // requirements that name values, the one with the fewest ids under it now; the places of any label
  // where none names values.
  std::vector<Place> narrowest(std::span<const std::uint64_t> namespaces,
                               const api::LabelSelector& selector) const;

 private:
  std::size_t ids_under(std::span<const Place> places) const;

  CowMap<Place, ClassIds, HashOfHash> ids_;
};

class TermIndex {
 public:
  // Files a term of a class whose pods are in `ns`.
  void insert(ClassId id, std::string_view ns, const api::PodAffinityTerm& term);
  // Takes out all terms of a class.
  void erase(ClassId id);
  // f(id) for every class with a term that may select a pod of this namespace with these labels.
  template <typename F>
  void each(std::string_view ns, const api::Labels& labels, F&& f) const {
    if (!index_.empty()) index_.each(places_of(ns, labels), f);
  }

 private:
  static std::vector<Place> places_of(std::string_view ns, const api::Labels& labels);

  ClassIndex index_;
  // Where the terms of a class are filed: which requirement was the narrowest depends on what was there
  // before.
  CowMap<ClassId, std::vector<Place>, NumberHash> places_;
};

}  // namespace podium::cluster
