// Node: one step of a compiled expression.
//
// Role: the parser makes the tree and the evaluator walks it. Owner: the Program owns the tree.
// Threads: immutable once compiled. Errors: none.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cel/regex.h"
#include "cel/value.h"

namespace re2 {
class RE2;
}

namespace podium::cel {

struct Function;

enum class Op : std::uint8_t {
  constant,
  variable,     // slot
  path,         // children[0], then steps
  conditional,  // three children
  all_of,       // && of all children
  any_of,       // || of all children
  equal,
  not_equal,
  in_constants,  // children[0] in keys
  call,          // function
  or_optional,   // children[0].or(children[1])
  or_value,
  list,
  map,   // keys and values in turn
  bind,  // children[0] in slot, for children[1]; evaluated at the first use
  fold,  // a macro that walks children[0]
  opt_map,
  opt_flat_map,
  sort_by,
};

enum class Fold : std::uint8_t { all, exists, exists_one, map, filter, transform_map, transform_entry };

struct Node;
using NodePtr = std::unique_ptr<Node>;

// .name, [key], .?name, [?key], and has()'s last name.
struct Step {
  Value name;   // a constant key
  NodePtr key;  // null: the name
  bool is_optional = false;
  bool is_test = false;
};

struct Node {
  Op op = Op::constant;
  Fold fold = Fold::all;
  std::uint16_t slot = 0;   // of a variable, or of the first one that a macro binds
  std::uint16_t depth = 1;  // of the tree below
  bool has_second = false;  // a macro with two variables; the second is in slot + 1
  bool has_filter = false;  // children[1] filters, children[2] transforms
  Value value;
  std::vector<NodePtr> children;
  std::vector<bool> optional_children;  // of lists and maps: [?a], {?k: v}
  std::vector<Step> steps;
  const Function* function = nullptr;
  std::shared_ptr<const ConstantPattern> pattern;  // of matches(), find(), findAll()
  std::vector<Value> keys;                         // sorted
};

}  // namespace podium::cel
