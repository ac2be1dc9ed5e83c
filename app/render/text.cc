#include "app/render/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cctype>

#include "base/utf8.h"

namespace podium::render {

std::string Style::paint(std::string_view code, std::string_view text) const {
  return on ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

namespace {

// Visits each character of the text and each colour: those with `is_colour` take no column.
template <typename See>
void each_piece(std::string_view text, See&& see) {
  for (std::size_t at = 0; at < text.size();) {
    auto end = at + 1;
    const bool is_colour = text[at] == '\033';
    if (is_colour)
      end = std::min(text.find('m', at), text.size() - 1) + 1;
    else
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    see(text.substr(at, end - at), is_colour);
    at = end;
  }
}

}  // namespace

std::size_t width(std::string_view text) {
  std::size_t out = 0;
  each_piece(text, [&](std::string_view, bool is_colour) { out += is_colour ? 0 : 1; });
  return out;
}

std::string shortened(std::string_view text, std::size_t columns) {
  if (width(text) <= columns || columns == 0) return std::string(text);
  std::string out;
  std::size_t taken = 0;
  each_piece(text, [&](std::string_view piece, bool is_colour) {
    if (is_colour || ++taken < columns)
      out += piece;
    else if (taken == columns)
      out += "…";
  });
  return out;
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string out, line;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    at = end + 1;
    if (columns > 0 && width(line) > indent && width(line) + 1 + width(word) > columns) {
      out += line + "\n";
      line = std::string(indent, ' ') + std::string(word);
    } else {
      line += (line.empty() ? "" : " ") + std::string(word);
    }
  }
  return out + line + "\n";
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto length = character_length(text);
    if (text.front() == '\n' || text.front() == '\t')
      out += ' ';
    else if (length == 0)  // also the byte of C1 that some terminals accept alone
      out += "\uFFFD";
    else if (control_length(text) == 0)
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
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

namespace {

// Cuts the columns that may be cut until the lines fit.
void make_fit(std::vector<std::size_t>& widths, std::size_t indent, const Fit& fit) {
  if (fit.columns == 0 || widths.empty()) return;
  auto all = indent + 2 * (widths.size() - 1);
  for (const auto each : widths) all += each;
  for (const auto& [index, least] : fit.cut) {
    if (all <= fit.columns) return;
    if (index >= widths.size() || widths[index] <= least) continue;
    const auto less = std::min(all - fit.columns, widths[index] - least);
    widths[index] -= less;
    all -= less;
  }
}

}  // namespace

std::string table(const std::vector<Cells>& rows, const std::vector<Align>& columns, std::size_t indent,
                  const Fit& fit) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  make_fit(widths, indent, fit);
  std::string out;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < row.size(); ++c) {
      const auto cell = shortened(row[c], widths[c]);
      const std::string gap(widths[c] - std::min(widths[c], width(cell)), ' ');
      const bool right = columns[std::min(c, columns.size() - 1)] == Align::right;
      line += (c ? "  " : "") + (right ? gap + cell : cell + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string capitalized(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string age(std::chrono::seconds time) {
  const auto s = std::max<std::int64_t>(0, time.count());
  if (s < 120) return fmt::format("{}s", s);
  if (s < 2 * 3600) return fmt::format("{}m", s / 60);
  if (s < 48 * 3600) return fmt::format("{}h", s / 3600);
  return fmt::format("{}d", s / 86400);
}

std::string age_words(std::chrono::seconds time) {
  const auto s = static_cast<std::size_t>(std::max<std::int64_t>(0, time.count()));
  if (s < 120) return counted(s, "second");
  if (s < 2 * 3600) return counted(s / 60, "minute");
  if (s < 48 * 3600) return counted(s / 3600, "hour");
  return counted(s / 86400, "day");
}

std::string not_modelled_line(const std::vector<std::string>& what) {
  return what.empty() ? "" : fmt::format("podium does not model: {}.\n", fmt::join(what, ", "));
}

std::string unasked_lines(const Unasked& unasked, std::string_view what) {
  constexpr std::size_t kNamed = 3;
  std::string out;
  if (!unasked.forbidden.empty())
    out += fmt::format("You may not create schedulingreports in {}, so pods there are not {}.\n",
                       listed(unasked.forbidden, kNamed), what);
  if (!unasked.ending.empty())
    out += fmt::format(
        "The API server accepts no questions in {}, which {} being deleted, so pods there are not {}.\n",
        listed(unasked.ending, kNamed), unasked.ending.size() == 1 ? "is" : "are", what);
  return out;
}

}  // namespace podium::render
