// ClassIndex and TermIndex: find the pod classes that a selector, or the labels of a pod, may match.
//
// An IndexKey hashes a namespace and a label; either may be "any". Classes are filed under the keys of
// their labels, affinity terms under the keys of the labels that they select. Keys may collide, and a
// selector has further requirements, so a lookup returns candidates: it never misses a match, and the
// caller checks each candidate.
// Owner: a Snapshot, whose thread rule applies. Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "api/values/pod.h"
#include "base/text_hash.h"
#include "scheduler/cluster/cow_map.h"

namespace podium::cluster {

using ClassId = std::uint32_t;
using ClassIds = std::vector<ClassId>;  // sorted, unique

using IndexKey = std::uint64_t;
inline constexpr std::uint64_t kAnyNamespace = 0, kAnyLabel = 0;  // instead of a hash

std::uint64_t hash_of_label(std::string_view key, std::string_view value);
inline IndexKey index_key(std::uint64_t ns, std::uint64_t label) { return hash_mix(ns, label); }

class ClassIndex {
 public:
  void insert(IndexKey key, ClassId id);  // no effect if present
  void erase(IndexKey key, ClassId id);   // no effect if absent
  bool empty() const { return ids_.size() == 0; }

  // Calls f(id) for each id under any of the keys, once and in ascending order.
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

  // Keys that cover every pod of these namespaces that the selector matches. Uses the requirement on
  // label values (matchLabels, In) with the fewest ids now; without one, the keys of "any label".
  std::vector<IndexKey> narrowest(std::span<const std::uint64_t> namespaces,
                                  const api::LabelSelector& selector) const;

 private:
  std::size_t ids_under(std::span<const IndexKey> keys) const;

  CowMap<IndexKey, ClassIds, HashOfHash> ids_;
};

class TermIndex {
 public:
  // Adds a term of a class whose pods are in namespace `ns`.
  void insert(ClassId id, std::string_view ns, const api::PodAffinityTerm& term);
  // Removes all terms of a class.
  void erase(ClassId id);
  // Calls f(id) for each class with a term that may select a pod with this namespace and these labels.
  template <typename F>
  void each(std::string_view ns, const api::Labels& labels, F&& f) const {
    if (!index_.empty()) index_.each(index_keys(ns, labels), f);
  }

 private:
  static std::vector<IndexKey> index_keys(std::string_view ns, const api::Labels& labels);

  ClassIndex index_;
  // The keys of each class's terms. They cannot be recomputed: narrowest() depends on the index at insertion.
  CowMap<ClassId, std::vector<IndexKey>, NumberHash> keys_;
};

}  // namespace podium::cluster
