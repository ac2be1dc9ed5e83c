// ReportFacts: what filters found in addition to their verdicts. For reports only; no decision uses it.
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

// How the devices on nodes that were rejected for lack of devices match one request. A device counts once,
// regardless of the number of nodes that can use it.
struct DeviceTally {
  std::string claim, request;
  std::size_t matched = 0;  // chosen by the selectors
  // Disjoint subsets of `matched`: in use by others; with a taint that is not tolerated; without enough
  // capacity or counters left. The remaining devices are free, but too few, or constraints keep them apart.
  std::size_t in_use = 0, tainted = 0, too_small = 0;
  static constexpr std::size_t kRules = 3;
  std::vector<std::string> taint_rules = {};  // the first DeviceTaintRules that taint devices of `tainted`
  std::size_t wanted = 0;                     // by one pod; 0: all that match
  std::size_t most_free = 0;                  // on one node
  std::string most_free_node = {};            // the first such node by name; empty: no device is free
  bool operator==(const DeviceTally&) const = default;
};

struct ReportFacts {
  std::vector<GivenDevice> devices;  // in the order of the claims
  std::vector<DeviceTally> tallies;  // in the order of claims and requests
};

}  // namespace podium::framework
