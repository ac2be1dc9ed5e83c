#include "base/heap.h"

#include <malloc.h>

namespace podium {

void keep_freed_memory() {
  constexpr int kMiB = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 4 * kMiB);
  mallopt(M_TRIM_THRESHOLD, 8 * kMiB);
}

}  // namespace podium
