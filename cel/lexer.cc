#include "cel/lexer.h"

#include <array>

#include "base/ascii.h"
#include "cel/go_text.h"

namespace podium::cel {
namespace {

bool starts_name(char c) { return is_letter(c) || c == '_'; }
bool is_code_point(std::uint32_t c) { return c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF); }

}  // namespace

Token Lexer::next() {
  for (;;) {
    const char c = peek();
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else {
      break;
    }
  }
  start_ = at_;
  if (at_ >= text_.size()) return {Token::Type::end, "", at_};
  const char c = peek();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
  if (c == '"' || c == '\'') return quoted(false, false);
  if (starts_name(c)) {
    const auto is_quote = [this](std::size_t i) { return peek(i) == '"' || peek(i) == '\''; };
    const char first = static_cast<char>(c | 0x20), second = static_cast<char>(peek(1) | 0x20);
    if ((first == 'r' || first == 'b') && is_quote(1)) {
      ++at_;
      return quoted(first == 'b', first == 'r');
    }
    if (((first == 'r' && second == 'b') || (first == 'b' && second == 'r')) && is_quote(2)) {
      at_ += 2;
      return quoted(true, true);
    }
    while (starts_name(peek()) || is_digit(peek())) ++at_;
    return {Token::Type::name, std::string(text_.substr(start_, at_ - start_)), start_};
  }
  static constexpr std::array<std::string_view, 6> kPairs = {"&&", "||", "==", "!=", "<=", ">="};
  for (const std::string_view pair : kPairs) {
    if (text_.substr(at_).starts_with(pair)) {
      at_ += 2;
      return {Token::Type::sign, std::string(pair), start_};
    }
  }
  if (std::string_view("+-*/%<>!?:.,()[]{}").contains(c)) {
    ++at_;
    return {Token::Type::sign, std::string(1, c), start_};
  }
  return fault("unexpected character " + go_quoted(text_.substr(at_, 1)));
}

Token Lexer::number() {
  Token::Type type = Token::Type::integer;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') && hex_digit(peek(2)) >= 0) {
    at_ += 2;
    while (hex_digit(peek()) >= 0) ++at_;
  } else {
    while (is_digit(peek())) ++at_;
    if (peek() == '.' && is_digit(peek(1))) {
      type = Token::Type::real;
      ++at_;
      while (is_digit(peek())) ++at_;
    }
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
      type = Token::Type::real;
      at_ += 1 + sign;
      while (is_digit(peek())) ++at_;
    }
  }
  std::string digits(text_.substr(start_, at_ - start_));
  if (type == Token::Type::integer && (peek() == 'u' || peek() == 'U')) {
    ++at_;
    type = Token::Type::unsigned_integer;
  }
  return {type, std::move(digits), start_};
}

Token Lexer::quoted(bool is_bytes, bool is_raw) {
  const char quote = peek();
  const bool is_long = peek(1) == quote && peek(2) == quote;
  const std::string end(is_long ? 3 : 1, quote);
  at_ += end.size();
  std::string out;
  while (!text_.substr(at_).starts_with(end)) {
    if (at_ >= text_.size()) return fault("string without its end");
    const char c = text_[at_++];
    if (!is_long && (c == '\n' || c == '\r')) return fault("string without its end");
    if (c == '\\' && !is_raw) {
      if (!escape(is_bytes, out)) return fault("invalid escape sequence in a string");
    } else if (c == '\r' && is_long) {
      out += '\n';
      if (peek() == '\n') ++at_;
    } else {
      out += c;
    }
  }
  at_ += end.size();
  return {is_bytes ? Token::Type::bytes : Token::Type::string, std::move(out), start_};
}

bool Lexer::escape(bool is_bytes, std::string& out) {
  const char c = peek();
  if (c == '\0') return false;
  ++at_;
  static constexpr std::string_view kNames = "abfnrtv\\'\"`?", kMeanings = "\a\b\f\n\r\t\v\\'\"`?";
  if (const auto found = kNames.find(c); found != std::string_view::npos) {
    out += kMeanings[found];
    return true;
  }
  std::uint32_t value = 0;
  if (c >= '0' && c <= '3') {
    value = static_cast<std::uint32_t>(c - '0');
    for (int i = 0; i < 2; ++i, ++at_) {
      if (peek() < '0' || peek() > '7') return false;
      value = value * 8 + static_cast<std::uint32_t>(peek() - '0');
    }
  } else {
    const int digits = c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits == 0 || (digits > 2 && is_bytes)) return false;
    for (int i = 0; i < digits; ++i, ++at_) {
      const int digit = hex_digit(peek());
      if (digit < 0) return false;
      value = value * 16 + static_cast<std::uint32_t>(digit);
    }
  }
  if (is_bytes) {
    out += static_cast<char>(value);
  } else if (is_code_point(value)) {
    append_utf8(out, value);
  } else {
    return false;
  }
  return true;
}

}  // namespace podium::cel
