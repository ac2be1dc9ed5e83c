// Findings: what filters found beside their verdicts. Reports tell it; nothing is decided by it.
//
// Threads: values. Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace podium::framework {

// A device that the pod gets on the chosen node.
struct GivenDevice {
  std::string claim, request;  // the ResourceClaim's name; "request" or "request/subrequest"
  std::string driver, pool, device;
  bool admin_access = false;
  bool operator==(const GivenDevice&) const = default;
};

// How the devices of the nodes that were turned down for lack of devices suit one request. A device counts
// once, however many nodes can use it.
struct DeviceTally {
  std::string claim, request;
  std::size_t matched = 0;  // chosen by the selectors
  // Of these, and disjoint: given to others; with a taint that is not tolerated; without enough capacity or
  // counters left. The rest is free, and too few or kept apart by constraints.
  std::size_t in_use = 0, tainted = 0, too_small = 0;
  bool operator==(const DeviceTally&) const = default;
};

struct Findings {
  std::vector<GivenDevice> devices;  // in the order of the claims
  std::vector<DeviceTally> tallies;  // in the order of claims and requests
};

}  // namespace podium::framework
