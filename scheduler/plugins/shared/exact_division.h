// Exact integer quotients from floating-point division, which vectorises where 64-bit integer division does
// not.
//
// For whole numbers n and d with 0 <= n, 0 < d and n + d < 2^53, truncating the correctly rounded n / d gives
// the integer quotient: the true quotient is either whole, and so exact, or at least 1/d below the next whole
// number k, which is more than half the spacing of doubles there, since k * d <= n + d < 2^53. The same holds
// for float below 2^24.
#pragma once

#include <bit>
#include <cstdint>

namespace podium::plugins {

// Amounts below this can be multiplied by 100 and divided in doubles exactly: 100 * 2^45 + 2^45 < 2^53.
inline constexpr std::int64_t kSmall = std::int64_t{1} << 45;

// The same number, for values below 2^52. Unlike a conversion, this vectorises without AVX-512: the value is
// put into the mantissa of 2^52.
inline double small_to_double(std::uint64_t value) {
  return std::bit_cast<double>(value | 0x4330'0000'0000'0000) - 0x1p52;
}

// part / whole as upstream's float64 quotient, and 0 where there is no whole. 0 <= part, both below 2^52.
inline double share_of(std::int64_t part, std::int64_t whole) {
  return small_to_double(static_cast<std::uint64_t>(part)) /
         small_to_double(static_cast<std::uint64_t>(whole > 1 ? whole : 1));
}

// 100 * part / whole for small amounts, 0 <= part <= whole, and 0 where there is no whole.
inline std::int32_t small_percent(std::int64_t part, std::int64_t whole) {
  return static_cast<std::int32_t>(small_to_double(static_cast<std::uint64_t>(part)) * 100.0 /
                                   small_to_double(static_cast<std::uint64_t>(whole > 1 ? whole : 1)));
}

// 100 * part / whole for any 0 <= part <= whole, 0 < whole.
inline std::int64_t percent(std::int64_t part, std::int64_t whole) {
  if (whole < kSmall) {
    return static_cast<std::int32_t>(static_cast<double>(part) * 100.0 / static_cast<double>(whole));
  }
  return static_cast<std::int64_t>(static_cast<__int128>(part) * 100 / whole);
}

}  // namespace podium::plugins
