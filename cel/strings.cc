#include <fmt/format.h>
#include <algorithm>

#include "cel/functions.h"
#include "cel/go_text.h"

// The functions of strings; positions count code points.
namespace podium::cel {
// A named namespace: in a unity build, functions of sibling files would clash.
namespace string_functions {
namespace {

constexpr Kinds kText = bit(Kind::string), kInt = bit(Kind::integer);

const std::string& text(const Call& call, std::size_t i = 0) { return call.args[i].text(); }
std::int64_t number(const Call& call, std::size_t i) { return call.args[i].as_int(); }

Value out_of_range(std::int64_t at) { return Value::error(fmt::format("index out of range: {}", at)); }

template <bool (*holds)(std::string_view, std::string_view)>
Value test(const Call& call) {
  if (!call.args[0].is(Kind::string) || !call.args[1].is(Kind::string)) return Value::no_such_overload();
  call.budget.spend(text(call).size() / 8);
  return Value::boolean(holds(text(call), text(call, 1)));
}
bool has(std::string_view whole, std::string_view part) { return whole.contains(part); }
bool begins(std::string_view whole, std::string_view part) { return whole.starts_with(part); }
bool ends(std::string_view whole, std::string_view part) { return whole.ends_with(part); }

// Code points with their positions.
struct Points {
  explicit Points(const Call& call, std::size_t arg = 0)
      : whole(text(call, arg)), offsets(code_point_offsets(whole)) {
    call.budget.spend(whole.size());
  }
  std::int64_t size() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::string part(std::int64_t from, std::int64_t to) const {
    const auto begin = offsets[static_cast<std::size_t>(from)], end = offsets[static_cast<std::size_t>(to)];
    return std::string(whole.substr(begin, end - begin));
  }
  std::string_view whole;
  std::vector<std::size_t> offsets;
};

Value char_at(const Call& call) {
  const Points points(call);
  const std::int64_t at = number(call, 1);
  if (at < 0 || at > points.size()) return out_of_range(at);
  return Value::string(at == points.size() ? "" : points.part(at, at + 1));
}

Value substring(const Call& call) {
  const Points points(call);
  const std::int64_t from = number(call, 1);
  const std::int64_t to = call.args.size() == 3 ? number(call, 2) : points.size();
  if (call.args.size() == 3 && from > to) {
    return Value::error(fmt::format("invalid substring range. start: {}, end: {}", from, to));
  }
  if (from < 0 || from > points.size()) return out_of_range(from);
  if (to < 0 || to > points.size()) return out_of_range(to);
  return Value::string(points.part(from, to));
}

std::int64_t index_at(const Points& points, std::size_t offset) {
  const auto at = std::lower_bound(points.offsets.begin(), points.offsets.end(), offset);
  return at - points.offsets.begin();
}

Value index_of(const Call& call) {
  const std::int64_t from = call.args.size() == 3 ? number(call, 2) : 0;
  if (from < 0) return out_of_range(from);
  const Points points(call);
  if (text(call, 1).empty()) return Value::integer(std::min<std::int64_t>(from, points.size()));
  if (from >= points.size()) return Value::integer(-1);
  const auto found = points.whole.find(text(call, 1), points.offsets[static_cast<std::size_t>(from)]);
  return Value::integer(found == std::string_view::npos ? -1 : index_at(points, found));
}

Value last_index_of(const Call& call) {
  const Points points(call);
  const bool has_offset = call.args.size() == 3;
  const std::int64_t from = has_offset ? number(call, 2) : points.size() - 1;
  if (!has_offset && text(call, 1).empty()) return Value::integer(points.size());
  if (!has_offset && points.whole.size() < text(call, 1).size()) return Value::integer(-1);
  if (from < 0) return out_of_range(from);
  if (text(call, 1).empty()) return Value::integer(std::min<std::int64_t>(from, points.size()));
  if (from >= points.size()) return Value::integer(-1);
  const auto found = points.whole.rfind(text(call, 1), points.offsets[static_cast<std::size_t>(from)]);
  return Value::integer(found == std::string_view::npos ? -1 : index_at(points, found));
}

template <char first, char last, int shift>
Value shift_case(const Call& call) {
  std::string out = text(call);
  call.budget.spend(out.size() / 8);
  for (char& c : out) {
    if (c >= first && c <= last) c = static_cast<char>(c + shift);
  }
  return Value::string(std::move(out));
}

Value replace(const Call& call) {
  const std::string &whole = text(call), &from = text(call, 1), &to = text(call, 2);
  std::int64_t left = call.args.size() == 4 ? number(call, 3) : -1;
  const Points points(call);
  // The largest possible result: each code point replaced, and one more.
  const std::size_t times = from.empty() ? points.offsets.size() : whole.size() / from.size();
  if (!call.budget.spend_text(whole.size() + times * to.size())) return Value::error("");
  std::string out;
  std::size_t at = 0;
  if (from.empty()) {
    for (std::size_t i = 0; i < points.offsets.size() && left != 0; ++i, --left) {
      out.append(whole, at, points.offsets[i] - at);
      out += to;
      at = points.offsets[i];
    }
  } else {
    for (; left != 0; --left) {
      const auto found = whole.find(from, at);
      if (found == std::string::npos) break;
      out.append(whole, at, found - at);
      out += to;
      at = found + from.size();
    }
  }
  out.append(whole, at);
  return Value::string(std::move(out));
}

Value split(const Call& call) {
  const std::string &whole = text(call), &by = text(call, 1);
  const std::int64_t most = call.args.size() == 3 ? number(call, 2) : -1;
  std::vector<Value> parts;
  if (most == 0) return Value::list({});
  const Points points(call);
  const auto is_full = [&] { return most > 0 && static_cast<std::int64_t>(parts.size()) + 1 >= most; };
  if (by.empty()) {
    // One part for each code point, the last with the rest.
    std::int64_t i = 0;
    for (; i < points.size() && !(is_full() && i + 1 < points.size()); ++i) {
      parts.push_back(Value::string(points.part(i, i + 1)));
    }
    if (i < points.size()) parts.push_back(Value::string(points.part(i, points.size())));
    return Value::list(std::move(parts));
  }
  std::size_t at = 0;
  while (!is_full()) {
    const auto found = whole.find(by, at);
    if (found == std::string::npos) break;
    parts.push_back(Value::string(whole.substr(at, found - at)));
    at = found + by.size();
  }
  parts.push_back(Value::string(whole.substr(at)));
  return Value::list(std::move(parts));
}

// Unicode's white space.
bool is_space(std::string_view point) {
  static constexpr std::string_view kSpaces[] = {
      "\t",     "\n",     "\v",     "\f",     "\r",     " ",      "\u0085", "\u00a0", "\u1680",
      "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
      "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};
  return std::find(std::begin(kSpaces), std::end(kSpaces), point) != std::end(kSpaces);
}
Value trim(const Call& call) {
  const Points points(call);
  std::int64_t from = 0, to = points.size();
  while (from < to && is_space(points.part(from, from + 1))) ++from;
  while (to > from && is_space(points.part(to - 1, to))) --to;
  return Value::string(points.part(from, to));
}

Value join(const Call& call) {
  const std::string separator = call.args.size() == 2 ? text(call, 1) : "";
  std::string out;
  bool is_first = true;
  for (const Value& item : call.args[0].items()) {
    if (!is_first) out += separator;
    is_first = false;
    if (!item.is(Kind::string)) return Value::error("join: invalid input: " + item.go_text());
    if (!call.budget.spend(1 + (item.text().size() + separator.size()) / (out.size() > 4096 ? 1 : 8)))
      return Value::error("");
    out += item.text();
  }
  return Value::string(std::move(out));
}

Value quote(const Call& call) {
  static constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"", kNames = "abfnrtv\\\"";
  call.budget.spend(text(call).size() / 8);
  std::string out = "\"";
  for (const char c : text(call)) {
    const auto at = kEscaped.find(c);
    if (at == std::string_view::npos) {
      out += c;
    } else {
      out += {'\\', kNames[at]};
    }
  }
  return Value::string(out + '"');
}

}  // namespace
}  // namespace string_functions

void add_strings(Table& table) {
  using namespace string_functions;
  const auto unguarded = [&](std::string_view name, Implementation run) {
    table.push_back({.name = name, .overloads = {{{kAny, kAny}, run}}, .is_unguarded = true});
  };
  unguarded("contains", test<has>);
  unguarded("startsWith", test<begins>);
  unguarded("endsWith", test<ends>);
  table.push_back({.name = "charAt", .overloads = {{{kText, kInt}, char_at}}});
  table.push_back(
      {.name = "indexOf", .overloads = {{{kText, kText}, index_of}, {{kText, kText, kInt}, index_of}}});
  table.push_back({.name = "lastIndexOf",
                   .overloads = {{{kText, kText}, last_index_of}, {{kText, kText, kInt}, last_index_of}}});
  table.push_back({.name = "lowerAscii", .overloads = {{{kText}, shift_case<'A', 'Z', 32>}}});
  table.push_back({.name = "upperAscii", .overloads = {{{kText}, shift_case<'a', 'z', -32>}}});
  table.push_back({.name = "replace",
                   .overloads = {{{kText, kText, kText}, replace}, {{kText, kText, kText, kInt}, replace}}});
  table.push_back({.name = "split", .overloads = {{{kText, kText}, split}, {{kText, kText, kInt}, split}}});
  table.push_back(
      {.name = "substring", .overloads = {{{kText, kInt}, substring}, {{kText, kInt, kInt}, substring}}});
  table.push_back({.name = "trim", .overloads = {{{kText}, trim}}});
  constexpr Kinds kList = bit(Kind::list);
  table.push_back({.name = "join", .overloads = {{{kList}, join, kText}, {{kList, kText}, join, kText}}});
  table.push_back({.name = "strings.quote", .overloads = {{{kText}, quote}}});
}

}  // namespace podium::cel
