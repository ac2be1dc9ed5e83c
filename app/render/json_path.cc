#include "app/render/json_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace podium::render {
namespace {

namespace json = boost::json;

constexpr std::size_t kDepth = 32;       // of nested ranges and filters
constexpr std::size_t kFound = 100'000;  // values; a repeated "..*" would find more than fits into memory

std::string text_of(const json::value& value) {
  if (const auto* text = value.if_string()) return std::string(*text);
  return json::serialize(value);
}

void descend(const std::string& name, const json::value& value, std::vector<const json::value*>& out) {
  if (const auto* object = value.if_object()) {
    for (const auto& [key, each] : *object) {
      if (name == "*" || key == name) out.push_back(&each);
      descend(name, each, out);
    }
  } else if (const auto* list = value.if_array()) {
    for (const auto& each : *list) descend(name, each, out);
  }
}

// -1, 0 or 1 if both are numbers or both are texts; nullopt: they have no order.
std::optional<int> order_of(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number()) {
    const auto x = a.to_number<double>(), y = b.to_number<double>();
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (a.is_string() && b.is_string()) {
    const auto order = std::string_view(a.get_string()).compare(std::string_view(b.get_string()));
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  if (a == b) return 0;
  return std::nullopt;
}

}  // namespace

struct JsonPath::Parser {
  std::string_view text;
  std::size_t at = 0, depth = 0;

  bool ended() const { return at >= text.size(); }
  char here() const { return ended() ? '\0' : text[at]; }
  bool eat(std::string_view what) {
    if (!text.substr(at).starts_with(what)) return false;
    at += what.size();
    return true;
  }
  void skip_spaces() {
    while (here() == ' ' || here() == '\t' || here() == '\n') ++at;
  }
  std::unexpected<Error> wrong(const std::string& what) const {
    return invalid(fmt::format("{} at character {} of \"{}\"", what, at + 1, text));
  }

  static bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '/' ||
           static_cast<unsigned char>(c) >= 0x80;
  }

  // A key after a dot; a backslash escapes the next character.
  std::string name() {
    std::string out;
    while (is_name(here()) || (here() == '\\' && at + 1 < text.size())) {
      if (here() == '\\') ++at;
      out += text[at++];
    }
    return out;
  }

  Result<std::string> quoted() {
    const char quote = text[at++];
    std::string out;
    while (!ended() && here() != quote) {
      if (here() == '\\' && at + 1 < text.size()) {
        const char next = text[++at];
        out += next == 'n' ? '\n' : next == 't' ? '\t' : next;
        ++at;
      } else {
        out += text[at++];
      }
    }
    if (ended()) return wrong("a quote does not end");
    ++at;
    return out;
  }

  std::optional<long> number() {
    long value = 0;
    const auto* begin = text.data() + at;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    at += static_cast<std::size_t>(end - begin);
    return value;
  }

