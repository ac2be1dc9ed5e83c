#include "fuzz/driver/mutator.h"

#include <algorithm>
#include <utility>

namespace podium::fuzz {
namespace {

// Numbers at the edges of types and of bounds.
constexpr std::string_view kNumbers =
    "0 -1 1 2 3 7 10 16 63 64 100 253 255 256 1000 1024 10000 65535 65536 86400 2147483647 "
    "2147483648 -2147483648 4294967296 9223372036854775807 9223372036854775808 -9223372036854775808 "
    "18446744073709551615 99999999999999999999 0.5 1e3 1e19 1E400 -0 1.5Gi 100m 1n 0x10 010";

const std::vector<std::string_view>& numbers() {
  static const auto split = [] {
    std::vector<std::string_view> out;
    for (std::size_t begin = 0; begin < kNumbers.size();) {
      const auto end = std::min(kNumbers.find(' ', begin), kNumbers.size());
      out.push_back(kNumbers.substr(begin, end - begin));
      begin = end + 1;
    }
    return out;
  }();
  return split;
}

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-' || c == '/' || c == '%' || c == '+' || c == '\\';
}

// The position after the bracket that closes the one at `begin`; the end of the text where none does.
std::size_t closing(std::string_view text, std::size_t begin) {
  std::size_t open = 0;
  for (auto at = begin; at < text.size(); ++at) {
    if (text[at] == '{' || text[at] == '[') ++open;
    if ((text[at] == '}' || text[at] == ']') && --open == 0) return at + 1;
  }
  return text.size();
}

}  // namespace

Mutator::Mutator(std::uint64_t seed, std::vector<std::string> corpus, std::vector<std::string> words)
    : random_(seed), corpus_(std::move(corpus)), words_(std::move(words)) {
  if (corpus_.empty()) corpus_.emplace_back("");
}

std::string Mutator::next() { return change(entry()); }

std::string Mutator::change(std::string text) {
  // Mostly few edits: an input that nothing accepts tests little.
  const auto edits = 1 + below(below(4) == 0 ? 12 : 3);
  for (std::size_t i = 0; i < edits; ++i) mutate(text);
  if (text.size() > kLongestInput) text.resize(kLongestInput);
  return text;
}

Mutator::Span Mutator::some_span(std::string_view text, std::size_t longest) {
  if (text.empty()) return {};
  const auto begin = below(text.size());
  return {begin, std::min(text.size() - begin, 1 + below(longest))};
}

Mutator::Span Mutator::some_word(std::string_view text) {
  if (text.empty()) return {};
  auto begin = below(text.size());
  while (begin < text.size() && !is_word_byte(text[begin])) ++begin;
  while (begin > 0 && is_word_byte(text[begin - 1])) --begin;
  auto end = begin;
  while (end < text.size() && is_word_byte(text[end])) ++end;
  return {begin, end - begin};
}

Mutator::Span Mutator::some_group(std::string_view text) {
  if (text.empty()) return {};
  const auto begin = text.find_first_of("{[", below(text.size()));
  return begin == std::string_view::npos ? Span{} : Span{begin, closing(text, begin) - begin};
}

Mutator::Span Mutator::some_line(std::string_view text) {
  if (text.empty()) return {};
  const auto at = below(text.size());
  const auto before = text.rfind('\n', at);
  const auto begin = before == std::string_view::npos || before == at ? 0 : before + 1;
  const auto end = std::min(text.find('\n', at), text.size() - 1) + 1;
  return {begin, end - begin};
}

std::string_view Mutator::other_word() {
  const auto draw = below(8);
  if (draw == 0) return numbers()[below(numbers().size())];
  if (draw < 5 && !words_.empty()) return words_[below(words_.size())];
  const std::string_view other = entry();
  const auto word = some_word(other);
  return other.substr(word.begin, word.length);
}

void Mutator::change_bytes(std::string& text) {
  const auto span = some_span(text, 24);
  switch (below(6)) {
    case 0:
      if (!text.empty()) text[span.begin] = static_cast<char>(text[span.begin] ^ (1 << below(8)));
      break;
    case 1:
      if (!text.empty()) text[span.begin] = static_cast<char>(random_());
      break;
    case 2:
      text.erase(span.begin, span.length);
      break;
    case 3:
      text.insert(span.begin, text.substr(some_span(text, 24).begin, span.length));
      break;
    case 4:
      if (below(4) == 0) text.resize(below(text.size() + 1));
      break;
    default:
      // Many times the same: where a bound is missing.
      if (const auto times = std::size_t{1} << below(10); span.length * times + text.size() < kLongestInput) {
        std::string many;
        for (std::size_t i = 0; i < times; ++i) many.append(text, span.begin, span.length);
        text.insert(span.begin, many);
      }
  }
}

void Mutator::change_words(std::string& text) {
  const auto word = some_word(text);
  switch (below(4)) {
    case 0:
      text.insert(word.begin, other_word());
      break;
    case 1: {
      const auto number = numbers()[below(numbers().size())];
      text.replace(word.begin, word.length, number);
      break;
    }
    case 2: {  // two words change places
      const auto other = some_word(text);
      const auto first = text.substr(word.begin, word.length),
                 second = text.substr(other.begin, other.length);
      if (word.begin + word.length > other.begin) break;
      text.replace(other.begin, other.length, first).replace(word.begin, word.length, second);
      break;
    }
    default:
      text.replace(word.begin, word.length, std::string(other_word()));
  }
}

void Mutator::change_groups(std::string& text) {
  const auto group = some_group(text);
  const auto& source = entry();
  const auto other = some_group(source);
  switch (below(5)) {
    case 0:
      text.replace(group.begin, group.length, source.substr(other.begin, other.length));
      break;
    case 1:  // one more after it
      if (group.length > 0)
        text.insert(group.begin + group.length, "," + source.substr(other.begin, other.length));
      break;
    case 2: {  // without it, and the comma before or after it
      const auto comma = group.begin > 0 && text[group.begin - 1] == ',' ? group.begin - 1 : group.begin;
      text.erase(comma, group.begin + group.length - comma);
      break;
    }
    case 3: {  // within it
      if (group.length == 0) break;
      const auto many = below(3) == 0 ? std::size_t{1} << below(8) : 1;
      std::string inner;
      for (std::size_t i = 0; i < many && inner.size() < kLongestInput; ++i)
        inner += source.substr(other.begin, other.length) + ",";
      text.insert(group.begin + 1, inner);
      break;
    }
    default: {  // a line of another entry
      const auto& from = entry();
      const auto line = some_line(from);
      const auto at = some_line(text);
      if (below(2) == 0) text.erase(at.begin, at.length);
      text.insert(at.begin, from, line.begin, line.length);
    }
  }
}

void Mutator::splice(std::string& text) {
  const auto& other = entry();
  if (text.empty() || other.empty()) return;
  const auto from = below(other.size());
  text = text.substr(0, below(text.size())) + other.substr(from);
}

void Mutator::mutate(std::string& text) {
  switch (below(10)) {
    case 0:
    case 1:
      return change_bytes(text);
    case 2:
      return below(4) == 0 ? splice(text) : change_bytes(text);
    case 3:
    case 4:
    case 5:
      return change_groups(text);
    default:
      return change_words(text);
  }
}

}  // namespace podium::fuzz
