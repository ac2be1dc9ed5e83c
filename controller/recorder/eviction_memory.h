// EvictionMemory: the last evictions of preemption, by victim, also of pods without a decision or with one
// that has expired.
//
// Owner: DecisionMemory. Threads: its lock. Errors: none; beyond the limit the oldest are forgotten.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "base/instant.h"
#include "base/text_hash.h"
#include "explain/report/report.h"

namespace podium::controller {

struct RememberedEviction {
  explain::NamespacedName preemptor;
  std::string preemptor_uid;
  std::string node;
  std::optional<Wall> at;  // when it was decided
};

class EvictionMemory {
 public:
  using Name = explain::NamespacedName;

  static constexpr std::size_t kKept = 4'096;

  // False: it is known: a preemptor's later decisions repeat its preemption, and it may choose a pod again
  // that still terminates.
  bool add(const Name& victim, RememberedEviction eviction) {
    const auto [it, is_new] = by_victim_.try_emplace(victim);
    auto& kept = it->second;
    const bool is_same_pod = !is_new && kept.eviction.preemptor_uid == eviction.preemptor_uid;
    if (is_same_pod && (kept.is_of_last || kept.eviction.at == eviction.at)) return false;
    kept = {std::move(eviction), ++last_, true};
    by_age_.emplace_back(kept.number, victim);
    while (by_age_.size() > kKept) forget_oldest();
    return true;
  }
  // Another pod of this name was decided on: the eviction is no longer of the last one.
  void note_successor(const Name& victim) {
    if (const auto it = by_victim_.find(victim); it != by_victim_.end()) it->second.is_of_last = false;
  }
  // The eviction of the last pod of this name; null: none is known.
  const RememberedEviction* find(const Name& victim) const {
    const auto it = by_victim_.find(victim);
    return it == by_victim_.end() || !it->second.is_of_last ? nullptr : &it->second.eviction;
  }

 private:
  struct Kept {
    RememberedEviction eviction;
    std::size_t number = 0;
    bool is_of_last = true;
  };
  struct NameHash {
    using is_avalanching = void;
    std::size_t operator()(const Name& name) const {
      return hash_mix(hash_text(name.ns), hash_text(name.name));
    }
  };
  void forget_oldest() {
    const auto it = by_victim_.find(by_age_.front().second);
    if (it != by_victim_.end() && it->second.number == by_age_.front().first) by_victim_.erase(it);
    by_age_.pop_front();
  }

  boost::unordered_flat_map<Name, Kept, NameHash> by_victim_;
  std::deque<std::pair<std::size_t, Name>> by_age_;  // number and victim, oldest first
  std::size_t last_ = 0;
};

}  // namespace podium::controller