  Result<Step> operand_or_filter() {
    Step step{.kind = Step::Kind::filter};
    skip_spaces();
    if (!eat("@")) return wrong("a filter begins with @");
    auto left = path();
    if (!left) return std::unexpected(left.error());
    step.left = std::move(*left);
    skip_spaces();
    for (const char* op : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!eat(op)) continue;
      step.op = op;
      break;
    }
    if (step.op.empty()) return step;
    skip_spaces();
    if (eat("@")) {
      auto right = path();
      if (!right) return std::unexpected(right.error());
      step.right = std::move(*right);
      return step;
    }
    return with_literal(std::move(step));
  }

  Result<Step> with_literal(Step step) {
    if (here() == '\'' || here() == '"') {
      auto literal = quoted();
      if (!literal) return std::unexpected(literal.error());
      step.literal = json::value(*literal);
      return step;
    }
    const auto end = std::min(text.find_first_of(" )", at), text.size());
    const std::string word(text.substr(at, end - at));
    char* stop = nullptr;
    const double value = std::strtod(word.c_str(), &stop);
    if (word == "true" || word == "false")
      step.literal = json::value(word == "true");
    else if (!word.empty() && *stop == '\0')
      step.literal = json::value(value);
    else
      return wrong("a filter compares with a number, true, false or a quoted text");
    at = end;
    return step;
  }

  Result<Step> brackets() {
    Step step;
    skip_spaces();
    if (eat("*")) {
      step.kind = Step::Kind::all;
    } else if (eat("?(")) {
      auto filter = operand_or_filter();
      if (!filter) return filter;
      step = std::move(*filter);
      skip_spaces();
      if (!eat(")")) return wrong("a filter does not end with )");
    } else if (here() == '\'' || here() == '"') {
      auto key = quoted();
      if (!key) return std::unexpected(key.error());
      step.name = std::move(*key);
    } else {
      step.kind = Step::Kind::index;
      step.from = number();
      if (eat(":")) {
        step.kind = Step::Kind::slice;
        step.to = number();
      } else if (!step.from) {
        return wrong("[] takes a number, a range, *, a quoted key or ?( )");
      }
    }
    skip_spaces();
    if (!eat("]")) return wrong("a [ does not end");
    return step;
  }

  Result<std::vector<Step>> path() {
    if (++depth > kDepth) return wrong("too deep");
    std::vector<Step> out;
    for (;;) {
      if (eat("[")) {
        auto step = brackets();
        if (!step) return std::unexpected(step.error());
        out.push_back(std::move(*step));
      } else if (eat("..")) {
        Step step{.kind = Step::Kind::descend, .name = eat("*") ? "*" : name()};
        if (step.name.empty()) return wrong(".. needs a name");
        out.push_back(std::move(step));
      } else if (eat(".")) {
        if (eat("*")) {
          out.push_back({.kind = Step::Kind::all});
        } else if (auto key = name(); !key.empty()) {
          out.push_back({.name = std::move(key)});
        } else if (here() != '[' && here() != '}' && !ended()) {
          return wrong("a name is missing");
        }
      } else {
        break;
      }
    }
    --depth;
    return out;
  }

  Result<std::vector<Part>> parts(bool in_range) {
    if (++depth > kDepth) return wrong("too deep");
    std::vector<Part> out;
    while (!ended()) {
      if (!eat("{")) {
        const auto end = std::min(text.find('{', at), text.size());
        out.push_back({.text = std::string(text.substr(at, end - at))});
        at = end;
        continue;
      }
      skip_spaces();
      if (eat("end")) {
        skip_spaces();
        if (!eat("}")) return wrong("a { does not end");
        if (!in_range) return wrong("{end} without {range}");
        --depth;
        return out;
      }
      auto part = braces();
      if (!part) return std::unexpected(part.error());
      for (auto& each : *part) out.push_back(std::move(each));
    }
    if (in_range) return wrong("{range} without {end}");
    --depth;
    return out;
  }

  // The contents of one pair of braces: paths and texts.
  Result<std::vector<Part>> braces() {
    std::vector<Part> out;
    if (eat("range ")) {
      skip_spaces();
      eat("$");
      auto over = path();
      if (!over) return std::unexpected(over.error());
      skip_spaces();
      if (!eat("}")) return wrong("a { does not end");
      auto body = parts(true);
      if (!body) return std::unexpected(body.error());
      out.push_back({.kind = Part::Kind::range, .path = std::move(*over), .body = std::move(*body)});
      return out;
    }
    for (skip_spaces(); here() != '}'; skip_spaces()) {
      if (ended()) return wrong("a { does not end");
      if (here() == '"' || here() == '\'') {
        auto literal = quoted();
        if (!literal) return std::unexpected(literal.error());
        out.push_back({.text = std::move(*literal)});
        continue;
      }
      const auto before = at;
      if (here() == '$' || here() == '@') ++at;
      auto found = path();
      if (!found) return std::unexpected(found.error());
      if (at == before) return wrong("a path begins with . or [");
      out.push_back({.kind = Part::Kind::path, .path = std::move(*found)});
    }
    ++at;
    return out;
  }
};

Result<JsonPath> JsonPath::parse(std::string_view text) {
  if (text.empty()) return invalid("the template is empty; try {.metadata.name}");
  Parser parser{text};
  auto parts = parser.parts(false);
  if (!parts) return std::unexpected(parts.error());
  JsonPath out;
  out.parts_ = std::move(*parts);
  return out;
}

