// Tally: counts, for each request, the reasons for which the devices of nodes do not serve a pod's claims.
//
// Owner: one evaluation. Threads: one at a time. Errors: none.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/values/device.h"
#include "scheduler/devices/step_budget.h"
#include "scheduler/framework/report_facts.h"

namespace podium::devices {

class Tally {
 public:
  enum class Device : std::uint8_t { free, in_use, tainted, too_small };

  // `steps` is for all nodes together. If it is used up, there is no tally.
  explicit Tally(StepBudget steps) : steps_(steps) {}
  StepBudget& steps() { return steps_; }

  // `request` counts from 0 over all claims. `is_shared`: other nodes may also have the device.
  // `rule`: the DeviceTaintRule that taints the device; empty: none.
  void count(std::size_t request, const api::Device& device, bool is_shared, Device state,
             std::string_view rule = {});
  // Begins a node. Call it before count() and name() of its requests.
  void begin(std::string node);
  // Names the next request, unless an earlier node did. `wanted`: devices of one pod; 0: all that match.
  void name(std::size_t request, std::string claim, std::string name, std::size_t wanted);

  std::vector<framework::DeviceTally> take() && {
    return steps_.left < 0 ? std::vector<framework::DeviceTally>() : std::move(counts_);
  }

 private:
  void count_free(std::size_t request);

  StepBudget steps_;
  std::string node_;
  std::vector<framework::DeviceTally> counts_;                                    // by request
  std::vector<std::size_t> free_;                                                 // by request, on the node
  boost::unordered_flat_set<std::pair<std::size_t, const api::Device*>> shared_;  // request and device
};

}  // namespace podium::devices
