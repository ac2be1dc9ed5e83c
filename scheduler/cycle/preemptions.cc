#include "scheduler/cycle/preemptions.h"

#include <algorithm>
#include <utility>

namespace podium::cycle {

std::uint64_t Preemptions::begin(std::string preemptor, Uids victims) {
  under_way_.emplace(++last_, Preemption{std::move(preemptor), std::move(victims)});
  return last_;
}

std::vector<std::string> Preemptions::victim_leaves(std::string_view uid) {
  std::vector<std::string> free;
  for (auto& [_, preemption] : under_way_) {
    const auto victim = preemption.victims.find(uid);
    if (victim == preemption.victims.end()) continue;
    preemption.victims.erase(victim);
    if (!holds(preemption.preemptor)) free.push_back(preemption.preemptor);
  }
  return free;
}

std::optional<Preemptions::Uids> Preemptions::end(std::uint64_t number) {
  const auto it = under_way_.find(number);
  if (it == under_way_.end()) return std::nullopt;
  auto ended = std::move(it->second);
  under_way_.erase(it);
  if (holds(ended.preemptor)) return std::nullopt;
  return std::move(ended.victims);
}

bool Preemptions::holds(std::string_view preemptor) const {
  return std::ranges::any_of(under_way_, [&](const auto& entry) {
    return entry.second.preemptor == preemptor && !entry.second.victims.empty();
  });
}

}  // namespace podium::cycle
