// Toleration: a pod tolerates the taints that match it.
#pragma once

#include <cstdint>
#include <string>

#include "api/values/taint.h"

namespace podium::api {

struct Toleration {
  enum class Op : std::uint8_t { equal, exists, lt, gt, other };
  std::string key, value;
  Op op = Op::equal;
  TaintEffect effect = TaintEffect::none;  // none: every effect
  bool operator==(const Toleration&) const = default;
  // Lt and Gt compare integers, only with `comparison` (feature TaintTolerationComparisonOperators).
  // Source: k8s.io/api core/v1 Toleration.ToleratesTaint.
  bool tolerates(const Taint&, bool comparison = false) const;
};

}  // namespace podium::api
