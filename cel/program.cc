#include "cel/program.h"

#include "cel/evaluator.h"
#include "cel/parser.h"

namespace podium::cel {

Result<Program> Program::compile(std::string_view expression, std::span<const std::string> variables) {
  auto parsed = parse(expression, variables);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  return Program(std::make_shared<const Parsed>(std::move(*parsed)), variables.size());
}

std::int64_t Program::cost() const { return parsed_->cost; }
std::size_t Program::bytes() const { return parsed_->bytes; }

Value Program::evaluate(std::span<const Value> values, Spending* spending) const {
  if (values.size() != variables_) return Value::error("the number of values is not that of the variables");
  Evaluator evaluator(values, parsed_->slots,
                      CostBudget(spending ? spending->compiling : Spending().compiling));
  auto value = evaluator.run(*parsed_->root);
  if (spending) spending->units = evaluator.budget().spent();
  if (spending) spending->gave_up = evaluator.budget().gave_up();
  return value;
}

}  // namespace podium::cel
