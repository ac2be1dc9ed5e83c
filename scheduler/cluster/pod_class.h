// PodClass: pods counted by kind rather than one by one.
//
// All placed pods of equal namespace, labels and inter-pod affinity terms are one class; for each class the table knows
// on which nodes how many of them run. A selector is then matched once a class instead of once a pod, and a topology
// count is a walk over the class's postings.
// Threads: part of a Snapshot, with its rules.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "api/pod.h"
#include "scheduler/cluster/column.h"
#include "scheduler/cluster/pod_info.h"

namespace podium::cluster {

using ClassId = std::uint32_t;

struct Posting {
  Row row = 0;
  std::uint32_t pods = 0;         // of this class on that node
  std::uint32_t terminating = 0;  // of those, with a deletionTimestamp
};

class PodClass {
 public:
  const std::string& namespace_name() const { return namespace_; }
  const api::Labels& labels() const { return labels_; }
  const api::PodAffinity& affinity() const { return affinity_; }
  const api::PodAffinity& anti_affinity() const { return anti_affinity_; }
  std::span<const Posting> postings() const { return postings_; }  // nodes with at least one pod, in no order
  std::uint32_t pods() const { return pods_; }
  bool has_affinity() const { return !affinity_.empty() || !anti_affinity_.empty(); }

 private:
  friend class PodClassTable;
  std::string namespace_;
  api::Labels labels_;
  api::PodAffinity affinity_, anti_affinity_;
  std::vector<Posting> postings_;
  boost::unordered_flat_map<Row, std::uint32_t> place_;  // row to its index in postings_
  std::uint32_t pods_ = 0;
};

class PodClassTable {
 public:
  // f(const PodClass&) for every class that has pods.
  void each(const std::function<void(const PodClass&)>& f) const;
  // Only the classes of one namespace, or only those with (required anti-)affinity terms of their own.
  void each_in_namespace(std::string_view ns, const std::function<void(const PodClass&)>& f) const;
  void each_with_affinity(const std::function<void(const PodClass&)>& f) const;
  void each_with_required_anti_affinity(const std::function<void(const PodClass&)>& f) const;

  void add(const api::Pod& pod, Row row);
  void remove(const api::Pod& pod, Row row);  // a pod that was added; unknown pods abort (a broken invariant)

 private:
  struct Key;
  std::vector<Cow<PodClass>> classes_;
  std::vector<ClassId> free_;
  // Indexes from namespace and from (namespace, labels, terms) to ids; see pod_class.cc.
  boost::unordered_flat_map<std::uint64_t, std::vector<ClassId>> by_hash_;
  boost::unordered_flat_map<std::string, std::vector<ClassId>> by_namespace_;
  std::vector<ClassId> with_affinity_, with_required_anti_affinity_;
};

}  // namespace podium::cluster
