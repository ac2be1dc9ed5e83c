#include "cel/value.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

#include "cel/address.h"
#include "cel/cost_budget.h"
#include "cel/go_text.h"
#include "cel/quantity.h"
#include "cel/semver.h"

namespace podium::cel {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0, kTwoTo64 = 18446744073709551616.0;

template <typename T>
int order(T left, T right) {
  return left < right ? -1 : left > right ? 1 : 0;
}
int order(double left, std::int64_t right) {
  if (left < -kTwoTo63) return -1;
  if (left > kTwoTo63) return 1;
  return order(left, static_cast<double>(right));
}
int order(double left, std::uint64_t right) {
  if (left < 0) return -1;
  if (left > kTwoTo64) return 1;
  return order(left, static_cast<double>(right));
}
int order(std::int64_t left, std::uint64_t right) {
  if (left < 0) return -1;
  return order(static_cast<std::uint64_t>(left), right);
}

bool is_number(const Value& value) {
  return value.is(Kind::integer) || value.is(Kind::unsigned_integer) || value.is(Kind::real);
}

// Neither is NaN.
int order_of_numbers(const Value& left, const Value& right) {
  switch (left.kind()) {
    case Kind::integer:
      if (right.is(Kind::integer)) return order(left.as_int(), right.as_int());
      if (right.is(Kind::unsigned_integer)) return order(left.as_int(), right.as_uint());
      return -order(right.as_double(), left.as_int());
    case Kind::unsigned_integer:
      if (right.is(Kind::integer)) return -order(right.as_int(), left.as_uint());
      if (right.is(Kind::unsigned_integer)) return order(left.as_uint(), right.as_uint());
      return -order(right.as_double(), left.as_uint());
    default:
      if (right.is(Kind::integer)) return order(left.as_double(), right.as_int());
      if (right.is(Kind::unsigned_integer)) return order(left.as_double(), right.as_uint());
      return order(left.as_double(), right.as_double());
  }
}
bool is_nan(const Value& value) { return value.is(Kind::real) && std::isnan(value.as_double()); }

int order(const Timestamp& left, const Timestamp& right) {
  return left.seconds != right.seconds ? order(left.seconds, right.seconds) : order(left.nanos, right.nanos);
}

Value equal_lists(const List& left, const List& right, CostBudget* budget) {
  if (left.items.size() != right.items.size()) return Value::boolean(false);
  Value fault;
  for (std::size_t i = 0; i < left.items.size(); ++i) {
    if (budget && !budget->spend(1)) return Value::boolean(false);
    const Value same = equal(left.items[i], right.items[i], budget);
    if (same.is_false()) return same;
    if (left.joined && same.is_error() && !fault.is_error()) fault = same;
  }
  return fault.is_error() ? fault : Value::boolean(true);
}

Value equal_maps(const Map& left, const Map& right, CostBudget* budget) {
  if (left.entries.size() != right.entries.size()) return Value::boolean(false);
  for (const auto& [key, value] : left.entries) {
    if (budget && !budget->spend(4)) return Value::boolean(false);
    const Value* other = right.find(key);
    if (!other || equal(value, *other, budget).is_false()) return Value::boolean(false);
  }
  return Value::boolean(true);
}

}  // namespace

template <typename T>
Value Value::holding(Kind kind, T value) {
  Value result;
  result.kind_ = kind;
  result.data_ = std::make_shared<const T>(std::move(value));
  return result;
}

Value Value::boolean(bool value) {
  Value result;
  result.kind_ = Kind::boolean;
  result.scalar_.boolean = value;
  return result;
}
Value Value::integer(std::int64_t value) {
  Value result;
  result.kind_ = Kind::integer;
  result.scalar_.integer = value;
  return result;
}
Value Value::unsigned_integer(std::uint64_t value) {
  Value result;
  result.kind_ = Kind::unsigned_integer;
  result.scalar_.unsigned_integer = value;
  return result;
}
Value Value::real(double value) {
  Value result;
  result.kind_ = Kind::real;
  result.scalar_.real = value;
  return result;
}
Value Value::duration(std::int64_t nanos) {
  Value result = integer(nanos);
  result.kind_ = Kind::duration;
  return result;
}
Value Value::string(std::string value) { return holding(Kind::string, std::move(value)); }
Value Value::bytes(std::string value) { return holding(Kind::bytes, std::move(value)); }
Value Value::list(std::vector<Value> items, bool joined) {
  return holding(Kind::list, List{std::move(items), joined});
}
Value Value::map(std::vector<std::pair<Value, Value>> entries, bool hashed) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return key_order(a.first, b.first) < 0; });
  Map map;
  map.hashed = hashed;
  for (auto& entry : entries) {
    if (!map.entries.empty() && key_order(map.entries.back().first, entry.first) == 0) map.entries.pop_back();
    map.entries.push_back(std::move(entry));
  }
  return holding(Kind::map, std::move(map));
}
Value Value::map_with_fallback(std::vector<std::pair<Value, Value>> entries, Value fallback) {
  Map map = Value::map(std::move(entries)).as_map();
  map.fallback = std::make_shared<const Value>(std::move(fallback));
  return holding(Kind::map, std::move(map));
}
Value Value::optional(Value value) { return holding(Kind::optional, std::move(value)); }
Value Value::none() {
  Value result;
  result.kind_ = Kind::optional;
  return result;
}
Value Value::type(std::string name) { return holding(Kind::type, std::move(name)); }
Value Value::timestamp(Timestamp value) { return holding(Kind::timestamp, value); }
Value Value::quantity(Quantity value, bool computed) {
  Value result = holding(Kind::quantity, value);
  result.computed_ = computed;
  return result;
}
Value Value::semver(Semver value) { return holding(Kind::semver, std::move(value)); }
Value Value::ip(Address value) { return holding(Kind::ip, value); }
Value Value::cidr(Cidr value) { return holding(Kind::cidr, value); }
Value Value::error(std::string message) { return holding(Kind::error, std::move(message)); }

