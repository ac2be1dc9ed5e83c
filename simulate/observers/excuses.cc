#include "simulate/observers/excuses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace podium::simulate {
namespace {

constexpr std::uint64_t kThousand = 1'000;

// The least number that a Poisson distribution with this mean exceeds with at most this probability.
std::uint64_t rarely_exceeded(double mean, double probability) {
  double term = std::exp(-mean), left = 1 - term;
  std::uint64_t out = 0;
  while (left > probability) {
    term *= mean / static_cast<double>(++out);
    left -= term;
  }
  return out;
}

}  // namespace

std::uint64_t most_excused(Excuse excuse, std::uint64_t lives) {
  const auto in_a_thousand = kMostExcused[static_cast<std::size_t>(excuse)];
  if (lives >= kThousand) return in_a_thousand * lives / kThousand;
  const auto mean = static_cast<double>(in_a_thousand * lives) / static_cast<double>(kThousand);
  return std::min(in_a_thousand, rarely_exceeded(mean, 1e-4));
}

void Excused::add(const Excuses& of_a_life) {
  ++lives;
  for (std::size_t i = 0; i < kExcuseCount; ++i) {
    times[i] += of_a_life[i];
    if (of_a_life[i] > 0) ++in_lives[i];
  }
}

Excused& Excused::operator+=(const Excused& other) {
  lives += other.lives;
  for (std::size_t i = 0; i < kExcuseCount; ++i) {
    times[i] += other.times[i];
    in_lives[i] += other.in_lives[i];
  }
  return *this;
}

std::string Excused::text() const {
  std::string out;
  for (std::size_t i = 0; i < kExcuseCount; ++i)
    out += fmt::format("{}{} {} (in {} lives)", i > 0 ? ", " : "", times[i], kExcuses[i], in_lives[i]);
  return out;
}

std::string Excused::too_often() const {
  std::string out;
  for (std::size_t i = 0; i < kExcuseCount; ++i) {
    const auto most = most_excused(static_cast<Excuse>(i), lives);
    const auto counted = lives < kThousand ? in_lives[i] : times[i];
    if (counted <= most) continue;
    out += fmt::format("excused too often: {} {} in {} of {} lives; {} may be\n", times[i], kExcuses[i],
                       in_lives[i], lives, most);
  }
  return out;
}

}  // namespace podium::simulate
