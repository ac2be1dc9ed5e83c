// Value: an input or a result of a CEL expression.
//
// Role: the kinds of CEL, the types that Kubernetes adds, and errors, which are values with cel-go's texts.
// Owner: values own their contents; lists, maps and texts are shared and immutable.
// Threads: values may be copied and read by any thread.
// Errors: a Value of Kind::error; nothing here throws.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"

namespace podium::cel {

enum class Kind : std::uint8_t {
  null,
  boolean,
  integer,
  unsigned_integer,
  real,
  string,
  bytes,
  list,
  map,
  optional,
  type,
  timestamp,
  duration,
  quantity,
  semver,
  ip,
  cidr,
  error,
};

class CostBudget;
class Value;
struct Quantity;
struct Semver;
struct Address;
struct Cidr;

struct List {
  std::vector<Value> items;
  // Made by `+` of two lists that are not empty. Its equality reports an element's error; that of other
  // lists ignores it, as upstream's does.
  bool joined = false;
};

// Entries in the order of their keys; see key_order().
struct Map {
  std::vector<std::pair<Value, Value>> entries;
  // Made by an expression. Upstream hashes these keys, and fails for some kinds of values.
  bool hashed = false;
  // The value of every missing key; null: a missing key has no value.
  std::shared_ptr<const Value> fallback;

  const Value* find(const Value& key) const;
};

struct Timestamp {
  std::int64_t seconds = 0;  // since 1970
  std::int32_t nanos = 0;    // [0, 1e9)
  // Seconds east of UTC in which the text was written; shown when it becomes text again.
  std::int32_t offset = 0;
};

class Value {
 public:
  Value() = default;  // null
  static Value boolean(bool value);
  static Value integer(std::int64_t value);
  static Value unsigned_integer(std::uint64_t value);
  static Value real(double value);
  static Value string(std::string value);
  static Value bytes(std::string value);
  static Value list(std::vector<Value> items, bool joined = false);
  // Sorts the entries; of equal keys the last one stays.
  static Value map(std::vector<std::pair<Value, Value>> entries, bool hashed = false);
  // A map that returns this value for every missing key.
  static Value map_with_fallback(std::vector<std::pair<Value, Value>> entries, Value fallback);
  static Value optional(Value value);
  static Value none();
  static Value type(std::string name);
  static Value timestamp(Timestamp value);
  static Value duration(std::int64_t nanos);
  static Value quantity(Quantity value, bool computed = false);
  static Value semver(Semver value);
  static Value ip(Address value);
  static Value cidr(Cidr value);
  static Value error(std::string message);
  static Value no_such_overload() { return error("no such overload"); }

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_error() const { return kind_ == Kind::error; }
  bool is_true() const { return kind_ == Kind::boolean && scalar_.boolean; }
  bool is_false() const { return kind_ == Kind::boolean && !scalar_.boolean; }
  // A quantity from arithmetic. Upstream represents these differently and compares them differently.
  bool computed() const { return computed_; }

  // Each requires a value of its kind. Those that return a reference check it, since they would read an
  // object of another type.
  bool as_bool() const { return scalar_.boolean; }
  std::int64_t as_int() const { return scalar_.integer; }  // also a duration's nanoseconds
  std::uint64_t as_uint() const { return scalar_.unsigned_integer; }
  double as_double() const { return scalar_.real; }
  const std::string& text() const {
    return held<std::string>(Kind::string, Kind::bytes, Kind::type, Kind::error);
  }
  const List& as_list() const { return held<List>(Kind::list); }
  const std::vector<Value>& items() const { return as_list().items; }
  const Map& as_map() const { return held<Map>(Kind::map); }
  bool has_value() const { return data_ != nullptr; }                     // of an optional
  const Value& unwrapped() const { return held<Value>(Kind::optional); }  // requires has_value()
  const Timestamp& as_timestamp() const { return held<Timestamp>(Kind::timestamp); }
  const Quantity& as_quantity() const { return held<Quantity>(Kind::quantity); }
  const Semver& as_semver() const { return held<Semver>(Kind::semver); }
  const Address& as_ip() const { return held<Address>(Kind::ip); }
  const Cidr& as_cidr() const { return held<Cidr>(Kind::cidr); }

  // The name of the value's type: "int", "kubernetes.Semver", …
  std::string_view type_name() const;
  // Go's name of the value's type, for error texts: "types.Int", "cel.Semver", …
  std::string_view go_type() const;
  // The value as Go prints it with %v, for error texts.
  std::string go_text() const;

 private:
  template <typename T>
  static Value holding(Kind kind, T value);
  template <typename T>
  const T& held(auto... kinds) const {
    PODIUM_CHECK(((kind_ == kinds) || ...) && data_, static_cast<int>(kind_));
    return *static_cast<const T*>(data_.get());
  }

  Kind kind_ = Kind::null;
  bool computed_ = false;
  union {
    bool boolean;
    std::int64_t integer = 0;
    std::uint64_t unsigned_integer;
    double real;
  } scalar_;
  std::shared_ptr<const void> data_;
};

// A total order of the possible keys: bool, int, uint, double, string. Different kinds are different keys.
int key_order(const Value& left, const Value& right);
bool is_key(const Value& value);

// CEL's `==`: a bool, or an error for some pairs of kinds. Spends units for the compared elements; once the
// budget is used up, the result is meaningless.
Value equal(const Value& left, const Value& right, CostBudget* budget = nullptr);
// -1, 0 or 1 as an int, or an error.
Value compare(const Value& left, const Value& right);
// `left in right`, without the shortcut for constant lists.
Value contains(const Value& container, const Value& value, CostBudget& budget);

}  // namespace podium::cel
