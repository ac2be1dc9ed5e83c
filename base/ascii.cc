#include "base/ascii.h"

#include <algorithm>

namespace podium {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string to_lower(std::string text) {
  std::ranges::transform(text, text.begin(), lower);
  return text;
}

bool equal_fold(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace podium
