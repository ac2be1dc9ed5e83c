// ClassIndex and TermIndex: which classes of pods a selector, or the labels of a pod, can lead to.
//
// A key is the hash of a namespace and a label, either of which may be "any". Classes are filed under
// the keys of their labels; affinity terms under the keys of what they ask for. Two keys may share
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

using IndexKey = std::uint64_t;
inline constexpr std::uint64_t kAnyNamespace = 0, kAnyLabel = 0;  // in key of a hash

std::uint64_t hash_of_label(std::string_view key, std::string_view value);
inline IndexKey index_key(std::uint64_t ns, std::uint64_t label) { return hash_mix(ns, label); }

class ClassIndex {
 public:
  void insert(IndexKey key, ClassId id);  // an id that is there already stays there once
  void erase(IndexKey key, ClassId id);   // an id that is not there is ignored
  bool empty() const { return ids_.size() == 0; }

  // f(id) for every id that is filed under one of the keys, once each and in order.
  template <typename F>
  void each(std::span<const IndexKey> keys, F&& f) const {
    const ClassIds* only = nullptr;
    ClassIds several;
    for (const auto key : keys) {
      const auto* ids = ids_.find(key);
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

  // Every pod of these namespaces that the selector matches has one of the returned keys. Of several
  // requirements that name values, the one with the fewest ids under it now; the keys of any label
  // where none names values.
  std::vector<IndexKey> narrowest(std::span<const std::uint64_t> namespaces,
                                  const api::LabelSelector& selector) const;

 private:
  std::size_t ids_under(std::span<const IndexKey> keys) const;

  CowMap<IndexKey, ClassIds, HashOfHash> ids_;
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
    if (!index_.empty()) index_.each(index_keys(ns, labels), f);
  }

 private:
  static std::vector<IndexKey> index_keys(std::string_view ns, const api::Labels& labels);

  ClassIndex index_;
  // Where the terms of a class are filed: which requirement was the narrowest depends on what was there
  // before.
  CowMap<ClassId, std::vector<IndexKey>, NumberHash> keys_;
};

}  // namespace podium::cluster
