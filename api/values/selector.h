// LabelSelector and its requirements, which node selectors also have.
//
// Threads: values; safe to share while const.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/labels.h"

namespace podium::api {

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

  // `value`: the label's, null if absent. In and Exists need the label; NotIn and DoesNotExist match if it
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
