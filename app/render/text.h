// Text for a terminal: aligned tables, counts, durations and colours.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/counted.h"
#include "base/similar.h"

namespace podium::render {

// Colours; the bare text if `on` is false.
struct Style {
  bool on = false;
  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string good(std::string_view text) const { return paint("32", text); }
  std::string bad(std::string_view text) const { return paint("31", text); }
  std::string warn(std::string_view text) const { return paint("33", text); }

 private:
  std::string paint(std::string_view code, std::string_view text) const;
};

// The size of a terminal; 0: no limit.
struct Screen {
  std::size_t rows = 0, columns = 0;
};

// The columns that UTF-8 text takes: one for each code point, none for colours.
std::size_t width(std::string_view text);

// Removes control characters, escape sequences, and what hides or reorders text, and replaces what is not
// UTF-8: other authors write the texts of a report.
std::string printable(std::string_view text);
// The same for each line.
std::string printable_lines(std::string_view text);

using Cells = std::vector<std::string>;
enum class Align { left, right };

// The width of the terminal, and the columns to cut if the lines are wider, one after the other, each down to
// this number of characters.
struct Fit {
  struct Column {
    std::size_t index, least;
  };
  std::size_t columns = 0;  // 0: no limit
  std::vector<Column> cut = {};
};

// A line for each row, columns two spaces apart. The last of `columns` applies to all further ones. Rows may
// be shorter than the first.
std::string table(const std::vector<Cells>& rows, const std::vector<Align>& columns, std::size_t indent = 2,
                  const Fit& fit = {});
// Cuts the text to this many characters and ends it with "…". Does not cut within colours.
std::string shortened(std::string_view text, std::size_t columns);
// Wraps the words into lines that fit, further lines indented; 0: one line.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent = 2);

// Returns the text with a capital first letter.
std::string capitalized(std::string text);

// "fits" of one, "fit" of several.
constexpr std::string_view fit(std::size_t n) { return n == 1 ? "fits" : "fit"; }

// One unit, as kubectl prints ages: "42s", "19m", "5h", "3d".
std::string age(std::chrono::seconds time);
// The same as words: "42 seconds", "1 hour".
std::string age_words(std::chrono::seconds time);

// "podium does not model: ….", or empty.
std::string not_modelled_line(const std::vector<std::string>& what);
// The namespaces in which podium was not asked.
struct Unasked {
  std::vector<std::string> forbidden;  // the user may not ask there
  std::vector<std::string> ending;     // being deleted: the API server creates nothing there

  void add(const std::string& ns, bool is_ending) { (is_ending ? ending : forbidden).push_back(ns); }
};
// "You may not create schedulingreports in …, so pods there are not …": `what` is "named"; or empty.
std::string unasked_lines(const Unasked& unasked, std::string_view what);

}  // namespace podium::render
