// The seeds of randomised tests. PODIUM_TEST_SEED repeats one.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <string>

namespace podium::test {

inline std::optional<std::uint64_t> given_seed() {
  const char* given = std::getenv("PODIUM_TEST_SEED");
  return given ? std::optional(std::strtoull(given, nullptr, 10)) : std::nullopt;
}

inline std::string seed_text(std::uint64_t seed) { return "PODIUM_TEST_SEED=" + std::to_string(seed); }

// Returns the given seed, else draws one. Prints it.
inline std::uint64_t drawn_seed() {
  const auto given = given_seed();
  const std::uint64_t seed = given ? *given : std::random_device()();
  std::cout << seed_text(seed) << '\n';
  return seed;
}

}  // namespace podium::test

// Failures in this scope show the seed.
#define SCOPED_SEED(seed) SCOPED_TRACE(::podium::test::seed_text(seed))
