// SliceDevices: a ResourceSlice with the cached facts about it.
//
// Role: facts about the slice that every search needs, and the devices that an expression matches, computed
// at the first use. An error is a third value: it counts only if a search reaches that device.
// Owner: Inventory; inventories share it while the slice stays the same.
// Threads: any, concurrently. Errors: upstream's texts.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/values/device.h"
#include "scheduler/devices/selectors.h"

namespace podium::devices {

// The results of one expression for a slice's devices.
class Matches {
 public:
  Matches(std::shared_ptr<const Expression> expression, const api::ResourceSlice& slice);
  const Expression& expression() const { return *expression_; }
  // Evaluates the expression at the first call; unknown: no steps were left.
  Match of(std::size_t device, StepBudget& steps);
  // Does not evaluate; unknown: not evaluated yet.
  Match known(std::size_t device) const { return match(device).load(std::memory_order_relaxed); }
  // The error of a device with Match::error.
  std::string error(std::size_t device) const;

 private:
  std::shared_ptr<const Expression> expression_;
  const api::ResourceSlice& slice_;
  // The match of a device. Inline for a small slice: memory accesses bound a search over thousands of nodes.
  std::atomic<Match>& match(std::size_t device) const { return many_.empty() ? few_[device] : many_[device]; }
  mutable std::array<std::atomic<Match>, 16> few_{};
  mutable std::vector<std::atomic<Match>> many_;
};

class SliceDevices {
 public:
  explicit SliceDevices(std::shared_ptr<const api::ResourceSlice> slice);

  const api::ResourceSlice& slice() const { return *slice_; }
  const std::vector<api::Device>& devices() const { return slice_->devices; }

  // Only devices of slices without shared counters can be allocated.
  bool has_counters() const { return !slice_->shared_counters.empty(); }
  bool consumes_counters() const { return consumes_counters_; }
  bool has_binding_conditions() const { return has_binding_conditions_; }
  // Such a slice is ignored: the gate DRADeviceCompatibilityGroups is off.
  bool has_compatibility_groups() const { return has_compatibility_groups_; }
  bool has_duplicate_names() const { return has_duplicate_names_; }
  // True if some device may be shared, or limits the amounts that may be taken.
  bool divides_capacity() const { return divides_capacity_; }
  // The parse errors of the slice's node selector and of a device's; empty: none.
  const std::string& selector_error() const { return selector_error_; }
  const std::string& selector_error(std::size_t device) const;

  // Keeps the results of the most recently used expressions. The slice must outlive the returned reference.
  std::shared_ptr<Matches> matches(const std::shared_ptr<const Expression>& expression) const;

 private:
  static constexpr std::size_t kKept = 16;
  struct Kept {
    const Expression* expression = nullptr;  // of `matches`
    std::shared_ptr<Matches> matches;
    std::uint64_t used = 0;
  };

  std::shared_ptr<const api::ResourceSlice> slice_;
  bool consumes_counters_ = false, has_binding_conditions_ = false, has_duplicate_names_ = false;
  bool divides_capacity_ = false, has_compatibility_groups_ = false;
  std::string selector_error_;
  std::vector<std::string> device_selector_errors_;  // empty: there are none
  mutable std::mutex mutex_;
  mutable std::uint64_t uses_ = 0;
  mutable std::vector<Kept> kept_;
};

}  // namespace podium::devices
