// Clock: the seam for time, taken by reference, so that an Engine can run on virtual time. The pure core does
// not take it. Connections, credentials, child processes and a process's end read the steady clock.
//
// Threads: implementations are callable from any thread. Errors: none.
#pragma once

#include <chrono>

#include "base/instant.h"

namespace podium {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Steady now() const = 0;  // for waiting and measuring; never goes back
  virtual Wall wall() const = 0;   // for timestamps
  // The CPU time of the calling thread, for budgets. On virtual time a computation takes none.
  virtual std::chrono::nanoseconds cpu_time() const;
};

// Durations of metrics are in seconds.
inline double in_seconds(std::chrono::nanoseconds d) { return std::chrono::duration<double>(d).count(); }

Clock& system_clock();

}  // namespace podium
