// Clock and Random: the seams for time and randomness. Code that waits, expires or jitters takes them by
// reference, so a run can be replayed on virtual time from a seed. The pure core takes neither.
//
// Threads: implementations are callable from any thread. Errors: none.
#pragma once

#include <chrono>
#include <cstdint>

namespace podium {

using Steady = std::chrono::steady_clock::time_point;
using Wall = std::chrono::system_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Steady now() const = 0;  // for waiting and measuring; never goes back
  virtual Wall wall() const = 0;   // for timestamps
  // The CPU time of the calling thread, for budgets. On virtual time a computation takes none.
  virtual std::chrono::nanoseconds cpu_time() const;
};

class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;
  // Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

// Durations of metrics are in seconds.
inline double in_seconds(std::chrono::nanoseconds d) { return std::chrono::duration<double>(d).count(); }

Clock& system_clock();
Random& system_random();

}  // namespace podium
