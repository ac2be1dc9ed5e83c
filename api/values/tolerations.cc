#include "api/values/tolerations.h"

#include <algorithm>

#include "api/values/decimal.h"

namespace podium::api {
namespace {

constexpr std::size_t kFew = 16;

}  // namespace

Tolerations::Tolerations(const std::vector<Toleration>& of, bool comparison)
    : few_(of), comparison_(comparison), is_indexed_(of.size() > kFew) {
  if (is_indexed_) std::ranges::for_each(of, [this](const auto& each) { add(each); });
}

void Tolerations::add(const Toleration& toleration) {
  const Scope scope(toleration.key, toleration.effect);
  const auto limit = [&]() -> std::optional<std::int64_t> {
    return comparison_ ? decimal_integer(toleration.value) : std::nullopt;
  };
  switch (toleration.op) {
    case Toleration::Op::equal:
      equal_.emplace(toleration.key, toleration.effect, toleration.value);
      return;
    case Toleration::Op::exists:
      exists_.insert(scope);
      return;
    case Toleration::Op::lt:
      if (const auto most = limit()) {
        const auto [at, added] = below_.emplace(scope, *most);
        if (!added) at->second = std::max(at->second, *most);
      }
      return;
    case Toleration::Op::gt:
      if (const auto least = limit()) {
        const auto [at, added] = above_.emplace(scope, *least);
        if (!added) at->second = std::min(at->second, *least);
      }
      return;
    case Toleration::Op::other:
      return;
  }
}

bool Tolerations::tolerate(const Taint& taint) const {
  if (!is_indexed_) {
    return std::ranges::any_of(few_, [&](const auto& each) { return each.tolerates(taint, comparison_); });
  }
  for (const std::string_view key : {std::string_view(), std::string_view(taint.key)}) {
    for (const auto effect : {TaintEffect::none, taint.effect}) {
      if (in_scope({key, effect}, taint)) return true;
    }
  }
  return false;
}

bool Tolerations::in_scope(const Scope& scope, const Taint& taint) const {
  if (exists_.contains(scope) || equal_.contains({scope.first, scope.second, taint.value})) return true;
  const auto below = below_.find(scope), above = above_.find(scope);
  if (below == below_.end() && above == above_.end()) return false;
  const auto amount = decimal_integer(taint.value);
  if (!amount) return false;
  return (below != below_.end() && *amount < below->second) ||
         (above != above_.end() && *amount > above->second);
}

}  // namespace podium::api
