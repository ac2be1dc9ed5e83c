#include "cel/evaluator.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

#include "cel/address.h"
#include "cel/semver.h"

namespace podium::cel {
namespace {

bool is_unhashable(const Value& value) { return value.is(Kind::semver) || value.is(Kind::bytes); }

}  // namespace

Evaluator::Evaluator(std::span<const Value> values, std::size_t slots, CostBudget budget)
    : slots_(slots), budget_(budget) {
  for (std::size_t i = 0; i < values.size(); ++i) slots_[i].value = values[i];
}

Value Evaluator::run(const Node& root) {
  Value result = eval(root);
  if (budget_.is_spent()) stop_at_cost();
  return is_stopped() ? Value::error(fatal_) : result;
}

Value Evaluator::stop(std::string fault) {
  if (fatal_.empty()) fatal_ = std::move(fault);
  return Value::error(fatal_);
}

Value Evaluator::stop_at_cost() { return stop("operation cancelled: actual cost limit exceeded"); }

Value Evaluator::stop_at_unhashable(const Value& key) {
  return stop(fmt::format("internal error: runtime error: hash of unhashable type {}", key.go_type()));
}

Value Evaluator::unsupported_key(const Value& key) {
  return Value::error(fmt::format("unsupported map key of type {}", key.type_name()));
}

Value Evaluator::eval(const Node& node) {
  if (!budget_.spend(1)) return stop_at_cost();
  switch (node.op) {
    case Op::constant:
      return node.value;
    case Op::variable:
      return eval_variable(node);
    case Op::path:
      return eval_path(node);
    case Op::conditional:
      return eval_conditional(node);
    case Op::all_of:
      return eval_terms(node, false);
    case Op::any_of:
      return eval_terms(node, true);
    case Op::equal:
    case Op::not_equal:
      return eval_equal(node);
    case Op::in_constants:
      return eval_membership(node);
    case Op::call:
      return eval_call(node);
    case Op::or_optional:
    case Op::or_value:
      return eval_or(node);
    case Op::list:
      return eval_list(node);
    case Op::map:
      return eval_map(node);
    case Op::bind:
      return eval_bind(node);
    case Op::fold:
      return eval_fold(node);
    case Op::opt_map:
    case Op::opt_flat_map:
      return eval_opt_map(node);
    case Op::sort_by:
      return eval_sort_by(node);
  }
  return Value();
}

Value Evaluator::eval_variable(const Node& node) {
  Slot& slot = slots_[node.slot];
  if (slot.pending) slot.value = eval(*std::exchange(slot.pending, nullptr));
  return slot.value;
}

Value Evaluator::eval_path(const Node& node) {
  Value object = eval(*node.children[0]);
  if (object.is_error()) return object;
  bool is_optional = object.is(Kind::optional);
  if (is_optional) {
    if (!object.has_value()) return node.steps.back().is_test ? Value::boolean(false) : object;
    object = Value(object.unwrapped());
  }
  for (const Step& step : node.steps) {
    is_optional = is_optional || step.is_optional;
    Value computed;
    if (step.key) {
      computed = eval(*step.key);
      if (computed.is_error()) return computed;
      const bool is_index = is_key(computed) || computed.is(Kind::real);
      if (!is_index) return Value::error(fmt::format("invalid qualifier type: {}", computed.go_type()));
    }
    if (object.is_error()) return object;
    Found found = find(object, step.key ? computed : step.name, is_optional || step.is_test);
    if (found.value.is_error()) return found.value;
    if (step.is_test) return Value::boolean(found.present);
    if (!found.present) return node.steps.back().is_test ? Value::boolean(false) : Value::none();
    object = std::move(found.value);
  }
  return is_optional ? Value::optional(std::move(object)) : object;
}

Evaluator::Found Evaluator::find(const Value& object, const Value& key, bool is_test) {
  if (object.is(Kind::map)) {
    if (const Value* value = object.as_map().find(key)) return {*value};
  } else if (object.is(Kind::list)) {
    std::int64_t at = 0;
    const auto size = static_cast<std::int64_t>(object.items().size());
    if (key.is(Kind::integer)) {
      at = key.as_int();
    } else if (key.is(Kind::unsigned_integer) && key.as_uint() <= INT64_MAX) {
      at = static_cast<std::int64_t>(key.as_uint());
    } else if (key.is(Kind::real) && std::abs(key.as_double()) < 9e18 &&
               std::trunc(key.as_double()) == key.as_double()) {
      at = static_cast<std::int64_t>(key.as_double());
    } else if (key.is(Kind::real) || key.is(Kind::unsigned_integer)) {
      return {Value::error(fmt::format("unsupported index value {} in list", key.go_text()))};
    } else {
      return {Value::error(fmt::format("unsupported index type '{}' in list", key.type_name()))};
    }
    if (at >= 0 && at < size) return {object.items()[static_cast<std::size_t>(at)]};
    if (!is_test) return {Value::error(fmt::format("index out of bounds: {}", key.go_text()))};
  }
  if (is_test) return {Value(), false};
  return {Value::error(fmt::format("no such key: {}", key.go_text()))};
}

Value Evaluator::eval_conditional(const Node& node) {
  const Value condition = eval(*node.children[0]);
  if (!condition.is(Kind::boolean)) return condition.is_error() ? condition : Value::no_such_overload();
  const Node& branch = *node.children[condition.as_bool() ? 1 : 2];
  return eval(branch);
}

// `&&` and `||`: a term with the decisive value decides, even if others are errors.
// Else the result is the first error.
Value Evaluator::eval_terms(const Node& node, bool decisive) {
  Value fault;
  for (const NodePtr& term : node.children) {
    Value value = eval(*term);
    if (is_stopped()) return value;
    if (value.is(Kind::boolean)) {
      if (value.as_bool() == decisive) return value;
    } else if (!fault.is_error()) {
      fault = value.is_error() ? std::move(value) : Value::no_such_overload();
    }
  }
  return fault.is_error() ? fault : Value::boolean(!decisive);
}

Value Evaluator::eval_equal(const Node& node) {
  const Value left = eval(*node.children[0]);
  const Value right = eval(*node.children[1]);
  if (left.is_error()) return left;
  if (right.is_error()) return right;
  const Value same = equal(left, right, &budget_);
  // Upstream's `!=` takes the error of a comparison for "not equal".
  return node.op == Op::equal ? same : Value::boolean(!same.is_true());
}

Value Evaluator::eval_membership(const Node& node) {
  const Value value = eval(*node.children[0]);
  if (value.is_error()) return value;
  if (is_unhashable(value)) {
    return stop_at_unhashable(value);
  }
  const auto is_before = [](const Value& a, const Value& b) { return key_order(a, b) < 0; };
  return Value::boolean(is_key(value) &&
                        std::binary_search(node.keys.begin(), node.keys.end(), value, is_before));
}

Value Evaluator::eval_call(const Node& node) {
  std::array<Value, 4> args;
  const std::size_t count = node.children.size();
  // An operator with two operands evaluates both; a function with three arguments stops at the first error.
  for (std::size_t i = 0; i < count; ++i) {
    args[i] = eval(*node.children[i]);
    if (is_stopped() || (count != 2 && args[i].is_error())) return args[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (args[i].is_error()) return args[i];
  }
  if (node.function->name == "@in" && args[1].is(Kind::map) && is_unhashable(args[0]) &&
      args[1].as_map().hashed && !args[1].as_map().entries.empty()) {
    return stop_at_unhashable(args[0]);
  }
  Value result = invoke(*node.function, {{args.data(), count}, budget_, node.pattern.get()});
  if (budget_.is_spent()) return stop_at_cost();
  return result;
}

Value Evaluator::eval_or(const Node& node) {
  Value left = eval(*node.children[0]);
  if (!left.is(Kind::optional)) return left;
  if (!left.has_value()) return eval(*node.children[1]);
  return node.op == Op::or_value ? left.unwrapped() : left;
}

Value Evaluator::eval_list(const Node& node) {
  std::vector<Value> items;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    Value item = eval(*node.children[i]);
    if (item.is_error()) return item;
    if (node.optional_children[i]) {
      if (!item.is(Kind::optional)) {
        return Value::error("cannot initialize optional list element from non-optional value " +
                            item.go_text());
      }
      if (!item.has_value()) continue;
      Value inner = item.unwrapped();
      item = std::move(inner);
    }
    items.push_back(std::move(item));
  }
  return Value::list(std::move(items));
}

Value Evaluator::eval_map(const Node& node) {
  std::vector<std::pair<Value, Value>> entries;
  for (std::size_t i = 0; i < node.children.size(); i += 2) {
    Value key = eval(*node.children[i]);
    if (key.is_error()) return key;
    Value value = eval(*node.children[i + 1]);
    if (value.is_error()) return value;
    if (node.optional_children[i / 2]) {
      if (!value.is(Kind::optional)) {
        return Value::error(fmt::format("cannot initialize optional entry '{}' from non-optional value {}",
                                        key.go_text(), value.go_text()));
      }
      if (!value.has_value()) {
        std::erase_if(entries,
                      [&](const auto& entry) { return is_key(key) && key_order(entry.first, key) == 0; });
        continue;
      }
      Value inner = value.unwrapped();
      value = std::move(inner);
    }
    if (is_unhashable(key)) {
      return stop_at_unhashable(key);
    }
    if (!is_key(key)) return unsupported_key(key);
    entries.emplace_back(std::move(key), std::move(value));
  }
  return Value::map(std::move(entries), true);
}

Value Evaluator::eval_bind(const Node& node) {
  slots_[node.slot].pending = node.children[0].get();
  Value result = eval(*node.children[1]);
  slots_[node.slot].pending = nullptr;
  return result;
}

Value Evaluator::eval_opt_map(const Node& node) {
  static const Function& has_value = *find_function("hasValue");
  Value target = eval(*node.children[0]);
  if (target.is_error()) return target;
  const Value has = invoke(has_value, {{&target, 1}, budget_});
  if (has.is_error()) return has;
  if (!has.as_bool()) return Value::none();
  slots_[node.slot] = {target.unwrapped(), nullptr};
  Value result = eval(*node.children[1]);
  if (result.is_error()) return result;
  return node.op == Op::opt_map ? Value::optional(std::move(result)) : result;
}

Value Evaluator::eval_sort_by(const Node& node) {
  const Value list = eval(*node.children[0]);
  if (list.is_error()) return list;
  const Value keys = collect(node, list);
  if (keys.is_error()) return keys;
  if (!list.is(Kind::list)) return Value::error("no such overload: @sortByAssociatedKeys");
  Value sorted = sorted_by(list, keys, budget_);
  if (budget_.is_spent()) return stop_at_cost();
  return sorted;
}

}  // namespace podium::cel
