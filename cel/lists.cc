#include <fmt/format.h>
#include <algorithm>

#include "cel/functions.h"

// The functions of lists, sets and optionals.
namespace podium::cel {
// A named namespace: in a unity build, functions of sibling files would clash.
namespace list_functions {
namespace {

constexpr Kinds kList = bit(Kind::list), kInt = bit(Kind::integer), kOptional = bit(Kind::optional);
constexpr Kinds kComparable = kInt | bit(Kind::unsigned_integer) | bit(Kind::real) | bit(Kind::boolean) |
                              bit(Kind::duration) | bit(Kind::timestamp) | bit(Kind::string) |
                              bit(Kind::bytes);

const std::vector<Value>& items(const Call& call, std::size_t i = 0) { return call.args[i].items(); }
Value exhausted() { return Value::error(""); }

Value slice(const Call& call) {
  const std::int64_t from = call.args[1].as_int(), to = call.args[2].as_int();
  const auto fault = [&](std::string_view why) {
    return Value::error(fmt::format("cannot slice({}, {}), {}", from, to, why));
  };
  if (from < 0 || to < 0) return fault("negative indexes not supported");
  if (from > to) return fault("start index must be less than or equal to end index");
  const auto size = static_cast<std::int64_t>(items(call).size());
  if (size < to) return fault(fmt::format("list is length {}", size));
  if (!call.budget.spend_items(static_cast<std::size_t>(to - from))) return exhausted();
  return Value::list({items(call).begin() + from, items(call).begin() + to});
}

bool flatten_into(std::vector<Value>& out, const std::vector<Value>& from, std::int64_t depth,
                  CostBudget& budget) {
  for (const Value& item : from) {
    if (!budget.spend_items(1)) return false;
    if (!item.is(Kind::list) || depth == 0) {
      out.push_back(item);
    } else if (!flatten_into(out, item.items(), depth - 1, budget)) {
      return false;
    }
  }
  return true;
}
// The type with its parameters, as upstream prints it here.
std::string declared(const Value& value) {
  return value.is(Kind::list)  ? "list(dyn)"
         : value.is(Kind::map) ? "map(dyn, dyn)"
                               : std::string(value.type_name());
}
Value flatten(const Call& call) {
  if (!call.args[0].is(Kind::list) || (call.args.size() == 2 && !call.args[1].is(Kind::integer))) {
    const std::string depth = call.args.size() == 2 ? declared(call.args[1]) : "";
    return Value::error(fmt::format("no such overload: {}.flatten({})", declared(call.args[0]), depth));
  }
  const std::int64_t depth = call.args.size() == 2 ? call.args[1].as_int() : 1;
  if (depth < 0) return Value::error("level must be non-negative");
  std::vector<Value> out;
  if (!flatten_into(out, items(call), depth, call.budget)) return exhausted();
  return Value::list(std::move(out));
}

Value sort(const Call& call) { return sorted_by(call.args[0], call.args[0], call.budget); }

Value range(const Call& call) {
  const std::int64_t size = std::max<std::int64_t>(call.args[0].as_int(), 0);
  if (!call.budget.spend_items(static_cast<std::size_t>(size))) return exhausted();
  std::vector<Value> out;
  for (std::int64_t i = 0; i < size; ++i) out.push_back(Value::integer(i));
  return Value::list(std::move(out));
}

Value reverse(const Call& call) {
  if (!call.budget.spend_items(items(call).size())) return exhausted();
  return Value::list({items(call).rbegin(), items(call).rend()});
}

// The result of a value's Equal(): null has one like the others.
bool says_equal(const Value& value, const Value& other, CostBudget& budget) {
  return value.is(Kind::null) ? other.is(Kind::null) : equal(value, other, &budget).is_true();
}

Value distinct(const Call& call) {
  std::vector<Value> out;
  for (std::size_t i = 0; i < items(call).size(); ++i) {
    if (!call.budget.spend(1 + out.size())) return exhausted();
    const Value& value = items(call)[i];
    bool is_known = false;
    for (std::size_t j = 0; j < out.size() && !is_known; ++j)
      is_known = i != j && says_equal(value, out[j], call.budget);
    if (!is_known) out.push_back(value);
  }
  return Value::list(std::move(out));
}

Value is_sorted(const Call& call) {
  call.budget.spend(items(call).size());
  for (std::size_t i = 1; i < items(call).size(); ++i) {
    if (!(bit(items(call)[i].kind()) & kComparable)) return Value::no_such_overload();
    const Value order = compare(items(call)[i - 1], items(call)[i]);
    if (!order.is_error() && order.as_int() == 1) return Value::boolean(false);
  }
  return Value::boolean(true);
}

template <int worse>
Value extreme(const Call& call) {
  call.budget.spend(items(call).size());
  const Value* best = nullptr;
  for (const Value& item : items(call)) {
    if (!(bit(item.kind()) & kComparable)) return Value::no_such_overload();
    if (!best) {
      best = &item;
      continue;
    }
    const Value order = compare(*best, item);
    if (!order.is_error() && order.as_int() == worse) best = &item;
  }
  if (!best) return Value::error(worse > 0 ? "min called on empty list" : "max called on empty list");
  return *best;
}

Value sum(const Call& call) {
  static const Function& add = *find_function("_+_");
  call.budget.spend(items(call).size());
  Value total = Value::integer(0);
  if (!items(call).empty()) {
    switch (items(call)[0].kind()) {
      case Kind::unsigned_integer:
        total = Value::unsigned_integer(0);
        break;
      case Kind::real:
        total = Value::real(0);
        break;
      case Kind::duration:
        total = Value::duration(0);
        break;
      default:
        break;
    }
  }
  for (const Value& item : items(call)) {
    const Value args[] = {total, item};
    const Value next = invoke(add, {args, call.budget});
    if (next.is_error()) return next;
    total = next;
  }
  return total;
}

Value index_of(const Call& call) {
  call.budget.spend(items(call).size());
  for (std::size_t i = 0; i < items(call).size(); ++i) {
    if (says_equal(items(call)[i], call.args[1], call.budget))
      return Value::integer(static_cast<std::int64_t>(i));
  }
  return Value::integer(-1);
}
// A list has the value, or anything else equals it.
Value includes(const Call& call) {
  if (!call.args[0].is(Kind::list)) {
    return Value::boolean(says_equal(call.args[0], call.args[1], call.budget));
  }
  call.budget.spend(items(call).size());
  return Value::boolean(std::ranges::any_of(
      items(call), [&](const Value& item) { return says_equal(item, call.args[1], call.budget); }));
}
Value last_index_of(const Call& call) {
  call.budget.spend(items(call).size());
  for (std::size_t i = items(call).size(); i-- > 0;) {
    if (says_equal(items(call)[i], call.args[1], call.budget))
      return Value::integer(static_cast<std::int64_t>(i));
  }
  return Value::integer(-1);
}

bool is_subset(const Value& whole, const Value& part, CostBudget& budget) {
  return std::all_of(part.items().begin(), part.items().end(),
                     [&](const Value& item) { return contains(whole, item, budget).is_true(); });
}
Value sets_contains(const Call& call) {
  return Value::boolean(is_subset(call.args[0], call.args[1], call.budget));
}
Value sets_equivalent(const Call& call) {
  return Value::boolean(is_subset(call.args[0], call.args[1], call.budget) &&
                        is_subset(call.args[1], call.args[0], call.budget));
}
Value sets_intersects(const Call& call) {
  for (const Value& item : items(call)) {
    if (contains(call.args[1], item, call.budget).is_true()) return Value::boolean(true);
  }
  return Value::boolean(false);
}

Value first(const Call& call) {
  return items(call).empty() ? Value::none() : Value::optional(items(call).front());
}
Value last(const Call& call) {
  return items(call).empty() ? Value::none() : Value::optional(items(call).back());
}

Value optional_of(const Call& call) { return Value::optional(call.args[0]); }
Value optional_none(const Call&) { return Value::none(); }
bool is_zero(const Value& value) {
  switch (value.kind()) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return !value.as_bool();
    case Kind::integer:
    case Kind::duration:
      return value.as_int() == 0;
    case Kind::unsigned_integer:
      return value.as_uint() == 0;
    case Kind::real:
      return value.as_double() == 0;
    case Kind::string:
    case Kind::bytes:
      return value.text().empty();
    case Kind::list:
      return value.items().empty();
    case Kind::map:
      return value.as_map().entries.empty();
    case Kind::timestamp:
      return value.as_timestamp().seconds == -62135596800 && value.as_timestamp().nanos == 0;
    default:
      return false;
  }
}
Value optional_of_non_zero(const Call& call) {
  return is_zero(call.args[0]) ? Value::none() : Value::optional(call.args[0]);
}
Value value_of(const Call& call) {
  return call.args[0].has_value() ? call.args[0].unwrapped() : Value::error("optional.none() dereference");
}
Value has_value(const Call& call) { return Value::boolean(call.args[0].has_value()); }
Value unwrap(const Call& call) {
  call.budget.spend(items(call).size());
  std::vector<Value> out;
  for (const Value& item : items(call)) {
    if (!item.is(Kind::optional))
      return Value::error(fmt::format("value {} is not optional", item.go_text()));
    if (item.has_value()) out.push_back(item.unwrapped());
  }
  return Value::list(std::move(out));
}

}  // namespace
}  // namespace list_functions

