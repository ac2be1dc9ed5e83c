#include "cel/parser.h"

#include <re2/re2.h>
#include <charconv>

#include "cel/grammar.h"

namespace podium::cel {
namespace {

constexpr std::size_t kMostBytes = 64 * 1024;

}  // namespace

Result<Parsed> Parser::run() {
  NodePtr root = expression();
  if (root && token_.type != Token::Type::end) fail("expected the end of the expression");
  if (!fault_.empty()) return invalid("compilation failed: " + fault_);
  return Parsed{std::move(root), most_slots_, patterns_cost_, patterns_ * kPatternBytes};
}

NodePtr Parser::finish(NodePtr node) {
  int depth = 0;
  for (const NodePtr& child : node->children) depth = std::max<int>(depth, child->depth);
  for (const Step& step : node->steps) depth = std::max<int>(depth, step.key ? step.key->depth : 0);
  if (depth >= kMostDepth) return fail(fmt::format("the expression nests deeper than {}", kMostDepth));
  node->depth = static_cast<std::uint16_t>(depth + 1);
  return node;
}

NodePtr Parser::expression() {
  if (++nesting_ > kMostNesting)
    return fail(fmt::format("the expression nests deeper than {}", kMostNesting));
  NodePtr node = either();
  if (node && take("?")) {
    NodePtr yes = either();
    if (!yes || !expect(":")) return nullptr;
    node = make(Op::conditional, std::move(node), std::move(yes), expression());
  }
  --nesting_;
  return node;
}

NodePtr Parser::either() {
  return chain("||", Op::any_of, [this] { return chain("&&", Op::all_of, [this] { return relation(); }); });
}

NodePtr Parser::relation() {
  NodePtr left = sum();
  while (left) {
    if (token_.type == Token::Type::name && token_.text == "in") {
      advance();
      const bool is_literal = token_.is("[");
      left = membership(std::move(left), sum(), is_literal);
    } else if (take("==")) {
      left = make(Op::equal, std::move(left), sum());
    } else if (take("!=")) {
      left = make(Op::not_equal, std::move(left), sum());
    } else if (token_.is("<") || token_.is("<=") || token_.is(">") || token_.is(">=")) {
      left = operation(std::move(left), [this] { return sum(); });
    } else {
      break;
    }
  }
  return left;
}

NodePtr Parser::sum() {
  NodePtr left = product();
  while (left && (token_.is("+") || token_.is("-")))
    left = operation(std::move(left), [this] { return product(); });
  return left;
}

NodePtr Parser::product() {
  NodePtr left = unary();
  while (left && (token_.is("*") || token_.is("/") || token_.is("%"))) {
    left = operation(std::move(left), [this] { return unary(); });
  }
  return left;
}

NodePtr Parser::membership(NodePtr value, NodePtr list, bool is_literal) {
  if (!value || !list) return nullptr;
  if (is_literal && list->op == Op::constant && list->value.is(Kind::list)) {
    const auto& items = list->value.items();
    if (items.empty()) return constant(Value::boolean(false));
    if (std::all_of(items.begin(), items.end(), [](const Value& item) { return is_key(item); })) {
      NodePtr node = make(Op::in_constants, std::move(value));
      if (!node) return nullptr;
      node->keys = set_of(items);
      return node;
    }
  }
  std::vector<NodePtr> args;
  args.push_back(std::move(value));
  args.push_back(std::move(list));
  return call("@in", std::move(args));
}

std::vector<Value> Parser::set_of(const std::vector<Value>& items) {
  std::vector<Value> keys = items;
  for (const Value& item : items) {
    if (item.is(Kind::integer)) {
      keys.push_back(Value::real(static_cast<double>(item.as_int())));
      if (item.as_int() >= 0)
        keys.push_back(Value::unsigned_integer(static_cast<std::uint64_t>(item.as_int())));
    } else if (item.is(Kind::unsigned_integer)) {
      keys.push_back(Value::real(static_cast<double>(item.as_uint())));
      if (item.as_uint() <= INT64_MAX)
        keys.push_back(Value::integer(static_cast<std::int64_t>(item.as_uint())));
    } else if (item.is(Kind::real)) {
      const double number = item.as_double();
      if (number > -9223372036854775808.0 && number < 9223372036854775808.0) {
        const Value whole = Value::integer(static_cast<std::int64_t>(number));
        if (equal(whole, item).is_true()) keys.push_back(whole);
      }
      if (number >= 0 && number < 18446744073709551616.0) {
        const Value whole = Value::unsigned_integer(static_cast<std::uint64_t>(number));
        if (equal(whole, item).is_true()) keys.push_back(whole);
      }
    }
  }
  std::sort(keys.begin(), keys.end(), [](const Value& a, const Value& b) { return key_order(a, b) < 0; });
  return keys;
}

NodePtr Parser::unary() {
  const std::string sign = token_.is("!") ? "!" : token_.is("-") ? "-" : "";
  if (sign.empty()) return member();
  int count = 0;
  for (; token_.is(sign); advance()) ++count;
  const auto is_number = [this] {
    return token_.type == Token::Type::integer || token_.type == Token::Type::real;
  };
  // A number may have a sign of its own.
  if (sign == "-" && count == 1 && is_number()) {
    negative_ = true;
    return member();
  }
  if (sign == "!" && take("-")) {
    if (!is_number()) return fail("expected a number");
    negative_ = true;
  }
  NodePtr node = member();
  if (!node || count % 2 == 0) return node;
  std::vector<NodePtr> args;
  args.push_back(std::move(node));
  return call(sign + "_", std::move(args));
}

NodePtr Parser::member() {
  NodePtr node = primary();
  while (node) {
    if (take(".")) {
      const bool is_optional = take("?");
      if (token_.type != Token::Type::name || token_.text == "in" || token_.text == "true" ||
          token_.text == "false" || token_.text == "null") {
        return fail("expected a name");
      }
      const std::string name = token_.text;
      advance();
      if (!is_optional && token_.is("(")) {
        node = member_call(std::move(node), name);
      } else {
        Step step;
        step.name = Value::string(name);
        step.is_optional = is_optional;
        node = add_step(std::move(node), std::move(step));
        selected_ = is_optional ? nullptr : node.get();
        continue;
      }
    } else if (token_.is("[")) {
      advance();
      Step step;
      step.is_optional = take("?");
      step.key = expression();
      if (!step.key || !expect("]")) return nullptr;
      if (step.key->op == Op::constant && is_key(step.key->value)) {
        step.name = step.key->value;
        step.key = nullptr;
      }
      node = add_step(std::move(node), std::move(step));
    } else {
      break;
    }
    selected_ = nullptr;
  }
  return node;
}

NodePtr Parser::add_step(NodePtr node, Step step) {
  if (node->op == Op::path) {
    const int depth = step.key ? step.key->depth : 0;
    if (depth >= kMostDepth) return fail("the expression nests too deep");
    node->depth = std::max<std::uint16_t>(node->depth, static_cast<std::uint16_t>(depth + 1));
    node->steps.push_back(std::move(step));
    return node;
  }
  auto path = std::make_unique<Node>();
  path->op = Op::path;
  path->children.push_back(std::move(node));
  path->steps.push_back(std::move(step));
  return finish(std::move(path));
}

NodePtr Parser::primary() {
  const bool is_negative = std::exchange(negative_, false);
  selected_ = nullptr;
  const Token token = token_;
  switch (token.type) {
    case Token::Type::integer:
    case Token::Type::unsigned_integer:
    case Token::Type::real:
      return number(token, is_negative);
    case Token::Type::string:
      advance();
      return constant(Value::string(token.text));
    case Token::Type::bytes:
      advance();
      return constant(Value::bytes(token.text));
    case Token::Type::name:
      return name(false);
    default:
      break;
  }
  if (take("(")) {
    NodePtr node = expression();
    if (!node || !expect(")")) return nullptr;
    return node;
  }
  if (token.is("[")) return list();
  if (token.is("{")) return map();
  if (take(".")) return token_.type == Token::Type::name ? name(true) : fail("expected a name");
  return fail("expected an expression");
}

NodePtr Parser::number(const Token& token, bool is_negative) {
  advance();
  const std::string digits = (is_negative ? "-" : "") + token.text;
  const char* const end = digits.data() + digits.size();
  if (token.type == Token::Type::real) {
    double value = 0;
    const auto [at, code] = std::from_chars(digits.data(), end, value);
    if (code != std::errc() || at != end) return fail("invalid number");
    return constant(Value::real(value));
  }
  const bool is_hex = token.text.starts_with("0x") || token.text.starts_with("0X");
  const std::string bare = (is_negative ? "-" : "") + token.text.substr(is_hex ? 2 : 0);
  if (token.type == Token::Type::unsigned_integer) {
    std::uint64_t value = 0;
    const auto result = std::from_chars(bare.data(), bare.data() + bare.size(), value, is_hex ? 16 : 10);
    if (result.ec != std::errc() || result.ptr != bare.data() + bare.size())
      return fail("invalid uint literal");
    return constant(Value::unsigned_integer(value));
  }
  std::int64_t value = 0;
  const auto result = std::from_chars(bare.data(), bare.data() + bare.size(), value, is_hex ? 16 : 10);
  if (result.ec != std::errc() || result.ptr != bare.data() + bare.size()) return fail("invalid int literal");
  return constant(Value::integer(value));
}

NodePtr Parser::list() {
  advance();
  auto node = std::make_unique<Node>();
  node->op = Op::list;
  while (!token_.is("]")) {
    node->optional_children.push_back(take("?"));
    NodePtr item = expression();
    if (!item) return nullptr;
    node->children.push_back(std::move(item));
    if (!take(",")) break;
  }
  if (!expect("]")) return nullptr;
  if (is_constant(*node)) {
    std::vector<Value> items;
    for (const NodePtr& child : node->children) items.push_back(child->value);
    return constant(Value::list(std::move(items)));
  }
  return finish(std::move(node));
}

NodePtr Parser::map() {
  advance();
  auto node = std::make_unique<Node>();
  node->op = Op::map;
  while (!token_.is("}")) {
    node->optional_children.push_back(take("?"));
    NodePtr key = expression();
    if (!key || !expect(":")) return nullptr;
    NodePtr value = expression();
    if (!value) return nullptr;
    node->children.push_back(std::move(key));
    node->children.push_back(std::move(value));
    if (!take(",")) break;
  }
  if (!expect("}")) return nullptr;
  bool has_keys = true;
  for (std::size_t i = 0; i < node->children.size(); i += 2)
    has_keys = has_keys && is_key(node->children[i]->value);
  if (is_constant(*node) && has_keys) {
    std::vector<std::pair<Value, Value>> entries;
    for (std::size_t i = 0; i < node->children.size(); i += 2) {
      entries.emplace_back(node->children[i]->value, node->children[i + 1]->value);
    }
    return constant(Value::map(std::move(entries), true));
  }
  return finish(std::move(node));
}

bool Parser::is_constant(const Node& node) {
  return std::none_of(node.optional_children.begin(), node.optional_children.end(),
                      [](bool o) { return o; }) &&
         std::all_of(node.children.begin(), node.children.end(),
                     [](const NodePtr& child) { return child->op == Op::constant; });
}

Result<Parsed> parse(std::string_view expression, std::span<const std::string> variables) {
  if (expression.size() > kMostBytes) {
    return invalid(fmt::format("compilation failed: the expression is longer than {} bytes", kMostBytes));
  }
  return Parser(expression, variables).run();
}

}  // namespace podium::cel
