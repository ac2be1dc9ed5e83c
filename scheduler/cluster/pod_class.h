// PodClass: placed pods with equal namespace, labels and inter-pod affinity terms, counted per node.
//
// A selector is matched once per class instead of once per pod, and a topology count is a walk over the
// class's postings.
// Owner: a Snapshot, whose thread rule applies. Errors: removing an unknown pod aborts.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/pod.h"
#include "scheduler/cluster/class_index.h"
#include "scheduler/cluster/column.h"
#include "scheduler/cluster/cow_map.h"
#include "scheduler/cluster/pod_info.h"

namespace podium::cluster {

struct Posting {
  Row row = 0;
  std::uint32_t pods = 0;         // of this class on that node
  std::uint32_t terminating = 0;  // pods among them with a deletionTimestamp
  bool operator==(const Posting&) const = default;
};

class PodClass {
 public:
  const std::string& namespace_name() const { return sample().meta.namespace_; }
  const api::Labels& labels() const { return sample().meta.labels; }
  const api::PodAffinity& affinity() const { return sample().pod_affinity; }
  const api::PodAffinity& anti_affinity() const { return sample().pod_anti_affinity; }
  std::span<const Posting> postings() const { return postings_; }  // nodes with at least one pod, unordered
  std::uint32_t pods() const { return pods_; }

  // Different lists of postings never have the same stamp, also across classes and forks.
  using Stamp = std::uint64_t;
  Stamp stamp() const { return stamp_; }
  // One pod that was added or removed.
  struct Change {
    Stamp before = 0;  // the stamp that this change replaced
    Row row = 0;
    std::int8_t pods = 0, terminating = 0;  // added
  };
  // The changes since the list had this stamp, oldest first; nullopt: unknown, or too long ago.
  std::optional<std::span<const Change>> changes_since(Stamp stamp) const;

 private:
  friend class PodClassTable;
  static constexpr std::size_t kRecent = 6;  // a pod that is placed and confirmed is three changes
  const api::Pod& sample() const { return *sample_->pod; }
  // Index into postings_; postings_.size() if the row has none.
  std::uint32_t index_of(Row row) const;
  void add(Row row, bool terminating);
  void remove(Row row, bool terminating);
  void note(Row row, std::int8_t pods, bool terminating);

  // Provides labels and terms without a second copy; the pod itself may be gone.
  PodInfoPtr sample_;
  std::vector<Posting> postings_;
  // Row to index into postings_; empty while a linear search is faster.
  boost::unordered_flat_map<Row, std::uint32_t, NumberHash> index_of_row_;
  std::uint32_t pods_ = 0;
  Stamp stamp_ = 0;
  std::array<Change, kRecent> recent_;  // the oldest first; valid from the end on
  std::size_t known_ = 0;               // those that are valid
};

class PodClassTable {
 public:
  using Visit = std::function<void(const PodClass&)>;
  // Calls f for each class that has pods.
  void each(const Visit& f) const;
  void each_in_namespace(std::string_view ns, const Visit& f) const;
  // The classes whose labels match the selector, in one namespace or in all. Uses the index if the
  // selector asks for label values; otherwise visits all of them.
  void each_matching(std::string_view ns, const api::LabelSelector& selector, const Visit& f) const;
  void each_matching(const api::LabelSelector& selector, const Visit& f) const;
  // Candidates: the classes with a term that selects a pod with this namespace and these labels, and maybe
  // others; the caller matches the terms. Either required anti-affinity terms, or the terms that count in
  // the scores of other pods: required affinity and all preferred terms.
  void each_with_required_anti_affinity_for(std::string_view ns, const api::Labels& labels,
                                            const Visit& f) const;
  void each_with_scored_terms_for(std::string_view ns, const api::Labels& labels, const Visit& f) const;

  void add(const PodInfoPtr& pod, Row row);
  void remove(const PodInfo& pod, Row row);  // aborts if the pod is unknown

 private:
  static constexpr std::size_t kChunk = 128;

  ClassId find(const PodInfo& pod) const;  // kNone if unknown
  ClassId make(const PodInfoPtr& pod);
  void drop(ClassId id);

  Column<Cow<PodClass>, kChunk> classes_;
  ClassId limit_ = 0;  // greater than every id
  Cow<std::vector<ClassId>> free_;
  CowIndex<ClassId> ids_;
  ClassIndex by_label_;  // by namespace, by label, and by both
  TermIndex scored_terms_, required_anti_affinity_;
};

// Hash of namespace, labels and inter-pod affinity terms; equal for pods of one class.
std::uint64_t pod_class_hash(const api::Pod& pod);

}  // namespace podium::cluster
