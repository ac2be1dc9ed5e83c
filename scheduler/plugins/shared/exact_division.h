// Exact integer quotients from floating-point division. Unlike 64-bit integer division, it vectorises.
//
// For integers n and d with 0 <= n, 0 < d and n + d < 2^53, truncating the correctly rounded n / d gives the
// integer quotient. Proof: a true quotient that is an integer is exact. Any other is at least 1/d below the
// next integer k. That is more than half the spacing of doubles there, since k * d <= n + d < 2^53. The same
// holds for float below 2^24.
// Threads: pure functions.
#pragma once

#include <bit>
#include <cstdint>

namespace podium::plugins {

// Amounts below this limit can be multiplied by 100 and divided exactly in doubles: 100 * 2^45 + 2^45 < 2^53.
inline constexpr std::int64_t kSmall = std::int64_t{1} << 45;

// Converts a value below 2^52. Unlike a cast, this vectorises without AVX-512: the value is placed into the
// mantissa of 2^52.
inline double small_to_double(std::uint64_t value) {
  return std::bit_cast<double>(value | 0x4330'0000'0000'0000) - 0x1p52;
}

// part / whole as upstream's float64 quotient; 0 if whole and part are 0. 0 <= part, both below 2^52.
inline double share_of(std::int64_t part, std::int64_t whole) {
  return small_to_double(static_cast<std::uint64_t>(part)) /
         small_to_double(static_cast<std::uint64_t>(whole > 1 ? whole : 1));
}

// 100 * part / whole for amounts below kSmall, 0 <= part <= whole; 0 if whole is 0.
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
