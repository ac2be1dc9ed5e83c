// Workers: processes that share the seeds, and the Sum of their findings.
//
// Owner: main(). Threads: one each. Errors: share() reports that a worker has died.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "simulate/life/life.h"

namespace podium::simulate {

struct Sum {
  std::uint64_t failed = 0, bound = 0, allocated = 0;
  std::uint64_t hash = 0;  // of all traces, in any order
  Excused excused;         // with the number of lives
  double seconds = 0;      // of all workers

  void add(std::uint64_t seed, const LifeOutcome& outcome);
  Sum& operator+=(const Sum& other);
  std::string text() const;
};

// Runs `work` in `workers` processes, each with its number; in this one if it is 1. Nullopt: one has died.
std::optional<Sum> share(unsigned workers, const std::function<Sum(unsigned worker, unsigned workers)>& work);

}  // namespace podium::simulate
