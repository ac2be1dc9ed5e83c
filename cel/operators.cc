#include <cmath>

#include "cel/functions.h"
#include "cel/go_text.h"
#include "cel/timestamp.h"

// Arithmetic, comparison, `in` and size(), with upstream's overflows.
namespace podium::cel {
// A named namespace: in a unity build, functions of sibling files would clash.
namespace operators {
namespace {

constexpr Kinds kNumbers = bit(Kind::integer) | bit(Kind::unsigned_integer) | bit(Kind::real);
constexpr Kinds kTimes = bit(Kind::timestamp) | bit(Kind::duration);
constexpr Kinds kTexts = bit(Kind::string) | bit(Kind::bytes);

Value join_lists(const Value& left, const Value& right, CostBudget& budget) {
  if (left.items().empty()) return right;
  if (right.items().empty()) return left;
  if (!budget.spend_items(left.items().size() + right.items().size())) return Value::error("");
  std::vector<Value> items = left.items();
  items.insert(items.end(), right.items().begin(), right.items().end());
  return Value::list(std::move(items), true);
}

Value add(const Call& call) {
  const Value &left = call.args[0], &right = call.args[1];
  if (left.is(Kind::duration) || left.is(Kind::timestamp)) return add_times(left, right);
  if (left.kind() != right.kind()) return Value::no_such_overload();
  switch (left.kind()) {
    case Kind::integer: {
      std::int64_t sum = 0;
      return __builtin_add_overflow(left.as_int(), right.as_int(), &sum) ? int_overflow()
                                                                         : Value::integer(sum);
    }
    case Kind::unsigned_integer: {
      std::uint64_t sum = 0;
      const bool over = __builtin_add_overflow(left.as_uint(), right.as_uint(), &sum);
      return over ? uint_overflow() : Value::unsigned_integer(sum);
    }
    case Kind::real:
      return Value::real(left.as_double() + right.as_double());
    case Kind::list:
      return join_lists(left, right, call.budget);
    default:
      break;
  }
  if (!call.budget.spend_text(left.text().size() + right.text().size())) return Value::error("");
  std::string sum = left.text() + right.text();
  return left.is(Kind::string) ? Value::string(std::move(sum)) : Value::bytes(std::move(sum));
}

Value subtract(const Call& call) {
  const Value &left = call.args[0], &right = call.args[1];
  if (left.is(Kind::duration) || left.is(Kind::timestamp)) return subtract_times(left, right);
  if (left.kind() != right.kind()) return Value::no_such_overload();
  if (left.is(Kind::real)) return Value::real(left.as_double() - right.as_double());
  if (left.is(Kind::integer)) {
    std::int64_t rest = 0;
    return __builtin_sub_overflow(left.as_int(), right.as_int(), &rest) ? int_overflow()
                                                                        : Value::integer(rest);
  }
  if (left.as_uint() < right.as_uint()) return uint_overflow();
  return Value::unsigned_integer(left.as_uint() - right.as_uint());
}

Value multiply(const Call& call) {
  const Value &left = call.args[0], &right = call.args[1];
  if (left.kind() != right.kind()) return Value::no_such_overload();
  if (left.is(Kind::real)) return Value::real(left.as_double() * right.as_double());
  if (left.is(Kind::integer)) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(left.as_int(), right.as_int(), &product) ? int_overflow()
                                                                           : Value::integer(product);
  }
  std::uint64_t product = 0;
  const bool over = __builtin_mul_overflow(left.as_uint(), right.as_uint(), &product);
  return over ? uint_overflow() : Value::unsigned_integer(product);
}

Value divide_by(const Call& call, bool is_modulus) {
  const Value &left = call.args[0], &right = call.args[1];
  if (left.kind() != right.kind()) return Value::no_such_overload();
  if (left.is(Kind::real)) return Value::real(left.as_double() / right.as_double());
  const bool is_zero = left.is(Kind::integer) ? right.as_int() == 0 : right.as_uint() == 0;
  if (is_zero) return Value::error(is_modulus ? "modulus by zero" : "division by zero");
  if (left.is(Kind::unsigned_integer)) {
    return Value::unsigned_integer(is_modulus ? left.as_uint() % right.as_uint()
                                              : left.as_uint() / right.as_uint());
  }
  if (left.as_int() == INT64_MIN && right.as_int() == -1) return int_overflow();
  return Value::integer(is_modulus ? left.as_int() % right.as_int() : left.as_int() / right.as_int());
}
Value divide(const Call& call) { return divide_by(call, false); }
Value modulus(const Call& call) { return divide_by(call, true); }

Value negate(const Call& call) {
  const Value& value = call.args[0];
  if (value.is(Kind::boolean)) return Value::no_such_overload();
  if (value.is(Kind::real)) return Value::real(-value.as_double());
  if (value.as_int() == INT64_MIN) return int_overflow();
  return value.is(Kind::duration) ? Value::duration(-value.as_int()) : Value::integer(-value.as_int());
}
Value negate_bool(const Call& call) {
  if (!call.args[0].is(Kind::boolean)) return Value::no_such_overload();
  return Value::boolean(!call.args[0].as_bool());
}

template <bool (*holds)(std::int64_t)>
Value relation(const Call& call) {
  if (call.args[0].is(Kind::string)) call.budget.spend(call.args[0].text().size() / 8);
  const Value order = compare(call.args[0], call.args[1]);
  return order.is_error() ? order : Value::boolean(holds(order.as_int()));
}
bool is_less(std::int64_t order) { return order < 0; }
bool is_at_most(std::int64_t order) { return order <= 0; }
bool is_greater(std::int64_t order) { return order > 0; }
bool is_at_least(std::int64_t order) { return order >= 0; }

Value in(const Call& call) { return contains(call.args[1], call.args[0], call.budget); }

Value size(const Call& call) {
  const Value& value = call.args[0];
  switch (value.kind()) {
    case Kind::string:
      return Value::integer(static_cast<std::int64_t>(code_points(value.text())));
    case Kind::bytes:
      return Value::integer(static_cast<std::int64_t>(value.text().size()));
    case Kind::list:
      return Value::integer(static_cast<std::int64_t>(value.items().size()));
    default:
      return Value::integer(static_cast<std::int64_t>(value.as_map().entries.size()));
  }
}

}  // namespace
}  // namespace operators

