// PODIUM_VECTOR_CLONES: compiles the function after it for baseline x86-64 and for x86-64-v3 (AVX2). The
// loader picks one. Used for loops over columns; both variants give equal results.
// PODIUM_VECTOR_CLONES_WIDE: for x86-64-v4 (AVX-512) too, which multiplies and compares 64-bit numbers.
#pragma once

// Not with sanitizers: they instrument the resolver, which runs before they are initialized.
#if defined(__x86_64__) && defined(__ELF__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PODIUM_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#define PODIUM_VECTOR_CLONES_WIDE \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PODIUM_VECTOR_CLONES
#define PODIUM_VECTOR_CLONES_WIDE
#endif