std::string JsonPath::first_field() const {
  for (const auto& part : parts_) {
    if (part.kind != Part::Kind::path) continue;
    const bool is_field = !part.path.empty() && part.path.front().kind == Step::Kind::field;
    return is_field ? part.path.front().name : std::string();
  }
  return {};
}

Result<JsonPath> JsonPath::parse_field(std::string_view text) {
  std::string path(text);
  if (!path.starts_with('{'))
    path = fmt::format("{{{}{}}}", path.starts_with('.') || path.starts_with('[') ? "" : ".", path);
  auto out = parse(path);
  if (out && (out->parts_.size() != 1 || out->parts_.front().kind != Part::Kind::path))
    return invalid(fmt::format("\"{}\" is not one path, such as .count", text));
  return out;
}

bool JsonPath::holds(const Step& filter, const json::value& value) {
  const auto left = walk(filter.left, {&value});
  if (filter.op.empty() || left.empty()) return !left.empty();
  Found right;
  if (filter.literal)
    right.push_back(&*filter.literal);
  else
    right = walk(filter.right, {&value});
  if (right.empty()) return false;
  const auto order = order_of(*left.front(), *right.front());
  if (filter.op == "==") return order == 0;
  if (filter.op == "!=") return order != 0;
  if (!order) return false;
  if (filter.op == "<") return *order < 0;
  if (filter.op == ">") return *order > 0;
  return filter.op == "<=" ? *order <= 0 : *order >= 0;
}

void JsonPath::one_step(const Step& step, const json::value& value, Found& out) {
  const auto* object = value.if_object();
  const auto* list = value.if_array();
  const auto size = list ? static_cast<long>(list->size()) : 0L;
  const auto place = [&](long index) { return std::clamp(index < 0 ? index + size : index, 0L, size); };
  switch (step.kind) {
    case Step::Kind::field:
      if (const auto* found = object ? object->if_contains(step.name) : nullptr) out.push_back(found);
      return;
    case Step::Kind::descend:
      return descend(step.name, value, out);
    case Step::Kind::all:
      if (object)
        for (const auto& [key, each] : *object) out.push_back(&each);
      if (list)
        for (const auto& each : *list) out.push_back(&each);
      return;
    case Step::Kind::index: {
      const auto index = *step.from < 0 ? *step.from + size : *step.from;
      if (index >= 0 && index < size) out.push_back(&(*list)[static_cast<std::size_t>(index)]);
      return;
    }
    case Step::Kind::slice:
      for (auto i = place(step.from.value_or(0)); i < place(step.to.value_or(size)); ++i)
        out.push_back(&(*list)[static_cast<std::size_t>(i)]);
      return;
    case Step::Kind::filter:
      if (list)
        for (const auto& each : *list)
          if (holds(step, each)) out.push_back(&each);
      return;
  }
}

JsonPath::Found JsonPath::walk(const std::vector<Step>& path, const Found& from) {
  auto found = from;
  for (const auto& step : path) {
    Found next;
    for (const auto* value : found) {
      if (next.size() > kFound) break;
      one_step(step, *value, next);
    }
    found = std::move(next);
  }
  return found;
}

void JsonPath::print_parts(const std::vector<Part>& parts, const json::value& at, std::string& out) {
  for (const auto& part : parts) {
    if (part.kind == Part::Kind::text) {
      out += part.text;
      continue;
    }
    const auto found = walk(part.path, {&at});
    bool first = true;
    for (const auto* value : found) {
      if (part.kind == Part::Kind::range) {
        print_parts(part.body, *value, out);
      } else {
        out += (first ? "" : " ") + text_of(*value);
        first = false;
      }
    }
  }
}

std::string JsonPath::print(const json::value& root) const {
  std::string out;
  print_parts(parts_, root, out);
  return out;
}

std::vector<const json::value*> JsonPath::find(const json::value& root) const {
  const auto path = std::ranges::find(parts_, Part::Kind::path, &Part::kind);
  return path == parts_.end() ? Found() : walk(path->path, {&root});
}

}  // namespace podium::render