void add_operators(Table& table) {
  using namespace operators;
  const auto binary = [&](std::string_view name, Kinds receivers, Implementation run) {
    table.push_back(
        {.name = name, .overloads = {{{kAny, kAny}, run}}, .is_operator = true, .receivers = receivers});
  };
  const auto unary = [&](std::string_view name, Kinds receivers, Implementation run) {
    table.push_back(
        {.name = name, .overloads = {{{kAny}, run}}, .is_operator = true, .receivers = receivers});
  };
  binary("_+_", kNumbers | kTimes | kTexts | bit(Kind::list), add);
  binary("_-_", kNumbers | kTimes, subtract);
  binary("_*_", kNumbers, multiply);
  binary("_/_", kNumbers, divide);
  binary("_%_", bit(Kind::integer) | bit(Kind::unsigned_integer), modulus);
  unary("-_", bit(Kind::boolean) | bit(Kind::integer) | bit(Kind::real) | bit(Kind::duration), negate);
  unary("!_", kAny, negate_bool);
  constexpr Kinds kOrdered = kNumbers | kTimes | kTexts | bit(Kind::boolean);
  binary("_<_", kOrdered, relation<is_less>);
  binary("_<=_", kOrdered, relation<is_at_most>);
  binary("_>_", kOrdered, relation<is_greater>);
  binary("_>=_", kOrdered, relation<is_at_least>);
  binary("@in", kAny, in);
  unary("size", kTexts | bit(Kind::list) | bit(Kind::map), size);
}

}  // namespace podium::cel
