// ObjectMeta and the selectors: the parts that every kind of object shares.
//
// Plain values; no I/O; safe to share between threads while const. Only fields that podium reads are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace podium::api {

// A small sorted string map. Labels are read far more often than written, and mostly have a handful of
// entries.
class Labels {
 public:
  using Entry = std::pair<std::string, std::string>;

  Labels() = default;
  Labels(std::initializer_list<Entry> entries);
  explicit Labels(std::vector<Entry> entries);  // any order; of equal keys the last one wins

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

// metav1.LabelSelector and the requirement that node selectors share with it. An operator that is not known
// matches nothing; so do Gt and Lt in a LabelSelector, which only node selectors may use.
struct Requirement {
  enum class Op : std::uint8_t { in, not_in, exists, does_not_exist, gt, lt, unknown };
  std::string key;
  Op op = Op::in;
  std::vector<std::string> values;
  bool operator==(const Requirement&) const = default;

  // In and Exists need the label; NotIn and DoesNotExist hold when it is absent; Gt and Lt compare base-10
  // int64 and never hold when either side is no integer. Source: apimachinery labels.Requirement.Matches.
  bool matches(const std::string* value) const;
};

struct LabelSelector {
  Labels match_labels;
  std::vector<Requirement> match_expressions;
  bool operator==(const LabelSelector&) const = default;

  bool empty() const { return match_labels.empty() && match_expressions.empty(); }  // matches everything
  bool matches(const Labels& labels) const;
};

}  // namespace podium::api
