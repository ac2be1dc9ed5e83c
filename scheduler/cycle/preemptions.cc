#include "scheduler/cycle/preemptions.h"

#include <utility>

namespace podium::cycle {

std::uint64_t Preemptions::begin(std::string preemptor, Uids victims, Shares::Slot slot) {
  ++last_;
  for (const auto& victim : victims) of_victim_[victim].insert(last_);
  if (!victims.empty()) ++of_preemptor_[preemptor];
  in_flight_.emplace(last_, Preemption{std::move(preemptor), std::move(victims), std::move(slot)});
  return last_;
}

std::vector<std::string> Preemptions::victim_leaves(std::string_view uid) {
  const auto known = of_victim_.find(uid);
  if (known == of_victim_.end()) return {};
  const auto numbers = std::move(known->second);
  of_victim_.erase(known);
  std::vector<std::string> free;
  for (const auto number : numbers) {
    auto& [preemptor, victims, slot] = in_flight_.find(number)->second;
    victims.erase(victims.find(uid));
    if (victims.empty()) release_preemptor(preemptor);
    if (!holds(preemptor)) free.push_back(preemptor);
  }
  return free;
}

std::optional<Preemptions::Uids> Preemptions::end(std::uint64_t number) {
  const auto it = in_flight_.find(number);
  if (it == in_flight_.end()) return std::nullopt;
  auto ended = std::move(it->second);
  in_flight_.erase(it);
  for (const auto& victim : ended.victims) {
    const auto awaited = of_victim_.find(victim);
    awaited->second.erase(number);
    if (awaited->second.empty()) of_victim_.erase(awaited);
  }
  if (!ended.victims.empty()) release_preemptor(ended.preemptor);
  if (holds(ended.preemptor)) return std::nullopt;
  return std::move(ended.victims);
}

void Preemptions::rejected(std::string preemptor, std::string victim) {
  rejected_[std::move(preemptor)].insert(std::move(victim));
}

std::vector<std::string> Preemptions::rejected_leaves(std::string_view victim) {
  std::vector<std::string> free;
  for (auto it = rejected_.begin(); it != rejected_.end();) {
    auto& [preemptor, victims] = *it;
    const auto at = victims.find(victim);
    if (at != victims.end()) victims.erase(at);
    if (victims.empty()) {
      free.push_back(preemptor);
      it = rejected_.erase(it);
    } else {
      ++it;
    }
  }
  return free;
}

bool Preemptions::holds(std::string_view preemptor) const { return of_preemptor_.contains(preemptor); }

// Decrements the number of preemptions that hold the pod.
void Preemptions::release_preemptor(const std::string& preemptor) {
  const auto at = of_preemptor_.find(preemptor);
  if (--at->second == 0) of_preemptor_.erase(at);
}

}  // namespace podium::cycle