std::string_view Value::type_name() const {
  static constexpr std::array<std::string_view, 18> kNames = {"null_type",
                                                              "bool",
                                                              "int",
                                                              "uint",
                                                              "double",
                                                              "string",
                                                              "bytes",
                                                              "list",
                                                              "map",
                                                              "optional_type",
                                                              "type",
                                                              "google.protobuf.Timestamp",
                                                              "google.protobuf.Duration",
                                                              "kubernetes.Quantity",
                                                              "kubernetes.Semver",
                                                              "net.IP",
                                                              "net.CIDR",
                                                              "error"};
  return kNames[static_cast<std::size_t>(kind_)];
}

std::string_view Value::go_type() const {
  static constexpr std::array<std::string_view, 18> kNames = {
      "types.Null",   "types.Bool",      "types.Int",       "types.Uint",     "types.Double",
      "types.String", "types.Bytes",     "*types.baseList", "*types.baseMap", "*types.Optional",
      "*types.Type",  "types.Timestamp", "types.Duration",  "cel.Quantity",   "cel.Semver",
      "cel.IP",       "cel.CIDR",        "*types.Err"};
  if (kind_ == Kind::list && as_list().joined) return "*types.concatList";
  if (kind_ == Kind::map && as_map().fallback) return "cel.mapper";
  if (kind_ == Kind::quantity && computed_) return "*cel.Quantity";
  return kNames[static_cast<std::size_t>(kind_)];
}

std::string Value::go_text() const {
  switch (kind_) {
    case Kind::null:
      return "NULL_VALUE";
    case Kind::boolean:
      return as_bool() ? "true" : "false";
    case Kind::integer:
      return std::to_string(as_int());
    case Kind::unsigned_integer:
      return std::to_string(as_uint());
    case Kind::real:
      return go_number(as_double());
    case Kind::string:
    case Kind::type:
    case Kind::error:
      return text();
    case Kind::list: {
      std::string out = "[";
      // A list may contain the same list many times; the text is cut after 64 KiB.
      for (const Value& item : items()) {
        if (out.size() > 65536) break;
        out += (out.size() > 1 ? ", " : "") + item.go_text();
      }
      return out + "]";
    }
    case Kind::quantity:
      return as_quantity().text();
    case Kind::semver:
      return as_semver().text();
    case Kind::ip:
      return as_ip().text();
    case Kind::cidr:
      return as_cidr().text();
    case Kind::optional:
      return has_value() ? "optional(" + unwrapped().go_text() + ")" : "optional.none()";
    default:
      return fmt::format("<{}>", type_name());
  }
}

int key_order(const Value& left, const Value& right) {
  if (left.kind() != right.kind())
    return order(static_cast<int>(left.kind()), static_cast<int>(right.kind()));
  switch (left.kind()) {
    case Kind::boolean:
      return order(static_cast<int>(left.as_bool()), static_cast<int>(right.as_bool()));
    case Kind::integer:
      return order(left.as_int(), right.as_int());
    case Kind::unsigned_integer:
      return order(left.as_uint(), right.as_uint());
    case Kind::real:
      return order(left.as_double(), right.as_double());
    case Kind::string:
      return left.text().compare(right.text());
    default:
      return 0;
  }
}

bool is_key(const Value& value) {
  return value.is(Kind::boolean) || value.is(Kind::string) || (is_number(value) && !is_nan(value));
}

namespace {

const Value* find_exactly(const Map& map, const Value& key) {
  const auto at =
      std::lower_bound(map.entries.begin(), map.entries.end(), key,
                       [](const auto& entry, const Value& k) { return key_order(entry.first, k) < 0; });
  return at != map.entries.end() && key_order(at->first, key) == 0 ? &at->second : nullptr;
}

// The same number as another kind, if that kind can represent it.
bool as_integer(const Value& key, Value& out) {
  if (key.is(Kind::unsigned_integer) && key.as_uint() <= INT64_MAX) {
    out = Value::integer(static_cast<std::int64_t>(key.as_uint()));
    return true;
  }
  if (key.is(Kind::real) && key.as_double() > -kTwoTo63 && key.as_double() < kTwoTo63 &&
      std::trunc(key.as_double()) == key.as_double()) {
    out = Value::integer(static_cast<std::int64_t>(key.as_double()));
    return true;
  }
  return false;
}
bool as_unsigned(const Value& key, Value& out) {
  if (key.is(Kind::integer) && key.as_int() >= 0) {
    out = Value::unsigned_integer(static_cast<std::uint64_t>(key.as_int()));
    return true;
  }
  if (key.is(Kind::real) && key.as_double() >= 0 && key.as_double() < kTwoTo64 &&
      std::trunc(key.as_double()) == key.as_double()) {
    out = Value::unsigned_integer(static_cast<std::uint64_t>(key.as_double()));
    return true;
  }
  return false;
}

}  // namespace

