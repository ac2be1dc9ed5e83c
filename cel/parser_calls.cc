#include "cel/functions.h"
#include "cel/grammar.h"
#include "cel/regex.h"

// Names, calls and macros.
namespace podium::cel {
namespace {

// Names between spaces.
bool is_in(std::string_view names, std::string_view name) {
  return names.contains(" " + std::string(name) + " ");
}

constexpr std::string_view kReserved =
    " as break const continue else for function if import let loop package namespace return var void "
    "while ";
constexpr std::string_view kTypes =
    " bool bytes double int list map null_type string type uint optional_type "
    "google.protobuf.Timestamp google.protobuf.Duration kubernetes.Quantity kubernetes.Semver net.IP "
    "net.CIDR ";
// Functions of Kubernetes' environment that this evaluator does not support.
constexpr std::string_view kUnsupported =
    " format url isURL getScheme getHost getHostname getPort getEscapedPath getQuery format.named "
    "validate path group serviceAccount resource subresource namespace name check allowed reason "
    "errored error fieldSelector labelSelector format.dns1123Label format.dns1123Subdomain "
    "format.dns1035Label format.qualifiedName format.labelValue format.uri format.uuid format.date "
    "format.datetime ";

}  // namespace

struct Macro {
  std::string_view name;
  Fold fold;
  bool one, two;  // takes one variable, two variables
  bool filter;    // takes a filter before the transformation
};
constexpr Macro kMacros[] = {
    {"all", Fold::all, true, true, false},
    {"exists", Fold::exists, true, true, false},
    {"exists_one", Fold::exists_one, true, true, false},
    {"existsOne", Fold::exists_one, true, true, false},
    {"map", Fold::map, true, false, true},
    {"filter", Fold::filter, true, false, false},
    {"transformList", Fold::map, false, true, true},
    {"transformMap", Fold::transform_map, false, true, true},
    {"transformMapEntry", Fold::transform_entry, false, true, true},
};

std::optional<std::size_t> Parser::variable(std::string_view name, bool is_global) const {
  for (std::size_t i = is_global ? globals_ : names_.size(); i-- > 0;) {
    if (names_[i] == name) return i;
  }
  return std::nullopt;
}

NodePtr Parser::name(bool is_global) {
  std::string text = token_.text;
  if (is_in(kReserved, text)) return fail("reserved identifier: " + text);
  advance();
  if (text == "true" || text == "false") return constant(Value::boolean(text == "true"));
  if (text == "null") return constant(Value());
  if (text == "in") return fail("expected an expression");
  if (text == "has" && token_.is("(")) return has();
  const bool is_bind =
      text == "cel" && token_.is(".") && ahead_.type == Token::Type::name && ahead_.text == "bind";
  if (is_bind) {
    advance();
    advance();
    return bind();
  }
  if (!token_.is("(")) {
    if (const auto slot = variable(text, is_global)) {
      auto node = std::make_unique<Node>();
      node->op = Op::variable;
      node->slot = static_cast<std::uint16_t>(*slot);
      return node;
    }
  }
  // A name with dots is a type's or a function's.
  for (;;) {
    if (token_.is("(")) return global_call(text);
    if (is_in(kTypes, text)) return constant(Value::type(text));
    if (!token_.is(".") || ahead_.type != Token::Type::name) break;
    advance();
    text += "." + token_.text;
    advance();
  }
  if (token_.is("{")) return fail("unsupported: messages, as of type " + text);
  return fail(fmt::format("undeclared reference to '{}'", text));
}

bool Parser::arguments(std::vector<NodePtr>& args) {
  if (!expect("(")) return false;
  if (take(")")) return true;
  do {
    NodePtr arg = expression();
    if (!arg) return false;
    args.push_back(std::move(arg));
  } while (take(","));
  return expect(")");
}

NodePtr Parser::global_call(const std::string& name) {
  std::vector<NodePtr> args;
  if (!arguments(args)) return nullptr;
  return call(name, std::move(args));
}

NodePtr Parser::call(const std::string& name, std::vector<NodePtr> args) {
  if ((name == "or" || name == "orValue") && args.size() == 2) {
    return make(name == "or" ? Op::or_optional : Op::or_value, std::move(args[0]), std::move(args[1]));
  }
  const Function* const function = find_function(name);
  if (!function) {
    if (is_in(kUnsupported, name) || name.starts_with("format."))
      return fail("unsupported function: " + name);
    return fail(fmt::format("undeclared reference to '{}'", name));
  }
  const auto has_arity = [&](const Overload& overload) { return overload.args.size() == args.size(); };
  if (std::none_of(function->overloads.begin(), function->overloads.end(), has_arity)) {
    return fail(fmt::format("found no matching overload for '{}' with {} arguments", name, args.size()));
  }
  auto node = std::make_unique<Node>();
  node->op = Op::call;
  node->function = function;
  node->children = std::move(args);
  if (function->is_conversion && node->children.size() == 1 && node->children[0]->op == Op::constant) {
    CostBudget budget;
    Value value = invoke(*function, {{&node->children[0]->value, 1}, budget});
    if (value.is_error()) return fail(value.text());
    return constant(std::move(value));
  }
  const bool is_regex = name == "matches" || name == "find" || name == "findAll";
  if (is_regex && node->children[1]->op == Op::constant && node->children[1]->value.is(Kind::string)) {
    auto pattern = constant_pattern(node->children[1]->value.text());
    if (!pattern) return fail(pattern.error());
    ++patterns_;
    patterns_cost_ += pattern->cost;
    node->pattern = std::make_shared<const ConstantPattern>(std::move(*pattern));
  }
  return finish(std::move(node));
}

NodePtr Parser::member_call(NodePtr target, const std::string& name) {
  for (const Macro& macro : kMacros) {
    if (macro.name == name) return fold(std::move(target), macro);
  }
  if (name == "optMap" || name == "optFlatMap" || name == "sortBy") {
    const Op op = name == "optMap" ? Op::opt_map : name == "sortBy" ? Op::sort_by : Op::opt_flat_map;
    std::string variable;
    if (!expect("(") || !variable_name(variable) || !expect(",")) return nullptr;
    Scope scope(*this);
    const std::uint16_t slot = declare(variable);
    NodePtr body = expression();
    if (!body || !expect(")")) return nullptr;
    NodePtr node = make(op, std::move(target), std::move(body));
    if (node) node->slot = slot;
    return node;
  }
  std::vector<NodePtr> args;
  args.push_back(std::move(target));
  if (!arguments(args)) return nullptr;
  return call(name, std::move(args));
}

std::uint16_t Parser::declare(const std::string& name) {
  names_.push_back(name);
  most_slots_ = std::max(most_slots_, names_.size());
  return static_cast<std::uint16_t>(names_.size() - 1);
}

bool Parser::variable_name(std::string& out) {
  if (token_.type != Token::Type::name || is_in(kReserved, token_.text)) {
    fail("argument must be a simple name");
    return false;
  }
  out = token_.text;
  advance();
  return true;
}

NodePtr Parser::fold(NodePtr range, const Macro& macro) {
  std::string first, second;
  if (!expect("(") || !variable_name(first) || !expect(",")) return nullptr;
  const bool looks_like_two = token_.type == Token::Type::name && ahead_.is(",");
  const bool has_second = macro.two && (!macro.one || looks_like_two);
  if (has_second && (!variable_name(second) || !expect(","))) return nullptr;
  if (has_second && first == second) return fail("duplicate variable name: " + first);
  Scope scope(*this);
  const std::uint16_t slot = declare(first);
  if (has_second) declare(second);
  NodePtr body = expression(), transform;
  if (!body) return nullptr;
  if (macro.filter && take(",")) {
    transform = expression();
    if (!transform) return nullptr;
  }
  if (!expect(")")) return nullptr;
  auto node = std::make_unique<Node>();
  node->op = Op::fold;
  node->fold = macro.fold;
  node->slot = slot;
  node->has_second = has_second;
  node->has_filter = transform != nullptr;
  node->children.push_back(std::move(range));
  node->children.push_back(std::move(body));
  if (transform) node->children.push_back(std::move(transform));
  return finish(std::move(node));
}

NodePtr Parser::has() {
  if (!expect("(")) return nullptr;
  NodePtr node = expression();
  if (!node) return nullptr;
  if (node->op != Op::path || selected_ != node.get()) return fail("invalid argument to has() macro");
  if (!expect(")")) return nullptr;
  node->steps.back().is_test = true;
  selected_ = nullptr;
  return node;
}

NodePtr Parser::bind() {
  std::string variable;
  if (!expect("(") || !variable_name(variable) || !expect(",")) return nullptr;
  // The value is computed when the body uses it, so the two must not share slots.
  const std::size_t most_before = std::exchange(most_slots_, names_.size());
  NodePtr value = expression();
  if (!value || !expect(",")) return nullptr;
  Scope scope(*this);
  names_.resize(most_slots_);
  most_slots_ = std::max(most_slots_, most_before);
  const std::uint16_t slot = declare(variable);
  NodePtr body = expression();
  if (!body || !expect(")")) return nullptr;
  NodePtr node = make(Op::bind, std::move(value), std::move(body));
  if (node) node->slot = slot;
  return node;
}

}  // namespace podium::cel
