// Random: the seam for randomness. Code that jitters or draws takes it by reference, so a run can be replayed
// from a seed. The pure core does not take it.
//
// Threads: implementations are callable from any thread. Errors: none.
#pragma once

#include <cstdint>

namespace podium {

class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;
  // Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

Random& system_random();

}  // namespace podium
