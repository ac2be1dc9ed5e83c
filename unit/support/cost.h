// What a piece of work costs, as tests count it: basic blocks run and bytes allocated by the calling thread,
// never time.
//
// Role: tests of cost measure at n and at 2n. Work that is linear costs at most twice as much; the limit is
// 2.5. Threads: any; each counts its own work only. Errors: none. Builds without ASan count no bytes, those
// without PODIUM_STEPS no steps; there every cost is 0 and passes.
#pragma once

#include <gtest/gtest.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>

namespace podium::test {

struct Cost {
  std::int64_t steps = 0;      // basic blocks: base/steps.h
  std::int64_t allocated = 0;  // bytes in sum, whether freed or not
  std::int64_t peak = 0;       // the most bytes at one time, without those allocated before
  std::int64_t kept = 0;       // bytes that are still there at the end; negative if older memory was freed
};
std::ostream& operator<<(std::ostream& out, const Cost& cost);

using Work = std::function<void()>;
// May be nested: what the inner work costs, costs the outer, too.
Cost cost_of(const Work& work);

inline constexpr double kLinear = 2.5;  // the most that twice the input may cost, of what the input costs

// Compares the costs of an input of size n and of one of size 2n; fails if steps, allocated or peak exceed
// `factor`. The message has both costs.
testing::AssertionResult is_linear(std::size_t n, const Cost& once, const Cost& twice,
                                   double factor = kLinear);
// The same for work that `prepare` makes for a size. Only the work is counted, not its preparation.
testing::AssertionResult is_linear(std::size_t n, const std::function<Work(std::size_t)>& prepare,
                                   double factor = kLinear);

}  // namespace podium::test
