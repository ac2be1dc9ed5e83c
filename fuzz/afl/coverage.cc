// Reports to AFL++ which edges an input takes. GCC calls __sanitizer_cov_trace_pc() at each basic block
// (-fsanitize-coverage=trace-pc). AFL++'s own plugin for GCC refuses every GCC but the one that it was built
// with, and Debian's is newer.
//
// Threads: any. Counts of several threads may be lost. Errors: none.
#include <cstdint>

#define NOT_INSTRUMENTED __attribute__((no_sanitize_coverage, no_sanitize_address, no_sanitize_undefined))

// AFL++'s run-time part (afl-compiler-rt.o) has these.
extern "C" unsigned char* __afl_area_ptr;
extern "C" std::uint32_t __afl_final_loc;  // the last place in the map
extern "C" const char __executable_start;  // the linker's: addresses differ from run to run

namespace {

// A what-if reaches 40,000 edges. AFL++'s 65,536 places would be half taken.
constexpr std::uint32_t kPlaces = 1 << 18;

thread_local std::uint64_t block_before = 0;

NOT_INSTRUMENTED void choose_size() { __afl_final_loc = kPlaces - 1; }

// Before the run-time part's constructors, which make the map.
__attribute__((section(".preinit_array"), used)) void (*const choose_size_first)() = choose_size;

}  // namespace

extern "C" NOT_INSTRUMENTED void __sanitizer_cov_trace_pc() {
  const auto block = (reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) -
                      reinterpret_cast<std::uintptr_t>(&__executable_start)) *
                     0x9E3779B97F4A7C15;
  auto& count = __afl_area_ptr[((block >> 32) ^ block_before) % kPlaces];
  if (count < 255) ++count;
  block_before = block >> 33;
}
