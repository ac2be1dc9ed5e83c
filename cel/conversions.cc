#include <fmt/format.h>
#include <charconv>
#include <cmath>

#include "base/duration.h"
#include "cel/address.h"
#include "cel/functions.h"
#include "cel/go_text.h"
#include "cel/timestamp.h"

// int(), string(), timestamp(), …: from one kind to another.
namespace podium::cel {
// A named namespace: in a unity build, functions of sibling files would clash.
namespace conversions {
namespace {

constexpr double kTwo63 = 9223372036854775808.0, kTwo64 = 18446744073709551616.0;

Value same(const Call& call) { return call.args[0]; }

Value not_convertible(const Value& value, std::string_view to) {
  return Value::error(fmt::format("type conversion error from '{}' to '{}'", value.type_name(), to));
}

template <typename Number>
bool parse_whole(std::string_view text, Number& out) {
  if (text.starts_with('+') && std::is_signed_v<Number>) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  return code == std::errc() && end == text.data() + text.size() && !text.empty();
}

Value to_int(const Call& call) {
  const Value& value = call.args[0];
  switch (value.kind()) {
    case Kind::real:
      if (!(value.as_double() > -kTwo63 && value.as_double() < kTwo63)) return int_overflow();
      return Value::integer(static_cast<std::int64_t>(value.as_double()));
    case Kind::unsigned_integer:
      if (value.as_uint() > INT64_MAX) return int_overflow();
      return Value::integer(static_cast<std::int64_t>(value.as_uint()));
    case Kind::duration:
      return Value::integer(value.as_int());
    case Kind::timestamp:
      return Value::integer(value.as_timestamp().seconds);
    default:
      break;
  }
  std::int64_t number = 0;
  return parse_whole(value.text(), number) ? Value::integer(number) : not_convertible(value, "int");
}

Value to_uint(const Call& call) {
  const Value& value = call.args[0];
  if (value.is(Kind::real)) {
    if (!(value.as_double() >= 0 && value.as_double() < kTwo64)) return uint_overflow();
    return Value::unsigned_integer(static_cast<std::uint64_t>(value.as_double()));
  }
  if (value.is(Kind::integer)) {
    if (value.as_int() < 0) return uint_overflow();
    return Value::unsigned_integer(static_cast<std::uint64_t>(value.as_int()));
  }
  std::uint64_t number = 0;
  return parse_whole(value.text(), number) ? Value::unsigned_integer(number) : not_convertible(value, "uint");
}

bool parse_double(std::string_view text, double& out) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text[0] == '-' || text[0] == '+' || text.contains('(')) return false;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    // Go requires the exponent of a hexadecimal number.
    if (text.find_first_of("pP") == std::string_view::npos) return false;
    const auto [end, code] =
        std::from_chars(text.data() + 2, text.data() + text.size(), out, std::chars_format::hex);
    if (code != std::errc() || end != text.data() + text.size()) return false;
  } else {
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (end != text.data() + text.size()) return false;
    if (code == std::errc::result_out_of_range) {
      // In Go, a number that is too large is an error; one that is too small is zero.
      const auto e = text.find_first_of("eE");
      if (e == std::string_view::npos || text.substr(e + 1, 1) != "-") return false;
      out = 0;
    } else if (code != std::errc()) {
      return false;
    }
  }
  if (is_negative) out = -out;
  return true;
}

Value to_double(const Call& call) {
  const Value& value = call.args[0];
  if (value.is(Kind::integer)) return Value::real(static_cast<double>(value.as_int()));
  if (value.is(Kind::unsigned_integer)) return Value::real(static_cast<double>(value.as_uint()));
  double number = 0;
  return parse_double(value.text(), number) ? Value::real(number) : not_convertible(value, "double");
}

Value to_bool(const Call& call) {
  const std::string& text = call.args[0].text();
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == yes) return Value::boolean(true);
  }
  for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == no) return Value::boolean(false);
  }
  return not_convertible(call.args[0], "bool");
}

Value to_string(const Call& call) {
  const Value& value = call.args[0];
  switch (value.kind()) {
    case Kind::bytes:
      if (!is_valid_utf8(value.text()))
        return Value::error("invalid UTF-8 in bytes, cannot convert to string");
      return Value::string(value.text());
    case Kind::duration:
      return Value::string(duration_text(value.as_int()));
    case Kind::timestamp:
      return Value::string(timestamp_text(value.as_timestamp()));
    case Kind::ip:
      return Value::string(value.as_ip().text());
    case Kind::cidr:
      return Value::string(value.as_cidr().text());
    default:
      return Value::string(value.go_text());
  }
}
Value to_bytes(const Call& call) { return Value::bytes(call.args[0].text()); }

Value to_duration(const Call& call) {
  const auto nanos = parse_duration(call.args[0].text());
  return nanos ? Value::duration(nanos->count()) : not_convertible(call.args[0], "google.protobuf.Duration");
}
Value to_timestamp(const Call& call) {
  Timestamp time;
  if (call.args[0].is(Kind::integer)) {
    time.seconds = call.args[0].as_int();
  } else if (const auto parsed = parse_timestamp(call.args[0].text())) {
    time = *parsed;
  } else {
    return not_convertible(call.args[0], "google.protobuf.Timestamp");
  }
  return is_in_range(time) ? Value::timestamp(time) : Value::error("timestamp overflow");
}
Value to_type(const Call& call) { return Value::type(std::string(call.args[0].type_name())); }

}  // namespace
}  // namespace conversions

void add_conversions(Table& table) {
  using namespace conversions;
  const auto add = [&](std::string_view name, Kinds identity, Kinds converted, Implementation run) {
    table.push_back(
        {.name = name, .overloads = {{{identity}, same}, {{converted}, run}}, .is_conversion = true});
  };
  constexpr Kinds kString = bit(Kind::string), kInt = bit(Kind::integer), kUint = bit(Kind::unsigned_integer);
  constexpr Kinds kReal = bit(Kind::real), kTimestamp = bit(Kind::timestamp), kDuration = bit(Kind::duration);
  add("int", kInt, kReal | kDuration | kString | kTimestamp | kUint, to_int);
  add("uint", kUint, kReal | kInt | kString, to_uint);
  add("double", kReal, kInt | kString | kUint, to_double);
  add("bool", bit(Kind::boolean), kString, to_bool);
  add("string", kString,
      bit(Kind::boolean) | bit(Kind::bytes) | kReal | kDuration | kInt | kTimestamp | kUint | bit(Kind::ip) |
          bit(Kind::cidr),
      to_string);
  add("bytes", bit(Kind::bytes), kString, to_bytes);
  add("duration", kDuration, kString, to_duration);
  add("timestamp", kTimestamp, kInt | kString, to_timestamp);
  table.push_back({.name = "dyn", .overloads = {{{kAny}, same}}, .is_conversion = true});
  table.push_back({.name = "type", .overloads = {{{kAny}, to_type}}, .is_conversion = true});
}

}  // namespace podium::cel
