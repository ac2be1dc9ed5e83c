// Function: the overloads of a function's name, chosen by the kinds of the arguments at run time.
//
// Role: the libraries. An overload is chosen when the arguments are known, since attributes have any type.
// Threads: the tables are immutable. Errors: values.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cel/cost_budget.h"
#include "cel/regex.h"
#include "cel/value.h"

namespace podium::cel {

struct Call {
  std::span<const Value> args;  // the receiver first
  CostBudget& budget;
  const ConstantPattern* pattern = nullptr;
};
using Implementation = Value (*)(const Call&);

// The kinds of an argument, as bits; `element` has those of list elements.
using Kinds = std::uint32_t;
constexpr Kinds bit(Kind kind) { return Kinds{1} << static_cast<unsigned>(kind); }
constexpr Kinds kAny = ~bit(Kind::error);

struct Overload {
  std::vector<Kinds> args;
  Implementation run = nullptr;
  Kinds element = kAny;  // of the first element, if the first argument is a list
};

struct Function {
  std::string_view name;
  std::vector<Overload> overloads;
  bool is_operator = false;    // "no such overload" without names for arguments of the right trait
  Kinds receivers = kAny;      // of an operator: the kinds of the first argument that have it
  bool is_conversion = false;  // of constants: computed by compile()
  bool is_unguarded = false;   // takes all kinds; reports errors itself
};

// Null: no such function.
const Function* find_function(std::string_view name);
Value invoke(const Function& function, const Call& call);

inline Value int_overflow() { return Value::error("integer overflow"); }
inline Value uint_overflow() { return Value::error("unsigned integer overflow"); }

// The libraries, each in its own file.
using Table = std::vector<Function>;
void add_operators(Table&);
void add_conversions(Table&);
void add_strings(Table&);
void add_lists(Table&);
void add_regex(Table&);
void add_kubernetes(Table&);
void add_time(Table&);

// Lists sorted by keys, for sortBy().
Value sorted_by(const Value& list, const Value& keys, CostBudget& budget);

}  // namespace podium::cel
