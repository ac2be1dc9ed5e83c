// Evaluator: one evaluation of a tree of Nodes.
//
// Role: the meaning of each Node. Owner: Program::evaluate() makes one for each call. Threads: used by one.
// Errors: values. An error that ends the whole evaluation, in any context, is in fatal_.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cel/ast.h"
#include "cel/functions.h"

namespace podium::cel {

class Evaluator {
 public:
  Evaluator(std::span<const Value> values, std::size_t slots, CostBudget budget);
  Value run(const Node& root);
  const CostBudget& budget() const { return budget_; }

 private:
  struct Slot {
    Value value;
    const Node* pending = nullptr;  // not yet computed
  };
  // The result of a step: a value, nothing, or an error.
  struct Found {
    Value value;
    bool present = true;
  };

  Value eval(const Node& node);
  Value eval_variable(const Node& node);
  Value eval_path(const Node& node);
  Value eval_conditional(const Node& node);
  Value eval_terms(const Node& node, bool decisive);
  Value eval_equal(const Node& node);
  Value eval_membership(const Node& node);
  Value eval_call(const Node& node);
  Value eval_or(const Node& node);
  Value eval_list(const Node& node);
  Value eval_map(const Node& node);
  Value eval_bind(const Node& node);
  Value eval_opt_map(const Node& node);
  Value eval_sort_by(const Node& node);

  // Macros that walk a list or a map: evaluator_fold.cc.
  Value eval_fold(const Node& node);
  Value quantify(const Node& node, const Value& range);
  Value count_one(const Node& node, const Value& range);
  Value collect(const Node& node, const Value& range);
  Value collect_map(const Node& node, const Value& range);
  std::optional<Value> insert(std::vector<std::pair<Value, Value>>& entries, const Value& key,
                              const Value& value);
  // Sets the macro's variables to the i-th element.
  void set_element(const Node& node, const Value& range, std::size_t i);
  static std::size_t size_of(const Value& range);

  Found find(const Value& object, const Value& key, bool is_test);
  Value stop(std::string fault);
  Value stop_at_cost();
  Value stop_at_unhashable(const Value& key);
  static Value unsupported_key(const Value& key);
  bool is_stopped() const { return !fatal_.empty(); }

  std::vector<Slot> slots_;
  CostBudget budget_;
  std::string fatal_;
};

}  // namespace podium::cel
