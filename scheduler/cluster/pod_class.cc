#include "scheduler/cluster/pod_class.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace podium::cluster {
namespace {

constexpr ClassId kNone = ~ClassId{0};
constexpr std::size_t kLookThrough = 16;  // postings that are quicker to look through than to index

std::uint64_t hash_of(const std::vector<std::string>& texts) {
  std::uint64_t hash = texts.size();
  for (const auto& text : texts) hash = hash_mix(hash, hash_text(text));
  return hash;
}

std::uint64_t hash_of(const api::Labels& labels) {
  std::uint64_t hash = labels.size();
  for (const auto& [key, value] : labels) hash = hash_mix(hash_mix(hash, hash_text(key)), hash_text(value));
  return hash;
}

std::uint64_t hash_of(const std::optional<api::LabelSelector>& selector) {
  if (!selector) return 1;
  auto hash = hash_of(selector->match_labels);
  for (const auto& requirement : selector->match_expressions) {
    hash = hash_mix(hash, hash_text(requirement.key) + static_cast<std::uint64_t>(requirement.op));
    hash = hash_mix(hash, hash_of(requirement.values));
  }
  return hash;
}

std::uint64_t hash_of(const api::PodAffinityTerm& term) {
  auto hash = hash_mix(hash_of(term.label_selector), hash_of(term.namespace_selector));
  hash = hash_mix(hash_mix(hash, hash_of(term.namespaces)), hash_text(term.topology_key));
  return hash_mix(hash, hash_mix(hash_of(term.match_label_keys), hash_of(term.mismatch_label_keys)));
}

std::uint64_t hash_of(const api::PodAffinity& affinity) {
  std::uint64_t hash = affinity.required.size();
  for (const auto& term : affinity.required) hash = hash_mix(hash, hash_of(term));
  for (const auto& [weight, term] : affinity.preferred) {
    hash = hash_mix(hash_mix(hash, static_cast<std::uint64_t>(weight)), hash_of(term));
  }
  return hash;
}

std::uint64_t hash_of_label(std::string_view key, std::string_view value) {
  return hash_mix(hash_text(key), hash_text(value));
}

std::uint64_t hash_of_label(std::string_view ns, std::string_view key, std::string_view value) {
  return hash_mix(hash_text(ns), hash_of_label(key, value));
}

constexpr std::uint64_t kAnyLabels = 0;

// Under which labels to look for a term: every pod that it selects has one of them. Of several, the one with
// the longest value, which is more likely the name of something than its kind.
template <typename F>
void each_anchor(const api::PodAffinityTerm& term, F&& f) {
  if (!term.label_selector) return;  // selects nothing
  const auto& labels = term.label_selector->match_labels;
  if (!labels.empty()) {
    const auto length = [](const auto& label) { return label.second.size(); };
    const auto& [key, value] = *std::ranges::max_element(labels, {}, length);
    return f(hash_of_label(key, value));
  }
  for (const auto& requirement : term.label_selector->match_expressions) {
    if (requirement.op != api::Requirement::Op::in) continue;
    for (const auto& value : requirement.values) f(hash_of_label(requirement.key, value));
    return;
  }
  f(kAnyLabels);
}

template <typename F>
void each_anchor(const api::Pod& pod, F&& f) {
  for (const auto* affinity : {&pod.pod_affinity, &pod.pod_anti_affinity}) {
    for (const auto& term : affinity->required) each_anchor(term, f);
    for (const auto& preferred : affinity->preferred) each_anchor(preferred.term, f);
  }
}

bool same_class(const api::Pod& a, const api::Pod& b) {
  return a.meta.namespace_ == b.meta.namespace_ && a.meta.labels == b.meta.labels &&
         a.pod_affinity == b.pod_affinity && a.pod_anti_affinity == b.pod_anti_affinity;
}

void insert(std::vector<ClassId>& ids, ClassId id) {
  const auto it = std::ranges::lower_bound(ids, id);
  if (it == ids.end() || *it != id) ids.insert(it, id);
}

void erase(std::vector<ClassId>& ids, ClassId id) {
  const auto it = std::ranges::lower_bound(ids, id);
  if (it != ids.end() && *it == id) ids.erase(it);
}

template <typename Key, typename Hash, typename K>
void erase(CowMap<Key, std::vector<ClassId>, Hash>& index, const K& key, ClassId id) {
  auto* ids = index.find_for_write(key);
  if (!ids) return;
  erase(*ids, id);
  if (ids->empty()) index.erase(key);
}

}  // namespace

