// Quantity: a Kubernetes amount as CEL sees it.
//
// Role: api::Quantity compares amounts; CEL also sees how an amount was written ("1000m" is not an integer).
// Threads: a value. Errors: parse() has the API machinery's texts.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace podium::cel {

struct Quantity {
  __int128 nanos = 0;
  // The amount is value * 10^scale; exact: it is stored in this form. Source: resource.int64Amount.
  bool exact = true;
  std::int64_t value = 0;
  std::int32_t scale = 0;
  enum class Format : std::uint8_t { decimal, binary, exponent };
  Format format = Format::decimal;

  static std::expected<Quantity, std::string> parse(std::string_view text);
  static Quantity of(std::int64_t value);
  // No value: beyond the supported 10^20 units.
  std::expected<Quantity, std::string> plus(const Quantity& other) const;
  std::expected<Quantity, std::string> minus(const Quantity& other) const;
  // The integer, if the text is an integer.
  bool integer(std::int64_t& out) const;
  double approximate() const;
  std::string text() const;  // in its format: "1500m", "1536Mi", "1e3"
};

}  // namespace podium::cel
