#include "base/ascii.h"

#include <algorithm>

namespace podium {

std::string to_lower(std::string text) {
  for (auto& c : text) c = to_lower(c);
  return text;
}

bool equal_fold(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return to_lower(x) == to_lower(y); });
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (auto end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + separator.size());
  }
  parts.push_back(text);
  return parts;
}

std::vector<std::string_view> split_without_empty(std::string_view text, std::string_view separator) {
  auto parts = split(text, separator);
  std::erase(parts, "");
  return parts;
}

}  // namespace podium
