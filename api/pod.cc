#include "api/pod.h"

#include <algorithm>

namespace podium::api {

bool Toleration::tolerates(const Taint& taint) const {
  if (effect != TaintEffect::none && effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  switch (op) {
    case Op::equal:
      return value == taint.value;
    case Op::exists:
      return true;
    case Op::other:
      return false;
  }
  return false;
}

const PodCondition* Pod::condition(std::string_view type) const {
  const auto at = std::find_if(conditions.begin(), conditions.end(),
                               [&](const PodCondition& condition) { return condition.type == type; });
  return at == conditions.end() ? nullptr : &*at;
}

}  // namespace podium::api
