// PODIUM_VECTOR_CLONES before a function: it is built twice, for baseline x86-64 and for x86-64-v3 (AVX2),
// and the loader picks. For loops over columns; both give the same results.
#pragma once

// Sanitizers instrument the resolver that picks a clone, and it runs before they are ready.
#if defined(__x86_64__) && defined(__ELF__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PODIUM_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define PODIUM_VECTOR_CLONES
#endif
