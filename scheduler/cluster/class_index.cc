#include "scheduler/cluster/class_index.h"

#include <algorithm>
#include <optional>

#include "base/text_hash.h"

namespace podium::cluster {
namespace {

// Bound the cost of one term: a requirement with more values is not used, more namespaces count as any.
constexpr std::size_t kMaxValues = 16, kMaxNamespaces = 16;

// The namespaces in which a term of a pod in `owner` selects.
std::vector<std::uint64_t> namespaces_of(const api::PodAffinityTerm& term, std::string_view owner) {
  if (term.namespace_selector || term.namespaces.size() > kMaxNamespaces) return {kAnyNamespace};
  if (term.namespaces.empty()) return {hash_text(owner)};
  std::vector<std::uint64_t> hashes;
  for (const auto& ns : term.namespaces) hashes.push_back(hash_text(ns));
  return hashes;
}

}  // namespace

std::uint64_t hash_of_label(std::string_view key, std::string_view value) {
  return hash_mix(hash_text(key), hash_text(value));
}

void ClassIndex::insert(IndexKey key, ClassId id) {
  auto& ids = ids_[key];
  const auto it = std::ranges::lower_bound(ids, id);
  if (it == ids.end() || *it != id) ids.insert(it, id);
}

void ClassIndex::erase(IndexKey key, ClassId id) {
  auto* ids = ids_.find_for_write(key);
  if (!ids) return;
  const auto it = std::ranges::lower_bound(*ids, id);
  if (it != ids->end() && *it == id) ids->erase(it);
  if (ids->empty()) ids_.erase(key);
}

std::size_t ClassIndex::ids_under(std::span<const IndexKey> keys) const {
  std::size_t count = 0;
  for (const auto key : keys) {
    if (const auto* ids = ids_.find(key)) count += ids->size();
  }
  return count;
}

std::vector<IndexKey> ClassIndex::narrowest(std::span<const std::uint64_t> namespaces,
                                            const api::LabelSelector& selector) const {
  std::optional<std::vector<IndexKey>> best;
  std::size_t fewest = 0;
  const auto consider = [&](std::string_view key, std::span<const std::string> values) {
    std::vector<IndexKey> keys;
    keys.reserve(namespaces.size() * values.size());
    for (const auto& value : values) {
      const auto label = hash_of_label(key, value);
      for (const auto ns : namespaces) keys.push_back(index_key(ns, label));
    }
    // Each key costs a lookup, so one empty key beats several.
    const auto cost = ids_under(keys) + keys.size();
    if (best && cost >= fewest) return;
    best = std::move(keys);
    fewest = cost;
  };
  for (const auto& [key, value] : selector.match_labels) consider(key, {&value, 1});
  for (const auto& requirement : selector.match_expressions) {
    if (requirement.op == api::Requirement::Op::in && requirement.values.size() <= kMaxValues)
      consider(requirement.key, requirement.values);
  }
  if (best) return *std::move(best);
  std::vector<IndexKey> keys;
  for (const auto ns : namespaces) keys.push_back(index_key(ns, kAnyLabel));
  return keys;
}

void TermIndex::insert(ClassId id, std::string_view ns, const api::PodAffinityTerm& term) {
  if (!term.label_selector) return;  // selects nothing
  const auto keys = index_.narrowest(namespaces_of(term, ns), *term.label_selector);
  for (const auto key : keys) index_.insert(key, id);
  auto& all = keys_[id];
  all.insert(all.end(), keys.begin(), keys.end());
}

void TermIndex::erase(ClassId id) {
  const auto* keys = keys_.find(id);
  if (!keys) return;
  for (const auto key : *keys) index_.erase(key, id);
  keys_.erase(id);
}

std::vector<IndexKey> TermIndex::index_keys(std::string_view ns, const api::Labels& labels) {
  std::vector<IndexKey> keys;
  keys.reserve(2 * (labels.size() + 1));
  const auto add = [&, own = hash_text(ns)](std::uint64_t label) {
    keys.push_back(index_key(own, label));
    keys.push_back(index_key(kAnyNamespace, label));
  };
  add(kAnyLabel);
  for (const auto& [key, value] : labels) add(hash_of_label(key, value));
  return keys;
}

}  // namespace podium::cluster
