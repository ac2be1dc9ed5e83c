// leaves_doubt(): whether a write may have taken effect, or may still do so, after an error. kLongestDoubt:
// how long refusals do not count after such an error.
//
// Threads: a pure function.
#pragma once

#include <chrono>

#include "base/result.h"

namespace podium::cycle {

// After the last try that left doubt. Well above the 60 s that an API server gives a request.
constexpr std::chrono::minutes kLongestDoubt{5};

// A lost reply; and these replies: a gateway's 502 or 504, the API server's own timeout, and an etcd error
// that leaves the write's result open.
inline bool leaves_doubt(const Error& error) {
  const bool gave_up =
      error.code == 502 || error.code == 504 || (error.code == 503 && error.retry_after == 0);
  const bool in_etcd = error.code == 500 && error.message.find("etcdserver") != std::string::npos;
  return error.maybe_applied || gave_up || in_etcd;
}

}  // namespace podium::cycle
