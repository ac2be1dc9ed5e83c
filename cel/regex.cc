#include "cel/regex.h"

#include <re2/re2.h>

#include <fmt/format.h>

#include "cel/functions.h"

namespace podium::cel {
// Other files of the room have functions of these names.
namespace regex_functions {
namespace {

using re2::RE2;

std::string words(const RE2& pattern) {
  const auto about = [&](std::string_view what) {
    return fmt::format("error parsing regexp: {}: `{}`", what, pattern.error_arg());
  };
  switch (pattern.error_code()) {
    case RE2::ErrorBadEscape:
      return about("invalid escape sequence");
    case RE2::ErrorBadCharClass:
      return about("invalid character class");
    case RE2::ErrorBadCharRange:
      return about("invalid character class range");
    case RE2::ErrorMissingBracket:
      return about("missing closing ]");
    case RE2::ErrorMissingParen:
      return about("missing closing )");
    case RE2::ErrorUnexpectedParen:
      return about("unexpected )");
    case RE2::ErrorTrailingBackslash:
      return "error parsing regexp: trailing backslash at end of expression: ``";
    case RE2::ErrorRepeatArgument:
      return about("missing argument to repetition operator");
    case RE2::ErrorRepeatSize:
      return about("invalid repeat count");
    case RE2::ErrorRepeatOp:
      return about("invalid nested repetition operator");
    case RE2::ErrorBadPerlOp:
      return about("invalid or unsupported Perl syntax");
    case RE2::ErrorBadUTF8:
      return about("invalid UTF-8");
    case RE2::ErrorBadNamedCapture:
      return about("invalid named capture");
    default:
      return "error parsing regexp: expression too large";
  }
}

// The pattern of the call, compiled before or now.
struct Pattern {
  explicit Pattern(const Call& call) : compiled(call.pattern) {
    if (compiled) return;
    // Compiling takes time that depends on the pattern alone, and memory that RE2 bounds.
    call.budget.spend(200 + 4 * call.args[1].text().size());
    auto result = compile_pattern(call.args[1].text());
    if (result) {
      owned = std::move(*result);
      compiled = owned.get();
    } else {
      fault = result.error();
    }
  }
  const RE2* compiled;
  std::shared_ptr<const RE2> owned;
  std::string fault;
};

Value matches(const Call& call) {
  if (!call.args[1].is(Kind::string)) return Value::no_such_overload();
  const Pattern pattern(call);
  if (!pattern.compiled) return Value::error(pattern.fault);
  call.budget.spend(10 + call.args[0].text().size());
  return Value::boolean(RE2::PartialMatch(call.args[0].text(), *pattern.compiled));
}

std::vector<Value> found(const std::string& text, const RE2& pattern, std::int64_t most, Budget& budget) {
  std::vector<Value> all;
  re2::StringPiece match;
  std::size_t at = 0;
  std::size_t last_end = std::string::npos;
  while (at <= text.size() && (most < 0 || static_cast<std::int64_t>(all.size()) < most)) {
    if (!budget.spend(10 + (text.size() - at) / 8)) break;
    if (!pattern.Match(text, at, text.size(), RE2::UNANCHORED, &match, 1)) break;
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    const std::size_t end = begin + match.size();
    // An empty match right after a match does not count.
    if (!match.empty() || begin != last_end) all.push_back(Value::string(std::string(match)));
    last_end = end;
    at = end;
    if (match.empty()) {
      do ++at;
      while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    }
  }
  return all;
}

Value find(const Call& call) {
  const Pattern pattern(call);
  if (!pattern.compiled) return Value::error("Illegal regex: " + pattern.fault);
  call.budget.spend(10 + call.args[0].text().size());
  re2::StringPiece match;
  const std::string& text = call.args[0].text();
  if (!pattern.compiled->Match(text, 0, text.size(), RE2::UNANCHORED, &match, 1)) return Value::string("");
  return Value::string(std::string(match));
}

Value find_all(const Call& call) {
  const Pattern pattern(call);
  if (!pattern.compiled) return Value::error("Illegal regex: " + pattern.fault);
  const std::int64_t most = call.args.size() == 3 ? call.args[2].as_int() : -1;
  return Value::list(found(call.args[0].text(), *pattern.compiled, most, call.budget));
}

}  // namespace
}  // namespace regex_functions

std::expected<std::shared_ptr<const re2::RE2>, std::string> compile_pattern(std::string_view pattern) {
  using namespace regex_functions;
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(2 << 20);
  auto compiled = std::make_shared<const RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!compiled->ok()) return std::unexpected(words(*compiled));
  return compiled;
}

void add_regex(Table& table) {
  using namespace regex_functions;
  constexpr Kinds kText = bit(Kind::string);
  table.push_back(
      {.name = "matches", .overloads = {{{kText, kAny}, matches}}, .is_operator = true, .receivers = kText});
  table.push_back({.name = "find", .overloads = {{{kText, kText}, find}}});
  table.push_back(
      {.name = "findAll",
       .overloads = {{{kText, kText}, find_all}, {{kText, kText, bit(Kind::integer)}, find_all}}});
}

}  // namespace podium::cel
