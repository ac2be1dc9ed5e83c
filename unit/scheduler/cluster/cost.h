// Measures what a piece of work costs: basic blocks that it runs, and bytes that it leaves allocated.
//
// Works in builds with AddressSanitizer and PODIUM_STEPS (the preset asan); other builds skip the tests.
// Threads: counts the calling thread only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/steps.h"

#ifdef __SANITIZE_ADDRESS__
extern "C" {
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void*, std::size_t),
                                              void (*freed)(const volatile void*));
std::size_t __sanitizer_get_allocated_size(const volatile void*);
}
#endif

namespace podium::cost {

inline thread_local std::int64_t live_bytes = 0;

inline bool can_measure() {
#ifdef __SANITIZE_ADDRESS__
  static const bool installed =
      __sanitizer_install_malloc_and_free_hooks(
          [](const volatile void*, std::size_t size) { live_bytes += static_cast<std::int64_t>(size); },
          [](const volatile void* at) {
            live_bytes -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(at));
          }) != 0;
  return installed && steps_of_thread() > 0;
#else
  return false;
#endif
}

struct Cost {
  std::uint64_t steps = 0;
  std::int64_t bytes = 0;
};

template <typename Work>
Cost cost_of(Work&& work) {
  const auto steps = steps_of_thread();
  const auto bytes = live_bytes;
  work();
  return {steps_of_thread() - steps, live_bytes - bytes};
}

}  // namespace podium::cost
