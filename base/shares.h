// Shares: who may take how many of a bounded number of slots: of requests, bodies, reviews, preemptions.
//
// Each one (a peer's address, a namespace) has a bound, and all together have one. Beyond the bound of all,
// whoever has no slot yet gets one, up to a reserve: whatever the greedy ones hold, a modest one goes on.
// Owner: who hands out the slots; outlives them. Threads: one at a time, slots included. Errors: none.
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
    std::size_t reserve = 0;  // beyond in_all, for those who have none
  };
  // Taken until the last copy is gone. Null: refused.
  using Slot = std::shared_ptr<void>;

  explicit Shares(Bounds bounds) : bounds_(bounds) {}
  Shares(const Shares&) = delete;

  Slot take(const std::string& who) {
    const auto it = taken_.find(who);
    const auto own = it == taken_.end() ? 0 : it->second;
    const auto in_all = bounds_.in_all + (own == 0 ? bounds_.reserve : 0);
    return own < bounds_.of_one && all_ < in_all ? take_anyway(who) : nullptr;
  }
  // Also at a bound: for whoever has given up a slot of his own to wait.
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
