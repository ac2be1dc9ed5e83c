#include "cel/regex.h"

#include <re2/re2.h>

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "cel/functions.h"

namespace podium::cel {
// A named namespace: in a unity build, functions of sibling files would clash.
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

// A unit of the budget is about 20 ns. RE2 compiles an instruction in about 500 ns, and fails if a program
// becomes too large.
constexpr std::int64_t kUnitsPerInstruction = 25;
constexpr std::int64_t kSmallMemory = 128 << 10, kLargeMemory = 2 << 20;
constexpr std::int64_t most_instructions(std::int64_t memory) { return memory * 2 / 3 / 16; }

using Compiled = std::shared_ptr<const RE2>;

Compiled compile(std::string_view pattern, std::int64_t memory) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory);
  return std::make_shared<const RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
}

bool is_too_large(const RE2& pattern) { return pattern.error_code() == RE2::ErrorPatternTooLarge; }

std::int64_t cost_of(const RE2& pattern, std::int64_t memory) {
  return kUnitsPerInstruction * (pattern.ok() ? pattern.ProgramSize() : most_instructions(memory));
}

// The most recently used large patterns. Each may keep kLargeMemory.
class LargePatterns {
 public:
  Compiled find(std::string_view pattern) {
    const std::scoped_lock lock(mutex_);
    const auto it = std::ranges::find(kept_, pattern, [](const auto& each) { return each->pattern(); });
    if (it == kept_.end()) return nullptr;
    std::rotate(kept_.begin(), it, it + 1);
    return kept_.front();
  }
  void keep(Compiled pattern) {
    const std::scoped_lock lock(mutex_);
    if (kept_.size() == kMost) kept_.pop_back();
    kept_.insert(kept_.begin(), std::move(pattern));
  }

 private:
  static constexpr std::size_t kMost = 16;

  std::mutex mutex_;
  std::vector<Compiled> kept_;  // the last one first
};

LargePatterns& large_patterns() {
  static LargePatterns all;
  return all;
}

// Null: the budget is used up.
Compiled compile_now(std::string_view pattern, CostBudget& budget) {
  const auto pay = [&](const RE2& compiled, std::int64_t memory) {
    return budget.spend_compiling(cost_of(compiled, memory));
  };
  if (auto known = large_patterns().find(pattern)) return known;
  auto compiled = compile(pattern, kSmallMemory);
  if (!pay(*compiled, kSmallMemory)) return nullptr;
  if (!is_too_large(*compiled)) return compiled;
  compiled = compile(pattern, kLargeMemory);
  // Kept even if the budget is used up: the next evaluation finds it.
  if (!is_too_large(*compiled)) large_patterns().keep(compiled);
  return pay(*compiled, kLargeMemory) ? compiled : nullptr;
}

// The pattern of the call, compiled earlier or now.
struct Pattern {
  explicit Pattern(const Call& call) {
    if (call.pattern && call.pattern->compiled) {
      compiled = call.pattern->compiled.get();
      return;
    }
    if (!call.pattern) call.budget.spend(200 + 4 * call.args[1].text().size());
    owned = compile_now(call.args[1].text(), call.budget);
    if (owned && owned->ok())
      compiled = owned.get();
    else if (owned)
      fault = words(*owned);
  }
  const RE2* compiled = nullptr;
  Compiled owned;
  std::string fault;
};

Value matches(const Call& call) {
  if (!call.args[1].is(Kind::string)) return Value::no_such_overload();
  const Pattern pattern(call);
  if (!pattern.compiled) return Value::error(pattern.fault);
  call.budget.spend(10 + call.args[0].text().size());
  return Value::boolean(RE2::PartialMatch(call.args[0].text(), *pattern.compiled));
}

std::vector<Value> found(const std::string& text, const RE2& pattern, std::int64_t most, CostBudget& budget) {
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

std::expected<ConstantPattern, std::string> constant_pattern(std::string_view pattern) {
  using namespace regex_functions;
  auto compiled = compile(pattern, kSmallMemory);
  const auto cost = cost_of(*compiled, kSmallMemory);
  if (is_too_large(*compiled)) return ConstantPattern{nullptr, cost};
  if (!compiled->ok()) return std::unexpected(words(*compiled));
  return ConstantPattern{std::move(compiled), cost};
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