std::uint64_t pod_class_hash(const api::Pod& pod) {
  auto hash = hash_mix(hash_text(pod.meta.namespace_), hash_of(pod.meta.labels));
  if (!pod.pod_affinity.empty()) hash = hash_mix(hash, hash_of(pod.pod_affinity));
  if (!pod.pod_anti_affinity.empty()) hash = hash_mix(hash + 1, hash_of(pod.pod_anti_affinity));
  return hash;
}

std::uint32_t PodClass::place_of(Row row) const {
  if (!place_.empty()) {
    const auto it = place_.find(row);
    return it == place_.end() ? postings_.size() : it->second;
  }
  return std::ranges::find(postings_, row, &Posting::row) - postings_.begin();
}

void PodClass::add(Row row, bool terminating) {
  const auto place = place_of(row);
  if (place == postings_.size()) {
    postings_.push_back({.row = row});
    if (!place_.empty()) {
      place_.emplace(row, place);
    } else if (postings_.size() > kLookThrough) {
      for (std::uint32_t i = 0; i < postings_.size(); ++i) place_.emplace(postings_[i].row, i);
    }
  }
  ++postings_[place].pods;
  postings_[place].terminating += terminating;
  ++pods_;
}

void PodClass::remove(Row row, bool terminating) {
  const auto place = place_of(row);
  if (place == postings_.size()) std::abort();
  auto& posting = postings_[place];
  posting.terminating -= terminating;
  --pods_;
  if (--posting.pods > 0) return;
  posting = postings_.back();
  postings_.pop_back();
  if (place_.empty()) return;
  if (place < postings_.size()) place_[postings_[place].row] = place;
  place_.erase(row);
  // Half of what made the index worth having, so that a class at the edge does not build it again and again.
  if (postings_.size() <= kLookThrough / 2) place_ = {};
}

ClassId PodClassTable::find(const PodInfo& pod) const {
  const auto same = [&](ClassId known) { return same_class(classes_[known]->sample(), *pod); };
  const auto* id = ids_.find(pod.class_hash, same);
  return id ? *id : kNone;
}

ClassId PodClassTable::make(const PodInfoPtr& pod) {
  ClassId id = limit_;
  if (free_->empty()) {
    classes_.grow_to(++limit_);
  } else {
    id = free_->back();
    free_.write().pop_back();
  }
  auto& fresh = classes_.write(id).write();
  fresh.sample_ = pod;
  ids_.insert(pod->class_hash, id);

  const auto& meta = pod->pod->meta;
  insert(by_namespace_[meta.namespace_], id);
  for (const auto& [key, value] : meta.labels) {
    insert(by_label_[hash_of_label(meta.namespace_, key, value)], id);
  }
  if (!fresh.has_affinity()) return id;
  insert(with_affinity_.write(), id);
  each_anchor(*pod->pod, [&](std::uint64_t label) { insert(affinity_terms_[label], id); });
  if (fresh.anti_affinity().required.empty()) return id;
  insert(with_required_anti_affinity_.write(), id);
  for (const auto& term : fresh.anti_affinity().required) {
    each_anchor(term, [&](std::uint64_t label) { insert(required_anti_affinity_terms_[label], id); });
  }
  return id;
}

