#include "api/values/pod.h"

#include <algorithm>

#include "api/values/decimal.h"

namespace podium::api {

bool Toleration::tolerates(const Taint& taint, bool comparison) const {
  if (effect != TaintEffect::none && effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  switch (op) {
    case Op::equal:
      return value == taint.value;
    case Op::exists:
      return true;
    case Op::lt:
    case Op::gt: {
      const auto limit = decimal_integer(value), amount = decimal_integer(taint.value);
      if (!comparison || !limit || !amount) return false;
      return op == Op::lt ? *amount < *limit : *amount > *limit;
    }
    case Op::other:
      return false;
  }
  return false;
}

const std::optional<std::string>* Pod::claim_name(const PodResourceClaim& entry) const {
  if (entry.claim_name) return &entry.claim_name;
  const auto made = std::ranges::find(resource_claim_statuses, entry.name, &PodResourceClaimStatus::name);
  return made == resource_claim_statuses.end() ? nullptr : &made->claim_name;
}

const PodCondition* Pod::condition(std::string_view type) const {
  const auto at = std::find_if(conditions.begin(), conditions.end(),
                               [&](const PodCondition& condition) { return condition.type == type; });
  return at == conditions.end() ? nullptr : &*at;
}

}  // namespace podium::api
