#include "base/steps.h"

namespace podium {

namespace {

thread_local std::uint64_t steps = 0;

}  // namespace

std::uint64_t steps_of_thread() { return steps; }

}  // namespace podium

#ifdef PODIUM_STEPS
// GCC calls this at each basic block. It must not count itself.
extern "C" __attribute__((no_sanitize_coverage, no_sanitize_address, no_sanitize_undefined)) void
__sanitizer_cov_trace_pc() {
  ++podium::steps;
}
#endif
