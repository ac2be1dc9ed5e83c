#include "scheduler/plugins/shared/selector_match.h"

#include <algorithm>

#include "scheduler/cluster/snapshot.h"

namespace podium::plugins {

void Selector::add(std::vector<api::Labels::Entry> labels) {
  if (labels.empty()) return;
  // All together: to insert one after the other into the sorted labels would be quadratic.
  std::vector<api::Labels::Entry> all(where_.match_labels.begin(), where_.match_labels.end());
  for (auto& [key, value] : labels) {
    if (where_.match_labels.contains(key))
      where_.match_expressions.push_back({key, api::Requirement::Op::in, {value}});
    else
      all.emplace_back(std::move(key), std::move(value));
  }
  where_.match_labels = api::Labels(std::move(all));
}

void Selector::add(const api::LabelSelector& selector) {
  add(std::vector<api::Labels::Entry>(selector.match_labels.begin(), selector.match_labels.end()));
  where_.match_expressions.insert(where_.match_expressions.end(), selector.match_expressions.begin(),
                                  selector.match_expressions.end());
}

IncomingTerm::IncomingTerm(const api::PodAffinityTerm& term, const api::Pod& owner,
                           const cluster::Snapshot& snapshot)
    : topology_key_(term.topology_key), selector_(term.label_selector) {
  if (term.namespaces.empty() && !term.namespace_selector) namespaces_.push_back(owner.meta.namespace_);
  namespaces_.insert(namespaces_.end(), term.namespaces.begin(), term.namespaces.end());
  if (term.namespace_selector) {
    any_namespace_ = term.namespace_selector->empty();
    if (!any_namespace_) {
      for (const auto& [key, ns] : snapshot.objects().all<api::Namespace>()) {
        if (term.namespace_selector->matches(ns->meta.labels)) namespaces_.push_back(ns->meta.name);
      }
    }
  }
  std::ranges::sort(namespaces_);
  const auto repeated = std::ranges::unique(namespaces_);
  namespaces_.erase(repeated.begin(), repeated.end());
}

bool IncomingTerm::matches(std::string_view ns, const api::Labels& labels) const {
  return (any_namespace_ || std::ranges::binary_search(namespaces_, ns)) && selector_.matches(labels);
}

void IncomingTerm::each_match(const cluster::PodClassTable& classes,
                              const cluster::PodClassTable::Visit& f) const {
  if (any_namespace_) return selector_.each_match(classes, f);
  for (const auto ns : namespaces_) selector_.each_match(classes, ns, f);
}

std::vector<IncomingTerm> incoming_terms(const std::vector<api::PodAffinityTerm>& terms,
                                         const api::Pod& owner, const cluster::Snapshot& snapshot) {
  std::vector<IncomingTerm> result;
  result.reserve(terms.size());
  for (const auto& term : terms) result.emplace_back(term, owner, snapshot);
  return result;
}

bool matches_all(const std::vector<IncomingTerm>& terms, std::string_view ns, const api::Labels& labels) {
  return !terms.empty() &&
         std::ranges::all_of(terms, [&](const auto& term) { return term.matches(ns, labels); });
}

bool existing_term_matches(const api::PodAffinityTerm& term, std::string_view owner_namespace,
                           const api::Pod& incoming, const api::Labels& namespace_labels) {
  const std::string_view ns = incoming.meta.namespace_;
  const bool own = term.namespaces.empty() && !term.namespace_selector && ns == owner_namespace;
  if (!own && std::ranges::find(term.namespaces, ns) == term.namespaces.end() &&
      !(term.namespace_selector && term.namespace_selector->matches(namespace_labels))) {
    return false;
  }
  return term.label_selector && term.label_selector->matches(incoming.meta.labels);
}

const api::Labels& namespace_labels(const cluster::Snapshot& snapshot, std::string_view ns) {
  static const api::Labels none;
  const auto* found = snapshot.objects().find<api::Namespace>("", ns);
  return found ? found->meta.labels : none;
}

}  // namespace podium::plugins
