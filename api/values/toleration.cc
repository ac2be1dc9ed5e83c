#include "api/values/toleration.h"

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

}  // namespace podium::api