void PodClassTable::drop(ClassId id) {
  const auto gone = classes_[id];
  ids_.erase(gone->sample_->class_hash, id);
  const auto& meta = gone->sample().meta;
  erase(by_namespace_, meta.namespace_, id);
  for (const auto& [key, value] : meta.labels) {
    erase(by_label_, hash_of_label(meta.namespace_, key, value), id);
  }
  if (gone->has_affinity()) {
    erase(with_affinity_.write(), id);
    each_anchor(gone->sample(), [&](std::uint64_t label) { erase(affinity_terms_, label, id); });
  }
  if (!gone->anti_affinity().required.empty()) erase(with_required_anti_affinity_.write(), id);
  for (const auto& term : gone->anti_affinity().required) {
    each_anchor(term, [&](std::uint64_t label) { erase(required_anti_affinity_terms_, label, id); });
  }
  classes_.write(id) = {};
  free_.write().push_back(id);
}

void PodClassTable::add(const PodInfoPtr& pod, Row row) {
  auto id = find(*pod);
  if (id == kNone) id = make(pod);
  auto& to = classes_.write(id).write();
  // A pod that is being replaced: its former version should not live on as the sample.
  if (to.sample_->uid_hash == pod->uid_hash) to.sample_ = pod;
  to.add(row, (*pod)->terminating());
}

void PodClassTable::remove(const PodInfo& pod, Row row) {
  const auto id = find(pod);
  if (id == kNone) std::abort();
  auto& from = classes_.write(id).write();
  from.remove(row, pod->terminating());
  if (from.pods() == 0) drop(id);
}

void PodClassTable::visit(const Ids& ids, const Visit& f) const {
  for (const auto id : ids) f(*classes_[id]);
}

void PodClassTable::each(const Visit& f) const {
  for (ClassId id = 0; id < limit_; ++id) {
    if (classes_[id]->pods() > 0) f(*classes_[id]);
  }
}

void PodClassTable::each_in_namespace(std::string_view ns, const Visit& f) const {
  if (const auto* ids = by_namespace_.find(ns)) visit(*ids, f);
}

void PodClassTable::each_with_affinity(const Visit& f) const { visit(*with_affinity_, f); }

void PodClassTable::each_with_required_anti_affinity(const Visit& f) const {
  visit(*with_required_anti_affinity_, f);
}

void PodClassTable::visit_terms(const IdsByLabel& terms, const api::Labels& labels, const Visit& f) const {
  Ids found;
  const auto look_under = [&](std::uint64_t label) {
    if (const auto* ids = terms.find(label)) found.insert(found.end(), ids->begin(), ids->end());
  };
  look_under(kAnyLabels);
  for (const auto& [key, value] : labels) look_under(hash_of_label(key, value));
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  visit(found, f);
}

void PodClassTable::each_with_affinity_for(const api::Labels& labels, const Visit& f) const {
  visit_terms(affinity_terms_, labels, f);
}

void PodClassTable::each_with_required_anti_affinity_for(const api::Labels& labels, const Visit& f) const {
  visit_terms(required_anti_affinity_terms_, labels, f);
}

void PodClassTable::each_matching(std::string_view ns, const api::LabelSelector& selector,
                                  const Visit& f) const {
  const auto* candidates = by_namespace_.find(ns);
  const auto narrow = [&](std::string_view key, std::string_view value) {
    if (!candidates) return;
    const auto* ids = by_label_.find(hash_of_label(ns, key, value));
    if (!ids || ids->size() < candidates->size()) candidates = ids;
  };
  for (const auto& [key, value] : selector.match_labels) narrow(key, value);
  for (const auto& requirement : selector.match_expressions) {
    if (requirement.op == api::Requirement::Op::in && requirement.values.size() == 1) {
      narrow(requirement.key, requirement.values.front());
    }
  }
  if (!candidates) return;
  // Two labels may share a hash, so the namespace is looked at again.
  visit(*candidates, [&](const PodClass& c) {
    if (c.namespace_name() == ns && selector.matches(c.labels())) f(c);
  });
}

}  // namespace podium::cluster
