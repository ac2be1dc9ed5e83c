// are_one_list(): whether two lists are one array, for tests of what objects share.
#pragma once

#include "api/values/labels.h"

namespace podium::live {

inline const void* first_of(const api::Labels& labels) { return &(*labels.begin()).second; }
template <typename List>
const void* first_of(const List& list) {
  return &*list.begin();
}

template <typename List>
bool are_one_list(const List& a, const List& b) {
  return !a.empty() && !b.empty() && first_of(a) == first_of(b);
}

}  // namespace podium::live
