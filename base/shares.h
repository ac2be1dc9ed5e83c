// Shares: divides a bounded number of slots (requests, bodies, reviews, preemptions) between consumers.
//
// Each consumer (a peer's address, a namespace) has a bound, and all together have a bound. Beyond the common
// bound, a consumer without a slot still gets one, up to a reserve: greedy ones cannot starve a modest one.
// Owner: the part that hands out the slots; outlives them. Threads: one at a time. Errors: none.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace podium {

class Shares {
 public:
  struct Bounds {
    std::size_t in_all = 0, of_one = 0;
    std::size_t reserve = 0;  // beyond in_all, for consumers without a slot
  };
  // Taken until the last copy is destroyed. Null: refused.
  using Slot = std::shared_ptr<void>;

  explicit Shares(Bounds bounds) : bounds_(bounds) {}
  Shares(const Shares&) = delete;

  Slot take(const std::string& who) {
    const auto it = taken_.find(who);
    const auto own = it == taken_.end() ? 0 : it->second;
    const auto in_all = bounds_.in_all + (own == 0 ? bounds_.reserve : 0);
    return own < bounds_.of_one && all_ < in_all ? take_anyway(who) : nullptr;
  }
  // Ignores the bounds: for a caller that released its own slot to wait.
  Slot take_anyway(const std::string& who) {
    const auto it = taken_.try_emplace(who, 0).first;
    ++it->second;
    ++all_;
    return Slot(&it->second, [this, it](void*) {
      if (--it->second == 0) taken_.erase(it);
      --all_;
    });
  }
  std::size_t taken() const { return all_; }

 private:
  const Bounds bounds_;
  std::map<std::string, std::size_t> taken_;  // does not move its elements; only those above 0
  std::size_t all_ = 0;
};

}  // namespace podium
