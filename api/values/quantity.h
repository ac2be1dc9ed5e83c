// Quantity: a Kubernetes resource amount ("250m", "1.5Gi", "1e3"), exact.
//
// A 128-bit count of nano-units. This covers all that the API server accepts: at most 2^63-1 units, at
// finest 1n; finer digits round up. Larger values saturate. Compares by value: "0.5" equals "500m".
// Threads: a value. Errors: parse() says what is wrong with the text.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace podium::api {

class Quantity {
 public:
  constexpr Quantity() = default;
  static constexpr Quantity from_units(std::int64_t units) { return Quantity(__int128(units) * kNano); }
  static constexpr Quantity from_milli(std::int64_t milli) {
    return Quantity(__int128(milli) * (kNano / 1000));
  }
  static Result<Quantity> parse(std::string_view text);

  // In units and in thousandths; rounded up (away from zero), saturated to int64.
  // Source: apimachinery resource.Quantity Value() and MilliValue().
  std::int64_t value() const;
  std::int64_t milli_value() const;
  // Rounded up to a whole thousandth, as API defaulting does.
  Quantity rounded_up_to_milli() const;

  constexpr bool is_zero() const { return nanos_ == 0; }
  constexpr bool is_negative() const { return nanos_ < 0; }
  Quantity operator+(Quantity other) const;  // saturates
  Quantity operator-(Quantity other) const;  // saturates
  constexpr auto operator<=>(const Quantity&) const = default;

  // The shortest decimal form ("1500m", "3", "100n"); binary suffixes are not restored.
  std::string text() const;

 private:
  static constexpr std::int64_t kNano = 1'000'000'000;
  explicit constexpr Quantity(__int128 nanos) : nanos_(nanos) {}

  __int128 nanos_ = 0;
};

}  // namespace podium::api
