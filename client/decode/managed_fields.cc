#include "client/decode/managed_fields.h"

#include <cstddef>

namespace podium::client {
namespace {

constexpr auto npos = std::string_view::npos;

// The end of the list that begins there; npos: it does not end.
std::size_t end_of_list(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        for (++at; at < text.size() && text[at] != '"'; ++at) {
          if (text[at] == '\\') ++at;
        }
        break;
      case '[':
        ++depth;
        break;
      case ']':
        if (--depth == 0) return at + 1;
        break;
    }
  }
  return npos;
}

}  // namespace

// In a string the closing quote of the key would be escaped, so what is found is a key. metadata comes before
// spec, and no other field before it has one of this name.
std::string_view without_managed_fields(std::string_view text, std::string& buffer) {
  // Without their first quotes: a text is searched for its first character.
  constexpr std::string_view kKey = R"(managedFields":[)", kSpec = R"(spec":{)";
  const auto name = text.find(kKey);
  if (name == npos || name < 2 || text[name - 1] != '"') return text;
  const auto key = name - 1;
  const auto before = text.substr(0, key);
  if (before.find(kSpec) != npos) return text;
  const auto end = end_of_list(text, name + kKey.size() - 1);
  if (end == npos || end == text.size()) return text;
  // One comma goes with it: the one before, or the one after if it is the first field.
  const bool is_first = before.back() == '{' && text[end] == ',';
  if (!is_first && before.back() != ',') return text;
  buffer.assign(before.substr(0, is_first ? key : key - 1));
  buffer.append(text.substr(is_first ? end + 1 : end));
  return buffer;
}

}  // namespace podium::client
