// The allocator's settings for a program that decides again and again.
//
// Threads: once, at the start of main().
#pragma once

namespace podium {

// Keeps the memory of a decision for the next one. A decision on a large cluster takes and gives back a few MiB; glibc
// would return them to the kernel each time, and fresh zeroed pages cost more than the decision itself.
void keep_freed_memory();

}  // namespace podium
