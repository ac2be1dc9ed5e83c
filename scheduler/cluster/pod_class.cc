#include "scheduler/cluster/pod_class.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "base/check.h"
#include "base/text_hash.h"

namespace podium::cluster {
namespace {

constexpr ClassId kNone = ~ClassId{0};
constexpr std::size_t kLinearSearchLimit = 16;  // postings for which a linear search beats an index

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

bool same_class(const api::Pod& a, const api::Pod& b) {
  return a.meta.namespace_ == b.meta.namespace_ && a.meta.labels == b.meta.labels &&
         a.pod_affinity == b.pod_affinity && a.pod_anti_affinity == b.pod_anti_affinity;
}

// The index keys of the pod's class.
template <typename F>
void each_index_key(const api::Pod& pod, F&& f) {
  const auto ns = hash_text(pod.meta.namespace_);
  f(index_key(ns, kAnyLabel));
  for (const auto& [key, value] : pod.meta.labels) {
    const auto label = hash_of_label(key, value);
    f(index_key(ns, label));
    f(index_key(kAnyNamespace, label));
  }
}

// The terms that count in the scores of other pods.
template <typename F>
void each_scored_term(const api::Pod& pod, F&& f) {
  for (const auto& term : pod.pod_affinity.required) f(term);
  for (const auto& [weight, term] : pod.pod_affinity.preferred) f(term);
  for (const auto& [weight, term] : pod.pod_anti_affinity.preferred) f(term);
}

}  // namespace

std::uint64_t pod_class_hash(const api::Pod& pod) {
  auto hash = hash_mix(hash_text(pod.meta.namespace_), hash_of(pod.meta.labels));
  if (!pod.pod_affinity.empty()) hash = hash_mix(hash, hash_of(pod.pod_affinity));
  if (!pod.pod_anti_affinity.empty()) hash = hash_mix(hash + 1, hash_of(pod.pod_anti_affinity));
  return hash;
}

std::uint32_t PodClass::index_of(Row row) const {
  if (!index_of_row_.empty()) {
    const auto it = index_of_row_.find(row);
    return it == index_of_row_.end() ? postings_.size() : it->second;
  }
  return std::ranges::find(postings_, row, &Posting::row) - postings_.begin();
}

void PodClass::add(Row row, bool terminating) {
  const auto index = index_of(row);
  if (index == postings_.size()) {
    postings_.push_back({.row = row});
    if (!index_of_row_.empty()) {
      index_of_row_.emplace(row, index);
    } else if (postings_.size() > kLinearSearchLimit) {
      for (std::uint32_t i = 0; i < postings_.size(); ++i) index_of_row_.emplace(postings_[i].row, i);
    }
  }
  note(row, 1, terminating);
  ++postings_[index].pods;
  postings_[index].terminating += terminating;
  ++pods_;
}

void PodClass::remove(Row row, bool terminating) {
  const auto index = index_of(row);
  PODIUM_CHECK(index < postings_.size(), row);
  note(row, -1, terminating);
  auto& posting = postings_[index];
  posting.terminating -= terminating;
  --pods_;
  if (--posting.pods > 0) return;
  posting = postings_.back();
  postings_.pop_back();
  if (index_of_row_.empty()) return;
  if (index < postings_.size()) index_of_row_[postings_[index].row] = index;
  index_of_row_.erase(row);
  // Hysteresis: a class whose size is near the limit does not rebuild its index on every change.
  if (postings_.size() <= kLinearSearchLimit / 2) index_of_row_ = {};
}

void PodClass::note(Row row, std::int8_t pods, bool terminating) {
  static std::atomic<Stamp> last = 0;  // of all lists: forks are written on other threads
  std::ranges::move(recent_.begin() + 1, recent_.end(), recent_.begin());
  recent_.back() = {stamp_, row, pods, static_cast<std::int8_t>(terminating ? pods : 0)};
  known_ = std::min(known_ + 1, kRecent);
  stamp_ = last.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::optional<std::span<const PodClass::Change>> PodClass::changes_since(Stamp stamp) const {
  const std::span all(recent_);
  if (stamp == stamp_) return all.last(0);
  for (std::size_t count = 1; count <= known_; ++count) {
    if (all[kRecent - count].before == stamp) return all.last(count);
  }
  return std::nullopt;
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

  each_index_key(*pod->pod, [&](IndexKey key) { by_label_.insert(key, id); });
  each_scored_term(*pod->pod, [&](const api::PodAffinityTerm& term) {
    scored_terms_.insert(id, fresh.namespace_name(), term);
  });
  for (const auto& term : fresh.anti_affinity().required)
    required_anti_affinity_.insert(id, fresh.namespace_name(), term);
  return id;
}

void PodClassTable::drop(ClassId id) {
  const auto gone = classes_[id];
  ids_.erase(gone->sample_->class_hash, id);
  each_index_key(gone->sample(), [&](IndexKey key) { by_label_.erase(key, id); });
  scored_terms_.erase(id);
  required_anti_affinity_.erase(id);
  classes_.write(id) = {};
  free_.write().push_back(id);
}

void PodClassTable::add(const PodInfoPtr& pod, Row row) {
  auto id = find(*pod);
  if (id == kNone) id = make(pod);
  auto& to = classes_.write(id).write();
  // The pod replaces an older version of itself; do not keep that one alive as the sample.
  if (to.sample_->uid_hash == pod->uid_hash) to.sample_ = pod;
  to.add(row, (*pod)->terminating());
}

void PodClassTable::remove(const PodInfo& pod, Row row) {
  const auto id = find(pod);
  PODIUM_CHECK(id != kNone, pod->full_name(), row);
  auto& from = classes_.write(id).write();
  from.remove(row, pod->terminating());
  if (from.pods() == 0) drop(id);
}

void PodClassTable::each(const Visit& f) const {
  for (ClassId id = 0; id < limit_; ++id) {
    if (classes_[id]->pods() > 0) f(*classes_[id]);
  }
}

void PodClassTable::each_in_namespace(std::string_view ns, const Visit& f) const { each_matching(ns, {}, f); }

void PodClassTable::each_with_scored_terms_for(std::string_view ns, const api::Labels& labels,
                                               const Visit& f) const {
  scored_terms_.each(ns, labels, [&](ClassId id) { f(*classes_[id]); });
}

void PodClassTable::each_with_required_anti_affinity_for(std::string_view ns, const api::Labels& labels,
                                                         const Visit& f) const {
  required_anti_affinity_.each(ns, labels, [&](ClassId id) { f(*classes_[id]); });
}

void PodClassTable::each_matching(std::string_view ns, const api::LabelSelector& selector,
                                  const Visit& f) const {
  const auto hash = hash_text(ns);
  by_label_.each(by_label_.narrowest({&hash, 1}, selector), [&](ClassId id) {
    const auto& c = *classes_[id];
    if (c.namespace_name() == ns && selector.matches(c.labels())) f(c);
  });
}

void PodClassTable::each_matching(const api::LabelSelector& selector, const Visit& f) const {
  const auto any = kAnyNamespace;
  const auto keys = by_label_.narrowest({&any, 1}, selector);
  const auto visit = [&](const PodClass& c) {
    if (selector.matches(c.labels())) f(c);
  };
  // No class is filed under (any namespace, any label).
  if (keys == std::vector{index_key(kAnyNamespace, kAnyLabel)}) return each(visit);
  by_label_.each(keys, [&](ClassId id) { visit(*classes_[id]); });
}

}  // namespace podium::cluster
