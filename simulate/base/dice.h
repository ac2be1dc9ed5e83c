// Dice: the randomness of a life, all of it drawn from its seed.
//
// Threads: one. Errors: none.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "base/random.h"

namespace podium::simulate {

class Dice final : public Random {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  // Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators (SplitMix64).
  std::uint64_t next() override {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t count) { return next() % count; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  std::chrono::microseconds between(std::chrono::microseconds least, std::chrono::microseconds most) {
    const auto span = static_cast<std::uint64_t>((most - least).count());
    return least + std::chrono::microseconds(static_cast<std::int64_t>(below(span + 1)));
  }
  // Separate dice for one part, so that the draws of another part do not change its own.
  Dice fork() { return Dice(next()); }

 private:
  std::uint64_t state_;
};

}  // namespace podium::simulate
