#include "client/decode/json_skim.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace podium::client {
namespace {

// Characters as indices: one look-up for each, since most of a text is skipped.
using Characters = std::array<bool, 256>;
consteval Characters characters(std::string_view of) {
  Characters out{};
  for (const char c : of) out[static_cast<unsigned char>(c)] = true;
  return out;
}
constexpr auto kEndsPiece = characters("\"\\"), kEndsStep = characters("\"{}[]");

// The first of the characters from `at` on, or the end.
std::size_t find_one(std::string_view text, std::size_t at, const Characters& of) {
  while (at < text.size() && !of[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

class Cursor {
 public:
  explicit Cursor(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  bool take(char wanted) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  bool at_end() {
    skip_space();
    return at_ >= text_.size();
  }
  // Takes a string, without its quotes. False: it is not terminated.
  bool take_string(std::string_view& out) {
    skip_space();
    const auto start = at_ + 1;
    if (at_ >= text_.size() || text_[at_] != '"' || !skip_string()) return false;
    out = text_.substr(start, at_ - 1 - start);
    return true;
  }
  // Takes a value of any type. False: it is incomplete; `out` is then the rest of the text.
  bool take_value(std::string_view& out) {
    skip_space();
    const auto start = at_;
    const bool whole = skip_value();
    out = text_.substr(start, whole ? at_ - start : std::string_view::npos);
    return whole && !out.empty();
  }

 private:
  static constexpr std::string_view kSpace = " \t\r\n";

  void skip_space() {
    while (at_ < text_.size() && kSpace.find(text_[at_]) != std::string_view::npos) ++at_;
  }
  // Moves from the opening quote to after the closing one.
  bool skip_string() {
    for (++at_; (at_ = find_one(text_, at_, kEndsPiece)) < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        return true;
      }
      ++at_;
    }
    at_ = text_.size();
    return false;
  }
  bool skip_value() {
    if (at_ >= text_.size()) return false;
    const char first = text_[at_];
    if (first == '"') return skip_string();
    if (first != '{' && first != '[') {
      at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
      return true;
    }
    std::size_t depth = 0;
    while ((at_ = find_one(text_, at_, kEndsStep)) < text_.size()) {
      switch (text_[at_]) {
        case '"':
          if (!skip_string()) return false;
          continue;
        case '{':
        case '[':
          ++depth;
          break;
        case '}':
        case ']':
          if (--depth == 0) {
            ++at_;
            return true;
          }
          break;
      }
      ++at_;
    }
    return false;
  }

  const std::string_view text_;
  std::size_t at_;
};

}  // namespace

std::size_t end_of_value(std::string_view text, std::size_t at) {
  std::string_view value;
  return Cursor(text, at).take_value(value) ? static_cast<std::size_t>(value.end() - text.begin())
                                            : std::string_view::npos;
}

bool skim_members(std::string_view object,
                  const std::function<void(std::string_view, std::string_view)>& each) {
  Cursor cursor(object);
  if (!cursor.take('{')) return false;
  if (cursor.take('}')) return cursor.at_end();
  for (;;) {
    std::string_view key, value;
    if (!cursor.take_string(key) || !cursor.take(':')) return false;
    const bool whole = cursor.take_value(value);
    if (!value.empty()) each(key, value);
    if (!whole) return false;
    if (cursor.take('}')) return cursor.at_end();
    if (!cursor.take(',')) return false;
  }
}

bool skim_items(std::string_view list, const std::function<void(std::string_view)>& each) {
  Cursor cursor(list);
  if (!cursor.take('[')) return false;
  if (cursor.take(']')) return cursor.at_end();
  for (;;) {
    std::string_view item;
    const bool whole = cursor.take_value(item);
    if (!item.empty()) each(item);
    if (!whole) return false;
    if (cursor.take(']')) return cursor.at_end();
    if (!cursor.take(',')) return false;
  }
}

}  // namespace podium::client
