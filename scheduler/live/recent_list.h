// share_list(): makes a list one with the list of an earlier object, for RecentPods and RecentNodes.
//
// Threads: one at a time for a recent list. Errors: none.
#pragma once

#include <cstddef>

#include "base/heap_bytes.h"

namespace podium::live {

constexpr std::size_t kMostRecentBytes = 4096;  // of a list that is kept for later objects

// Gives `own` the array of `recent` if both are equal. Else later objects are compared with `own`.
template <typename List>
void share_list(List& own, List& recent) {
  if (own.empty() || own.share(recent)) return;
  if (heap_bytes(own) <= kMostRecentBytes) recent = own;
}

}  // namespace podium::live
