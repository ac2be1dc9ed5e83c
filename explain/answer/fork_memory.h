// ForkMemory: bounds the memory that a what-if uses for the pods, nodes and claims that it adds to its fork.
// The rest of the fork is shared with the snapshot.
//
// A few KiB of JSON may be a megabyte once decoded, and 10,000 replicas each have a copy. So podium counts
// the decoded objects, before it copies them.
//
// Threads: values and pure functions. Errors: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "api/admission/admission.h"
#include "api/values/node.h"
#include "api/values/objects.h"
#include "api/values/pod.h"
#include "explain/workload/workload.h"

namespace podium::explain {

class ForkMemory {
 public:
  static constexpr std::size_t kMost = 64 * 1024 * 1024;  // bytes
  static constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  explicit ForkMemory(std::size_t most = kMost) : left_(most) {}

  // Returns how many more objects of this size fit.
  std::size_t room(std::size_t bytes_each) const { return left_ / std::max<std::size_t>(1, bytes_each); }
  // False: the objects do not fit, and no memory is taken.
  bool take(std::size_t count, std::size_t bytes_each) {
    if (count > room(bytes_each)) return false;
    left_ -= count * bytes_each;
    return true;
  }

 private:
  std::size_t left_;
};

// Bytes of an object and of its part in the fork's tables, rounded up.
std::size_t memory_of(const api::Pod& pod);
std::size_t memory_of(const api::Node& node);
std::size_t memory_of(const api::CsiNode& drivers);
std::size_t memory_of(const api::ResourceSlice& slice);  // its devices in the inventory too
// Bytes of one replica and of the claims that are created for it.
std::size_t memory_of_replica(const Subject& subject, const api::Pod& pod,
                              const api::ClaimTemplates& templates);

}  // namespace podium::explain
