// PodClass: pods counted by kind rather than one by one.
//
// All placed pods of equal namespace, labels and inter-pod affinity terms are one class; for each class the
// table knows on which nodes how many of them run. A selector is then matched once a class instead of once a
// pod, and a topology count is a walk over the class's postings.
// Threads: part of a Snapshot, with its rules.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/pod.h"
#include "scheduler/cluster/column.h"
#include "scheduler/cluster/cow_map.h"
#include "scheduler/cluster/pod_info.h"

namespace podium::cluster {

using ClassId = std::uint32_t;

struct Posting {
  Row row = 0;
  std::uint32_t pods = 0;         // of this class on that node
  std::uint32_t terminating = 0;  // of those, with a deletionTimestamp
  bool operator==(const Posting&) const = default;
};

class PodClass {
 public:
  const std::string& namespace_name() const { return sample().meta.namespace_; }
  const api::Labels& labels() const { return sample().meta.labels; }
  const api::PodAffinity& affinity() const { return sample().pod_affinity; }
  const api::PodAffinity& anti_affinity() const { return sample().pod_anti_affinity; }
  std::span<const Posting> postings() const { return postings_; }  // nodes with at least one pod, in no order
  std::uint32_t pods() const { return pods_; }
  bool has_affinity() const { return !affinity().empty() || !anti_affinity().empty(); }

 private:
  friend class PodClassTable;
  const api::Pod& sample() const { return *sample_->pod; }
  // Index into postings_, or its size where the row has none.
  std::uint32_t place_of(Row row) const;
  void add(Row row, bool terminating);
  void remove(Row row, bool terminating);

  PodInfoPtr sample_;  // some pod of the class, maybe a former one: its labels and terms are not stored twice
  std::vector<Posting> postings_;
  // From rows to indexes into postings_, once there are too many of them to look through.
  boost::unordered_flat_map<Row, std::uint32_t, NumberHash> place_;
  std::uint32_t pods_ = 0;
};

class PodClassTable {
 public:
  using Visit = std::function<void(const PodClass&)>;
  // f(const PodClass&) for every class that has pods.
  void each(const Visit& f) const;
  // Only the classes of one namespace, or only those with (required anti-)affinity terms of their own.
  void each_in_namespace(std::string_view ns, const Visit& f) const;
  void each_with_affinity(const Visit& f) const;
  void each_with_required_anti_affinity(const Visit& f) const;
  // The same, but may leave out classes none of whose terms can select a pod with these labels.
  void each_with_affinity_for(const api::Labels& labels, const Visit& f) const;
  void each_with_required_anti_affinity_for(const api::Labels& labels, const Visit& f) const;
  // Only the classes of one namespace whose labels the selector matches; does not look at all of them where
  // the selector asks for a label value.
  void each_matching(std::string_view ns, const api::LabelSelector& selector, const Visit& f) const;

  void add(const PodInfoPtr& pod, Row row);
  void remove(const PodInfo& pod, Row row);  // a pod that was added; unknown pods abort (a broken invariant)

 private:
  static constexpr std::size_t kChunk = 128;
  using Ids = std::vector<ClassId>;  // sorted

  ClassId find(const PodInfo& pod) const;  // kNone where there is none
  ClassId make(const PodInfoPtr& pod);
  void drop(ClassId id);
  void visit(const Ids& ids, const Visit& f) const;
  using IdsByLabel = CowMap<std::uint64_t, Ids, NumberHash>;
  void visit_terms(const IdsByLabel& terms, const api::Labels& labels, const Visit& f) const;

  Column<Cow<PodClass>, kChunk> classes_;
  ClassId limit_ = 0;  // every id is below this
  Cow<Ids> free_;
  CowIndex<ClassId> ids_;
  CowMap<std::string, Ids> by_namespace_;
  IdsByLabel by_label_;  // by the hash of namespace, key and value
  Cow<Ids> with_affinity_, with_required_anti_affinity_;
  // By a label that a term of the class asks for, or by kAnyLabels.
  IdsByLabel affinity_terms_, required_anti_affinity_terms_;
};

// Equal for pods of one class.
std::uint64_t pod_class_hash(const api::Pod& pod);

}  // namespace podium::cluster
