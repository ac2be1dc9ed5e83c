#include <fmt/format.h>

#include "cel/evaluator.h"

// Macros that walk a list or a map. They keep errors as upstream's accumulators do: an error of the predicate
// replaces the accumulated value in counts and filtered lists, and is kept in quantifiers.
namespace podium::cel {
namespace {

Value as_fault(Value value) { return value.is_error() ? std::move(value) : Value::no_such_overload(); }

Value not_iterable(const Node& node, const Value& range) {
  if (node.has_second)
    return Value::error(fmt::format("unsupported comprehension range type: {}", range.go_type()));
  return Value::error(fmt::format("got '{}', expected iterable type", range.go_type()));
}
bool is_iterable(const Value& range) { return range.is(Kind::list) || range.is(Kind::map); }

}  // namespace

std::size_t Evaluator::size_of(const Value& range) {
  return range.is(Kind::list) ? range.items().size() : range.as_map().entries.size();
}

void Evaluator::set_element(const Node& node, const Value& range, std::size_t i) {
  const bool is_list = range.is(Kind::list);
  Slot& first = slots_[node.slot];
  first.pending = nullptr;
  if (!node.has_second) {
    first.value = is_list ? range.items()[i] : range.as_map().entries[i].first;
    return;
  }
  first.value = is_list ? Value::integer(static_cast<std::int64_t>(i)) : range.as_map().entries[i].first;
  Slot& second = slots_[node.slot + 1u];
  second.pending = nullptr;
  second.value = is_list ? range.items()[i] : range.as_map().entries[i].second;
}

Value Evaluator::eval_fold(const Node& node) {
  const Value range = eval(*node.children[0]);
  if (range.is_error()) return range;
  switch (node.fold) {
    case Fold::all:
    case Fold::exists:
      return quantify(node, range);
    case Fold::exists_one:
      return count_one(node, range);
    case Fold::map:
    case Fold::filter:
      return collect(node, range);
    case Fold::transform_map:
    case Fold::transform_entry:
      return collect_map(node, range);
  }
  return Value();
}

Value Evaluator::quantify(const Node& node, const Value& range) {
  if (!is_iterable(range)) return not_iterable(node, range);
  const bool decisive = node.fold == Fold::exists;
  Value fault;
  for (std::size_t i = 0; i < size_of(range); ++i) {
    set_element(node, range, i);
    Value value = eval(*node.children[1]);
    if (is_stopped()) return value;
    if (value.is(Kind::boolean)) {
      if (value.as_bool() == decisive) return value;
    } else if (!fault.is_error()) {
      fault = as_fault(std::move(value));
    }
  }
  return fault.is_error() ? fault : Value::boolean(!decisive);
}

Value Evaluator::count_one(const Node& node, const Value& range) {
  if (!is_iterable(range)) return not_iterable(node, range);
  std::int64_t count = 0;
  Value fault;
  for (std::size_t i = 0; i < size_of(range); ++i) {
    set_element(node, range, i);
    Value value = eval(*node.children[1]);
    if (is_stopped()) return value;
    if (value.is_true()) {
      ++count;
    } else if (!value.is_false()) {
      fault = as_fault(std::move(value));
    }
  }
  return fault.is_error() ? fault : Value::boolean(count == 1);
}

// map(), filter(), transformList(), and the keys of sortBy().
Value Evaluator::collect(const Node& node, const Value& range) {
  if (!is_iterable(range)) return not_iterable(node, range);
  const bool is_filter = node.op == Op::fold && node.fold == Fold::filter;
  std::vector<Value> items;
  Value fault;
  for (std::size_t i = 0; i < size_of(range); ++i) {
    set_element(node, range, i);
    if (is_filter || node.has_filter) {
      Value chosen = eval(*node.children[1]);
      if (is_stopped()) return chosen;
      const bool is_chosen = chosen.is_true();
      if (!chosen.is(Kind::boolean)) fault = as_fault(std::move(chosen));
      if (!is_chosen) continue;
    }
    if (fault.is_error() && !node.has_filter && !is_filter) break;
    Value item = is_filter ? slots_[node.slot].value : eval(*node.children[node.has_filter ? 2 : 1]);
    if (is_stopped()) return item;
    if (fault.is_error()) continue;
    if (item.is_error()) {
      fault = std::move(item);
    } else {
      items.push_back(std::move(item));
    }
  }
  return fault.is_error() ? fault : Value::list(std::move(items));
}

std::optional<Value> Evaluator::insert(std::vector<std::pair<Value, Value>>& entries, const Value& key,
                                       const Value& value) {
  if (key.is(Kind::semver) || key.is(Kind::bytes)) {
    return stop_at_unhashable(key);
  }
  if (!is_key(key)) return unsupported_key(key);
  if (!budget_.spend(entries.size())) return stop_at_cost();
  for (const auto& [known, unused] : entries) {
    if (equal(known, key).is_true()) {
      return Value::error(fmt::format("insert failed: key {} already exists", key.go_text()));
    }
  }
  entries.emplace_back(key, value);
  return std::nullopt;
}

Value Evaluator::collect_map(const Node& node, const Value& range) {
  if (!is_iterable(range)) return not_iterable(node, range);
  std::vector<std::pair<Value, Value>> entries;
  Value fault;
  for (std::size_t i = 0; i < size_of(range); ++i) {
    set_element(node, range, i);
    const Value key = slots_[node.slot].value;
    if (node.has_filter) {
      Value chosen = eval(*node.children[1]);
      if (is_stopped()) return chosen;
      const bool is_chosen = chosen.is_true();
      if (!chosen.is(Kind::boolean)) fault = as_fault(std::move(chosen));
      if (!is_chosen) continue;
    }
    Value item = eval(*node.children[node.has_filter ? 2 : 1]);
    if (is_stopped()) return item;
    if (fault.is_error()) continue;
    if (item.is_error()) {
      fault = std::move(item);
    } else if (node.fold == Fold::transform_map) {
      if (auto wrong = insert(entries, key, item)) fault = std::move(*wrong);
    } else if (!item.is(Kind::map)) {
      fault = Value::error(fmt::format("no such overload: cel.@mapInsert(map, {})", item.type_name()));
    } else {
      for (const auto& [k, v] : item.as_map().entries) {
        if (auto wrong = insert(entries, k, v)) {
          fault = std::move(*wrong);
          break;
        }
      }
    }
  }
  return fault.is_error() ? fault : Value::map(std::move(entries), true);
}

}  // namespace podium::cel