Value sorted_by(const Value& list, const Value& keys, CostBudget& budget) {
  using namespace list_functions;
  const std::vector<Value>& by = keys.items();
  if (by.empty()) return list;
  if (!(bit(by[0].kind()) & kComparable)) return Value::error("list elements must be comparable");
  const auto is_like_first = [&](const Value& key) { return key.kind() == by[0].kind(); };
  if (by.size() > 1 && !std::all_of(by.begin(), by.end(), is_like_first)) {
    return Value::error("list elements must have the same type");
  }
  if (!budget.spend_items(by.size() * 8)) return exhausted();
  std::vector<std::size_t> order(by.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  // NaN is before nothing, so it counts as equal to all; the merge tolerates that.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Value result = compare(by[a], by[b]);
    return !result.is_error() && result.as_int() < 0;
  });
  std::vector<Value> out;
  for (const std::size_t i : order) out.push_back(list.items()[i]);
  return Value::list(std::move(out));
}

void add_lists(Table& table) {
  using namespace list_functions;
  const auto add = [&](std::string_view name, std::vector<Kinds> args, Implementation run,
                       Kinds element = kAny) {
    table.push_back({.name = name, .overloads = {{std::move(args), run, element}}});
  };
  add("slice", {kList, kInt, kInt}, slice);
  table.push_back(
      {.name = "flatten", .overloads = {{{kAny}, flatten}, {{kAny, kAny}, flatten}}, .is_unguarded = true});
  table.push_back({.name = "sort", .overloads = {{{kList}, sort}}, .is_operator = true, .receivers = kList});
  add("lists.range", {kInt}, range);
  add("reverse", {kList}, reverse);
  add("distinct", {kList}, distinct);
  add("isSorted", {kList}, is_sorted, kComparable);
  add("min", {kList}, extreme<1>, kComparable);
  add("max", {kList}, extreme<-1>, kComparable);
  add("sum", {kList}, sum, kInt | bit(Kind::unsigned_integer) | bit(Kind::real) | bit(Kind::duration));
  add("indexOf", {kList, kAny}, index_of);
  add("lastIndexOf", {kList, kAny}, last_index_of);
  add("includes", {kAny, kAny}, includes);
  add("sets.contains", {kList, kList}, sets_contains);
  add("sets.equivalent", {kList, kList}, sets_equivalent);
  add("sets.intersects", {kList, kList}, sets_intersects);
  add("first", {kList}, first);
  add("last", {kList}, last);
  add("optional.of", {kAny}, optional_of);
  add("optional.ofNonZeroValue", {kAny}, optional_of_non_zero);
  add("optional.none", {}, optional_none);
  add("optional.unwrap", {kList}, unwrap, kOptional);
  add("unwrapOpt", {kList}, unwrap, kOptional);
  add("value", {kOptional}, value_of);
  add("hasValue", {kOptional}, has_value);
}

}  // namespace podium::cel
