#include "controller/what_if/refreshes.h"

namespace podium::controller {

bool Refreshes::place(const std::string& ns, const std::string& name, const std::string& key,
                      std::chrono::seconds every) {
  const std::lock_guard lock(mutex_);
  if (const auto it = entries_.find(key); it != entries_.end()) {
    it->second.due.every = every;
    return true;
  }
  const auto own = of_namespace_.find(ns);
  if (entries_.size() >= limits_.all) return false;
  if ((own == of_namespace_.end() ? 0 : own->second) >= limits_.per_namespace) return false;
  ++of_namespace_[ns];
  entries_[key].due = {ns, name, key, every};
  return true;
}

void Refreshes::drop(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end()) return;
  unset(it->second);
  const auto own = of_namespace_.find(it->second.due.ns);
  if (--own->second == 0) of_namespace_.erase(own);
  entries_.erase(it);
}

void Refreshes::set_due(const std::string& key, Steady at) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end()) return;
  unset(it->second);
  it->second.at = at;
  due_.emplace(at, key);
}

void Refreshes::set_next_due(const std::string& key, Steady now) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end() || it->second.at) return;
  it->second.at = now + it->second.due.every;
  due_.emplace(*it->second.at, key);
}

void Refreshes::clear_due(const std::string& key) {
  const std::lock_guard lock(mutex_);
  if (const auto it = entries_.find(key); it != entries_.end()) unset(it->second);
}

bool Refreshes::has_due(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(key);
  return it != entries_.end() && it->second.at;
}

std::optional<Steady> Refreshes::next_due() const {
  const std::lock_guard lock(mutex_);
  return due_.empty() ? std::nullopt : std::optional(due_.begin()->first);
}

std::vector<Refreshes::Due> Refreshes::take_due(Steady now) {
  const std::lock_guard lock(mutex_);
  std::vector<Due> due;
  while (!due_.empty() && due_.begin()->first <= now) {
    auto& entry = entries_.at(due_.begin()->second);
    due.push_back(entry.due);
    unset(entry);
  }
  return due;
}

void Refreshes::set_numbers(const std::string& key, std::optional<Numbers> numbers) {
  const std::lock_guard lock(mutex_);
  if (const auto it = entries_.find(key); it != entries_.end()) it->second.numbers = numbers;
}

bool Refreshes::is_news(const std::string& key, std::uint64_t content, Steady now,
                        Steady::duration most) const {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end() || !it->second.written) return true;
  return it->second.written->first != content || now - it->second.written->second >= most;
}

void Refreshes::written(const std::string& key, std::uint64_t content, Steady now) {
  const std::lock_guard lock(mutex_);
  if (const auto it = entries_.find(key); it != entries_.end()) it->second.written.emplace(content, now);
}

std::vector<Refreshes::Answered> Refreshes::answered() const {
  const std::lock_guard lock(mutex_);
  std::vector<Answered> out;
  for (const auto& [key, entry] : entries_) {
    if (entry.numbers) out.push_back({entry.due.ns, entry.due.name, *entry.numbers});
  }
  return out;
}

void Refreshes::unset(Entry& entry) {
  if (!entry.at) return;
  due_.erase({*entry.at, entry.due.key});
  entry.at.reset();
}

}  // namespace podium::controller
