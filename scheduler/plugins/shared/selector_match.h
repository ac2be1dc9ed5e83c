// Selectors of pods as kube-scheduler matches them: label selectors with their nil and empty forms, and the
// terms of inter-pod affinity with their namespaces.
//
// Made once a decision and matched once a class of pods. Threads: values. Errors: none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/pod.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::plugins {

// labels.Selector of apimachinery: nothing, everything, or requirements that must all hold.
class Selector {
 public:
  Selector() = default;  // everything
  // An absent selector matches nothing, an empty one everything.
  explicit Selector(const std::optional<api::LabelSelector>& selector)
      : nothing_(!selector), where_(selector.value_or(api::LabelSelector{})) {}

  // Narrows a selector; one that matches nothing stays so.
  void add(const std::string& key, const std::string& value);
  void add(const api::LabelSelector& selector);

  bool everything() const { return !nothing_ && where_.empty(); }
  bool matches(const api::Labels& labels) const { return !nothing_ && where_.matches(labels); }
  // f(const PodClass&) for every class of placed pods in the namespace that matches.
  void each_match(const cluster::PodClassTable& classes, std::string_view ns,
                  const cluster::PodClassTable::Visit& f) const {
    if (!nothing_) classes.each_matching(ns, where_, f);
  }
  // The same of all namespaces.
  void each_match(const cluster::PodClassTable& classes, const cluster::PodClassTable::Visit& f) const {
    if (!nothing_) classes.each_matching(where_, f);
  }

 private:
  bool nothing_ = false;
  api::LabelSelector where_;
};

// A term of the pod that is being scheduled; pod and snapshot must outlive it.
//
// kube-scheduler looks up the namespaces that the namespace selector picks and then still matches the
// selector itself, against no labels at all: NotIn and DoesNotExist pick every namespace so. Source:
// plugins/interpodaffinity/plugin.go mergeAffinityTermNamespacesIfNotEmpty, which takes its term by value.
class IncomingTerm {
 public:
  IncomingTerm(const api::PodAffinityTerm& term, const api::Pod& owner, const cluster::Snapshot& snapshot);

  std::string_view topology_key() const { return topology_key_; }
  bool matches(std::string_view ns, const api::Labels& labels) const;
  bool matches(const api::Pod& pod) const { return matches(pod.meta.namespace_, pod.meta.labels); }

  // f(const PodClass&) for every class of placed pods that matches.
  void each_match(const cluster::PodClassTable& classes, const cluster::PodClassTable::Visit& f) const;

 private:
  std::string_view topology_key_;
  Selector selector_;
  bool any_namespace_ = false;
  std::vector<std::string_view> namespaces_;  // sorted, unique
};

std::vector<IncomingTerm> incoming_terms(const std::vector<api::PodAffinityTerm>& terms,
                                         const api::Pod& owner, const cluster::Snapshot& snapshot);
// False where there are no terms.
bool matches_all(const std::vector<IncomingTerm>& terms, std::string_view ns, const api::Labels& labels);

// The other direction: does the term of a pod that runs in `owner_namespace` select the pod that is being
// scheduled? `namespace_labels` are those of that pod's namespace.
bool existing_term_matches(const api::PodAffinityTerm& term, std::string_view owner_namespace,
                           const api::Pod& incoming, const api::Labels& namespace_labels);

// The labels of a namespace; none where it is not known.
const api::Labels& namespace_labels(const cluster::Snapshot& snapshot, std::string_view ns);

}  // namespace podium::plugins
