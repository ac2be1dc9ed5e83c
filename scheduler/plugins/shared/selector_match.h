// Pod selectors as kube-scheduler matches them: label selectors with their nil and empty forms, and inter-pod
// affinity terms with their namespaces.
//
// Built once per decision and matched once per pod class. Threads: values. Errors: none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/pod.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::plugins {

// labels.Selector of apimachinery: matches nothing, everything, or by requirements that are ANDed.
class Selector {
 public:
  Selector() = default;  // everything
  // An absent selector matches nothing, an empty one everything.
  explicit Selector(const std::optional<api::LabelSelector>& selector)
      : nothing_(!selector), where_(selector.value_or(api::LabelSelector{})) {}

  // Adds requirements. A selector that matches nothing still matches nothing.
  void add(std::vector<api::Labels::Entry> labels);
  void add(const api::LabelSelector& selector);

  // Null if it matches nothing.
  const api::LabelSelector* where() const { return nothing_ ? nullptr : &where_; }
  bool everything() const { return !nothing_ && where_.empty(); }
  bool matches(const api::Labels& labels) const { return !nothing_ && where_.matches(labels); }
  // Calls f(const PodClass&) for every matching class of placed pods in the namespace.
  void each_match(const cluster::PodClassTable& classes, std::string_view ns,
                  const cluster::PodClassTable::Visit& f) const {
    if (!nothing_) classes.each_matching(ns, where_, f);
  }
  // The same in all namespaces.
  void each_match(const cluster::PodClassTable& classes, const cluster::PodClassTable::Visit& f) const {
    if (!nothing_) classes.each_matching(where_, f);
  }

 private:
  bool nothing_ = false;
  api::LabelSelector where_;
};

// An affinity term of the pod that is being scheduled; pod and snapshot must outlive it.
// The namespace selector is resolved to the namespaces that exist; an empty one selects any.
// Source: plugins/interpodaffinity/plugin.go mergeAffinityTermNamespacesIfNotEmpty.
class IncomingTerm {
 public:
  IncomingTerm(const api::PodAffinityTerm& term, const api::Pod& owner, const cluster::Snapshot& snapshot);

  std::string_view topology_key() const { return topology_key_; }
  const Selector& selector() const { return selector_; }
  bool matches(std::string_view ns, const api::Labels& labels) const;
  bool matches(const api::Pod& pod) const { return matches(pod.meta.namespace_, pod.meta.labels); }

  // Calls f(const PodClass&) for every matching class of placed pods.
  void each_match(const cluster::PodClassTable& classes, const cluster::PodClassTable::Visit& f) const;

 private:
  std::string_view topology_key_;
  Selector selector_;
  bool any_namespace_ = false;
  std::vector<std::string_view> namespaces_;  // sorted, unique
};

std::vector<IncomingTerm> incoming_terms(const std::vector<api::PodAffinityTerm>& terms,
                                         const api::Pod& owner, const cluster::Snapshot& snapshot);
// True if every term matches; false if there are no terms.
bool matches_all(const std::vector<IncomingTerm>& terms, std::string_view ns, const api::Labels& labels);

// The reverse direction: true if a term of a placed pod in `owner_namespace` selects the incoming pod.
// `namespace_labels` are the labels of the incoming pod's namespace.
bool existing_term_matches(const api::PodAffinityTerm& term, std::string_view owner_namespace,
                           const api::Pod& incoming, const api::Labels& namespace_labels);

// The labels of a namespace; empty if the namespace is unknown.
const api::Labels& namespace_labels(const cluster::Snapshot& snapshot, std::string_view ns);

}  // namespace podium::plugins
