// Parser: the grammar of CEL, level by level, and the resolution of names and calls.
//
// Role: one parse. parser.cc has the levels of the grammar, parser_calls.cc names, calls and macros.
// Owner: parse(). Threads: used by one. Errors: the first one is kept; every function returns null after it.
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/lexer.h"
#include "cel/parser.h"

namespace podium::cel {

struct Macro;

constexpr int kMostNesting = 200;  // of parentheses and similar levels
constexpr int kMostDepth = 1000;   // of the tree

class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> variables) : lexer_(text) {
    for (const std::string& name : variables) names_.push_back(name);
    globals_ = most_slots_ = names_.size();
    token_ = lexer_.next();
    ahead_ = lexer_.next();
  }

  Result<Parsed> run();

 private:
  // Keeps the first fault. All parse functions return null after it.
  NodePtr fail(const std::string& what) {
    if (fault_.empty()) {
      fault_ = token_.type == Token::Type::fault ? fmt::format("offset {}: {}", token_.at, token_.text)
                                                 : fmt::format("offset {}: {}", token_.at, what);
    }
    return nullptr;
  }
  void advance() {
    token_ = std::move(ahead_);
    ahead_ = lexer_.next();
  }
  bool take(std::string_view sign) {
    if (!token_.is(sign)) return false;
    advance();
    return true;
  }
  bool expect(std::string_view sign) {
    if (take(sign)) return true;
    fail(fmt::format("expected \"{}\"", sign));
    return false;
  }

  NodePtr finish(NodePtr node);
  NodePtr constant(Value value) {
    auto node = std::make_unique<Node>();
    node->value = std::move(value);
    return node;
  }
  template <typename... Children>
  NodePtr make(Op op, Children... children) {
    auto node = std::make_unique<Node>();
    node->op = op;
    (node->children.push_back(std::move(children)), ...);
    for (const NodePtr& child : node->children) {
      if (!child) return nullptr;
    }
    return finish(std::move(node));
  }

  NodePtr expression();

  NodePtr either();
  template <typename Operand>
  NodePtr chain(std::string_view sign, Op op, Operand operand) {
    NodePtr first = operand();
    if (!first || !token_.is(sign)) return first;
    auto node = std::make_unique<Node>();
    node->op = op;
    node->children.push_back(std::move(first));
    while (take(sign)) {
      NodePtr next = operand();
      if (!next) return nullptr;
      node->children.push_back(std::move(next));
    }
    return finish(std::move(node));
  }

  NodePtr relation();
  NodePtr sum();
  NodePtr product();
  template <typename Operand>
  NodePtr operation(NodePtr left, Operand operand) {
    const std::string name = "_" + token_.text + "_";
    advance();
    NodePtr right = operand();
    if (!right) return nullptr;
    std::vector<NodePtr> args;
    args.push_back(std::move(left));
    args.push_back(std::move(right));
    return call(name, std::move(args));
  }

  // `value in list`. Upstream turns a list of constants into a set, which compares differently from `==`.
  NodePtr membership(NodePtr value, NodePtr list, bool is_literal);
  static std::vector<Value> set_of(const std::vector<Value>& items);

  NodePtr unary();

  NodePtr member();
  NodePtr add_step(NodePtr node, Step step);

  NodePtr primary();

  NodePtr number(const Token& token, bool is_negative);

  std::optional<std::size_t> variable(std::string_view name, bool is_global) const;

  // A variable, a constant's name, a type, or a function's name with its arguments.
  NodePtr name(bool is_global);

  bool arguments(std::vector<NodePtr>& args);
  NodePtr global_call(const std::string& name);

  NodePtr call(const std::string& name, std::vector<NodePtr> args);

  NodePtr member_call(NodePtr target, const std::string& name);

  // Its destructor removes the variables that were declared since.
  struct Scope {
    explicit Scope(Parser& parser) : parser(parser), size(parser.names_.size()) {}
    ~Scope() { parser.names_.resize(size); }
    Parser& parser;
    std::size_t size;
  };
  std::uint16_t declare(const std::string& name);
  bool variable_name(std::string& out);

  NodePtr fold(NodePtr range, const Macro& macro);

  NodePtr has();

  NodePtr bind();

  NodePtr list();
  NodePtr map();
  static bool is_constant(const Node& node);

  Lexer lexer_;
  Token token_, ahead_;
  std::vector<std::string> names_;  // of the variables in scope, by slot
  std::size_t globals_ = 0, most_slots_ = 0;
  std::size_t patterns_ = 0;        // constant ones
  std::int64_t patterns_cost_ = 0;  // of compiling them, in units
  int nesting_ = 0;
  bool negative_ = false;           // a minus belongs to the number that follows
  const Node* selected_ = nullptr;  // the last path that ended with .name
  std::string fault_;
};

}  // namespace podium::cel
