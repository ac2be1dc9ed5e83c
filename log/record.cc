#include "log/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/ascii.h"

namespace podium::log {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr char kRecord = '\x1e', kEnd = ':', kQuoted = 'q', kPlain = 'p';

bool is_key(char c) { return is_letter_or_digit(c) || c == '_'; }

// The length of "key=" at the beginning; 0 if there is none.
std::size_t key_length(std::string_view text) {
  if (text.empty() || !is_lower(text[0])) return 0;
  std::size_t i = 1;
  while (i < text.size() && is_key(text[i])) ++i;
  return i < text.size() && text[i] == '=' ? i + 1 : 0;
}

// The position of the next field of a format, or its end.
std::size_t next_field(std::string_view format) {
  for (std::size_t at = 0; at != kNone && at < format.size();) {
    if (key_length(format.substr(at)) > 0) return at;
    const auto space = format.find(' ', at);
    at = space == kNone ? kNone : space + 1;
  }
  return format.size();
}

// Formats the pieces of one format, each by itself.
class Pieces {
 public:
  explicit Pieces(fmt::format_args args) : args_(args) {}
  std::string next(std::string_view piece) { return fmt::vformat(numbered(piece), args_); }

 private:
  // The piece with the number of its argument in each placeholder.
  std::string numbered(std::string_view piece) {
    std::string out;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      out += piece[i];
      if (piece[i] != '{') continue;
      if (i + 1 < piece.size() && piece[i + 1] == '{') {
        out += piece[++i];
      } else {
        out += std::to_string(used_++);
      }
    }
    return out;
  }

  const fmt::format_args args_;
  int used_ = 0;
};

void put(std::string& out, std::string_view part) {
  fmt::format_to(std::back_inserter(out), "{}{}{}", part.size(), kEnd, part);
}

// Takes a part from the beginning of the bytes.
std::string_view take(std::string_view& bytes) {
  std::size_t length = 0;
  const auto* end = bytes.data() + bytes.size();
  const auto read = std::from_chars(bytes.data(), end, length);
  const auto begin = static_cast<std::size_t>(read.ptr - bytes.data()) + 1;
  if (read.ec != std::errc() || begin > bytes.size() || *read.ptr != kEnd || length > bytes.size() - begin)
    return std::exchange(bytes, {});
  const auto part = bytes.substr(begin, length);
  bytes.remove_prefix(begin + length);
  return part;
}

}  // namespace

std::string make_record(std::string_view format, fmt::format_args args) {
  Pieces pieces(args);
  auto message = format.substr(0, next_field(format));
  format.remove_prefix(message.size());
  while (message.ends_with(' ')) message.remove_suffix(1);
  std::string out(1, kRecord);
  put(out, pieces.next(message));
  while (!format.empty()) {
    const auto length = key_length(format);
    const auto key = format.substr(0, length - 1);
    format.remove_prefix(length);
    auto piece = format.substr(0, next_field(format));
    format.remove_prefix(piece.size());
    while (piece.ends_with(' ')) piece.remove_suffix(1);
    const bool is_quoted = piece == "{:?}";
    const auto value = pieces.next(is_quoted ? "{}" : piece);
    if (value.empty() && !is_quoted) continue;
    put(out, key);
    out += is_quoted ? kQuoted : kPlain;
    put(out, value);
  }
  return out;
}

Record read_record(std::string_view bytes) {
  if (!bytes.starts_with(kRecord)) return {.message = bytes, .fields = {}};
  bytes.remove_prefix(1);
  Record out;
  out.message = take(bytes);
  while (!bytes.empty()) {
    Field field;
    field.key = take(bytes);
    field.is_quoted = bytes.starts_with(kQuoted);
    bytes.remove_prefix(std::min<std::size_t>(bytes.size(), 1));
    field.value = take(bytes);
    out.fields.push_back(field);
  }
  return out;
}

std::string Record::text() const {
  std::string out(message);
  for (const auto& field : fields) {
    if (!out.empty()) out += ' ';
    fmt::format_to(std::back_inserter(out), "{}=", field.key);
    if (field.is_quoted)
      fmt::format_to(std::back_inserter(out), "{:?}", field.value);
    else
      out += field.value;
  }
  return out;
}

}  // namespace podium::log
