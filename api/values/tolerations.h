// Tolerations: which taints a pod tolerates.
//
// Answers as Toleration::tolerates() of any of them. Takes the same time for a taint however many tolerations
// the pod has: a pod may have thousands, and so may a node have taints.
// Threads: values. The pod outlives it. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "api/values/taint.h"
#include "api/values/toleration.h"

namespace podium::api {

class Tolerations {
 public:
  // `comparison`: as for Toleration::tolerates().
  Tolerations(const std::vector<Toleration>& of, bool comparison);

  bool tolerate(const Taint& taint) const;
  // A taint that keeps new pods away, and is not tolerated.
  bool are_kept_away_by(const Taint& taint) const {
    return (taint.effect == TaintEffect::no_schedule || taint.effect == TaintEffect::no_execute) &&
           !tolerate(taint);
  }

 private:
  using Scope = std::pair<std::string_view, TaintEffect>;  // a key and an effect; "" and none: any
  void add(const Toleration& toleration);
  bool in_scope(const Scope& scope, const Taint& taint) const;

  const std::vector<Toleration>& few_;  // those of a usual pod are compared one by one
  const bool comparison_;
  bool is_indexed_ = false;
  std::set<Scope> exists_;
  std::set<std::tuple<std::string_view, TaintEffect, std::string_view>> equal_;
  std::map<Scope, std::int64_t> below_, above_;  // the widest limits of Lt and Gt
};

}  // namespace podium::api
