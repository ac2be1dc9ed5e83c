#include "app/render/text.h"

#include <fmt/format.h>
#include <algorithm>

namespace podium::render {

std::string Style::paint(std::string_view code, std::string_view text) const {
  return on ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    // C1, U+0080 to U+009F: to some terminals U+009B begins a sequence as ESC [ does.
    if (byte == 0xC2 && next >= 0x80 && next <= 0x9F) {
      ++i;
      continue;
    }
    if (byte >= 0x20 && byte != 0x7F) out += text[i];
    if (byte == '\n' || byte == '\t') out += ' ';
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  for (std::size_t begin = 0, end = 0; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    if (begin > 0) out += '\n';
    out += printable(text.substr(begin, end - begin));
  }
  return out;
}

std::string table(const std::vector<Cells>& rows, const std::vector<Align>& columns, std::size_t indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string gap(widths[c] - width(row[c]), ' ');
      const bool right = columns[std::min(c, columns.size() - 1)] == Align::right;
      line += (c ? "  " : "") + (right ? gap + row[c] : row[c] + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string counted(std::size_t n, std::string_view noun, std::string_view plural) {
  if (n == 1) return fmt::format("1 {}", noun);
  return plural.empty() ? fmt::format("{} {}s", n, noun) : fmt::format("{} {}", n, plural);
}

std::string age(std::chrono::seconds time) {
  const auto s = std::max<std::int64_t>(0, time.count());
  if (s < 120) return fmt::format("{}s", s);
  if (s < 2 * 3600) return fmt::format("{}m", s / 60);
  if (s < 48 * 3600) return fmt::format("{}h", s / 3600);
  return fmt::format("{}d", s / 86400);
}

std::string listed(const std::vector<std::string>& names, std::size_t most, std::size_t total) {
  total = std::max(total, names.size());
  const auto shown = std::min(names.size(), most);
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += i + 1 == total ? " and " : ", ";
    out += names[i];
  }
  if (shown < total) out += fmt::format("{}{} more", shown ? " and " : "", total - shown);
  return out;
}

}  // namespace podium::render
