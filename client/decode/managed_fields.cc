#include "client/decode/managed_fields.h"

#include <cstddef>

#include "client/decode/json_skim.h"

namespace podium::client {
namespace {

constexpr auto npos = std::string_view::npos;

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
  const auto end = end_of_value(text, name + kKey.size() - 1);
  if (end == npos || end == text.size()) return text;
  // Also removes one comma: the one before, or the one after if it is the first field.
  const bool is_first = before.back() == '{' && text[end] == ',';
  if (!is_first && before.back() != ',') return text;
  buffer.assign(before.substr(0, is_first ? key : key - 1));
  buffer.append(text.substr(is_first ? end + 1 : end));
  return buffer;
}

}  // namespace podium::client
