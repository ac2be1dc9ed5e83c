#include "cel/program.h"

#include "cel/evaluator.h"
#include "cel/parser.h"

namespace podium::cel {

Result<Program> Program::compile(std::string_view expression, std::span<const std::string> variables) {
  auto parsed = parse(expression, variables);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  return Program(std::make_shared<const Parsed>(std::move(*parsed)), variables.size());
}

Value Program::evaluate(std::span<const Value> values, std::int64_t* spent) const {
  if (values.size() != variables_) return Value::error("the number of values is not that of the variables");
  Evaluator evaluator(values, parsed_->slots);
  auto value = evaluator.run(*parsed_->root);
  if (spent) *spent = evaluator.spent();
  return value;
}

}  // namespace podium::cel
