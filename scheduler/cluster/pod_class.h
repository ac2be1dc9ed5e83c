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
#include "scheduler/cluster/class_index.h"
#include "scheduler/cluster/column.h"
#include "scheduler/cluster/cow_map.h"
#include "scheduler/cluster/pod_info.h"

namespace podium::cluster {

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

 private:
  friend class PodClassTable;
  const api::Pod& sample() const { return *sample_->pod; }
  // Index into postings_, or its size where the row has none.
  std::uint32_t index_of(Row row) const;
  void add(Row row, bool terminating);
  void remove(Row row, bool terminating);

  PodInfoPtr sample_;  // some pod of the class, maybe a former one: its labels and terms are not stored twice
  std::vector<Posting> postings_;
  // From rows to indexes into postings_, once there are too many of them to look through.
  boost::unordered_flat_map<Row, std::uint32_t, NumberHash> index_of_row_;
  std::uint32_t pods_ = 0;
};

class PodClassTable {
 public:
  using Visit = std::function<void(const PodClass&)>;
  // f(const PodClass&) for every class that has pods.
  void each(const Visit& f) const;
  void each_in_namespace(std::string_view ns, const Visit& f) const;
  // Only the classes whose labels the selector matches, of one namespace or of all. Does not look at all
  // of them where the selector asks for values of a label.
  void each_matching(std::string_view ns, const api::LabelSelector& selector, const Visit& f) const;
  void each_matching(const api::LabelSelector& selector, const Visit& f) const;
  // The classes with a term that selects a pod of this namespace with these labels, and maybe others,
  // whose terms the caller matches: a required anti-affinity term; or one that counts in the scores of
  // other pods, which are required affinity and all preferred ones.
  void each_with_required_anti_affinity_for(std::string_view ns, const api::Labels& labels,
                                            const Visit& f) const;
  void each_with_scored_terms_for(std::string_view ns, const api::Labels& labels, const Visit& f) const;

  void add(const PodInfoPtr& pod, Row row);
  void remove(const PodInfo& pod, Row row);  // a pod that was added; unknown pods abort (a broken invariant)

 private:
  static constexpr std::size_t kChunk = 128;

  ClassId find(const PodInfo& pod) const;  // kNone where there is none
  ClassId make(const PodInfoPtr& pod);
  void drop(ClassId id);

  Column<Cow<PodClass>, kChunk> classes_;
  ClassId limit_ = 0;  // every id is below this
  Cow<std::vector<ClassId>> free_;
  CowIndex<ClassId> ids_;
  ClassIndex by_label_;  // by namespace, by label, and by both
  TermIndex scored_terms_, required_anti_affinity_;
};

// Equal for pods of one class.
std::uint64_t pod_class_hash(const api::Pod& pod);

}  // namespace podium::cluster
