// Lexer: the tokens of a CEL expression.
//
// Role: numbers, strings and bytes in all their forms, names, punctuation. Owner: the parser.
// Threads: one at a time. Errors: a token of Kind::fault, whose text is the reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace podium::cel {

struct Token {
  enum class Type : std::uint8_t { end, name, integer, unsigned_integer, real, string, bytes, sign, fault };

  Type type = Type::end;
  // A name, the digits of a number, the contents of a string, the operator ("&&"), or the reason of a fault.
  std::string text;
  std::size_t at = 0;  // offset of its first byte

  bool is(std::string_view sign) const { return type == Type::sign && text == sign; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

 private:
  Token number();
  Token quoted(bool is_bytes, bool is_raw);
  Token fault(std::string what) const { return {Token::Type::fault, std::move(what), start_}; }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  // Reads the escape after a backslash. False: unknown escape.
  bool escape(bool is_bytes, std::string& out);

  std::string_view text_;
  std::size_t at_ = 0, start_ = 0;
};

}  // namespace podium::cel
