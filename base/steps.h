// Counts the basic blocks of podium's code that a thread has run. Tests of cost compare these counts, which,
// unlike times, are the same on every machine and in every run.
//
// Role: for builds with PODIUM_STEPS (the preset asan), where GCC calls a function at each basic block
// (-fsanitize-coverage=trace-pc). Templates from headers of libraries are counted, the libraries themselves
// are not. Threads: any; each has its own count. Errors: none.
#pragma once

#include <cstdint>

namespace podium {

// Basic blocks that this thread has run; 0 in builds without PODIUM_STEPS.
std::uint64_t steps_of_thread();

}  // namespace podium