const Value* Map::find(const Value& key) const {
  if (is_key(key)) {
    if (const Value* found = find_exactly(*this, key)) return found;
    Value other;
    if (as_integer(key, other)) {
      if (const Value* found = find_exactly(*this, other)) return found;
    }
    if (as_unsigned(key, other)) {
      if (const Value* found = find_exactly(*this, other)) return found;
    }
  }
  return fallback.get();
}

Value equal(const Value& left, const Value& right, CostBudget* budget) {
  if (left.is_error()) return left;
  if (left.is(Kind::null) || right.is(Kind::null)) return Value::boolean(left.kind() == right.kind());
  if (is_number(left)) {
    if (!is_number(right) || is_nan(left) || is_nan(right)) return Value::boolean(false);
    return Value::boolean(order_of_numbers(left, right) == 0);
  }
  // These have no equality with other kinds.
  const bool is_strict =
      left.is(Kind::quantity) || left.is(Kind::semver) || left.is(Kind::ip) || left.is(Kind::cidr);
  if (is_strict && right.is_error()) return right;
  if (left.kind() != right.kind()) return is_strict ? Value::no_such_overload() : Value::boolean(false);
  switch (left.kind()) {
    case Kind::boolean:
      return Value::boolean(left.as_bool() == right.as_bool());
    case Kind::string:
    case Kind::bytes:
    case Kind::type:
      if (budget) budget->spend(left.text().size() / 64);
      return Value::boolean(left.text() == right.text());
    case Kind::list:
      return equal_lists(left.as_list(), right.as_list(), budget);
    case Kind::map:
      return equal_maps(left.as_map(), right.as_map(), budget);
    case Kind::optional:
      if (!left.has_value() || !right.has_value())
        return Value::boolean(left.has_value() == right.has_value());
      return left.unwrapped().is(Kind::null) ? Value::boolean(right.unwrapped().is(Kind::null))
                                             : equal(left.unwrapped(), right.unwrapped(), budget);
    case Kind::timestamp:
      return Value::boolean(order(left.as_timestamp(), right.as_timestamp()) == 0);
    case Kind::duration:
      return Value::boolean(left.as_int() == right.as_int());
    case Kind::quantity:
      if (right.computed()) return Value::no_such_overload();
      return Value::boolean(left.as_quantity().nanos == right.as_quantity().nanos);
    case Kind::semver:
      return Value::boolean(left.as_semver().compare(right.as_semver()) == 0);
    case Kind::ip:
      return Value::boolean(left.as_ip() == right.as_ip());
    case Kind::cidr:
      return Value::boolean(left.as_cidr() == right.as_cidr());
    default:
      return Value::boolean(false);
  }
}

Value compare(const Value& left, const Value& right) {
  if (left.is_error()) return left;
  if (right.is_error()) return right;
  // cel-go checks the left value before the types.
  const bool has_nan = is_nan(left) || (is_number(left) && is_nan(right));
  if (has_nan) return Value::error("NaN values cannot be ordered");
  if (is_number(left) && is_number(right)) {
    return Value::integer(order_of_numbers(left, right));
  }
  if (left.kind() != right.kind()) return Value::no_such_overload();
  switch (left.kind()) {
    case Kind::boolean:
      return Value::integer(order(static_cast<int>(left.as_bool()), static_cast<int>(right.as_bool())));
    case Kind::string:
    case Kind::bytes:
      return Value::integer(order(left.text().compare(right.text()), 0));
    case Kind::timestamp:
      return Value::integer(order(left.as_timestamp(), right.as_timestamp()));
    case Kind::duration:
      return Value::integer(order(left.as_int(), right.as_int()));
    default:
      return Value::no_such_overload();
  }
}

Value contains(const Value& container, const Value& value, CostBudget& budget) {
  if (container.is(Kind::map)) {
    // The fallback for missing keys is not an element of the map.
    const Value* const found = container.as_map().find(value);
    return Value::boolean(found != nullptr && found != container.as_map().fallback.get());
  }
  if (!container.is(Kind::list)) return Value::no_such_overload();
  for (const Value& item : container.items()) {
    if (!budget.spend(1)) return Value::boolean(false);
    // Upstream calls the value's method, not `==`: null equals null only.
    if (value.is(Kind::null) ? item.is(Kind::null) : equal(value, item, &budget).is_true())
      return Value::boolean(true);
  }
  return Value::boolean(false);
}

}  // namespace podium::cel
