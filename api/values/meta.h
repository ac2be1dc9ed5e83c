// ObjectMeta, labels and selectors: the parts that all kinds share.
//
// Plain values with the fields that podium reads. Threads: values; safe to share while const.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"

namespace podium::api {

// A sorted vector as a string map: labels are few, and read far more often than written.
class Labels {
 public:
  using Entry = std::pair<std::string, std::string>;

  Labels() = default;
  Labels(std::initializer_list<Entry> entries);
  explicit Labels(std::vector<Entry> entries);  // in any order; of equal keys, the last wins

  const std::string* find(std::string_view key) const;  // null where absent
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  void set(std::string key, std::string value);
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool operator==(const Labels&) const = default;

 private:
  std::vector<Entry> entries_;  // sorted by key, keys unique
};

struct OwnerReference {
  std::string api_version, kind, name, uid;
  bool controller = false;
  bool operator==(const OwnerReference&) const = default;
};

struct ObjectMeta {
  std::string name, namespace_, uid, resource_version;
  std::int64_t generation = 0;
  Labels labels, annotations;
  std::vector<OwnerReference> owners;
  std::optional<Wall> created, deleted;  // creationTimestamp, deletionTimestamp

  const OwnerReference* controller() const;  // the owner with controller: true, or null
  bool operator==(const ObjectMeta&) const = default;
};

// A requirement of a metav1.LabelSelector or a node selector. Unknown operators match nothing; nor do Gt and
// Lt in a LabelSelector, because they are valid in node selectors only.
struct Requirement {
  enum class Op : std::uint8_t { in, not_in, exists, does_not_exist, gt, lt, unknown };
  std::string key;
  Op op = Op::in;
  std::vector<std::string> values;
  bool is_sorted = false;            // the values are in ascending order: see sort_values()
  std::string_view op_text() const;  // as in manifests: "NotIn"; empty: unknown
  bool operator==(const Requirement&) const = default;

  // `value`: the label's, null where absent. In and Exists need the label; NotIn and DoesNotExist match if it
  // is absent; Gt and Lt compare int64 and match only if both sides are decimal integers.
  // Source: apimachinery labels.Requirement.Matches.
  bool matches(const std::string* value) const;
  // Sorts a long list of values. To match it then takes the logarithm of its length: a selector meets each of
  // thousands of pods.
  void sort_values();
};

struct LabelSelector {
  Labels match_labels;
  std::vector<Requirement> match_expressions;
  bool operator==(const LabelSelector&) const = default;

  bool empty() const { return match_labels.empty() && match_expressions.empty(); }  // matches everything
  bool matches(const Labels& labels) const;
};

}  // namespace podium::api
