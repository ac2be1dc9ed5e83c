#include "controller/what_if/refreshes.h"

#include <algorithm>

namespace podium::controller {

bool Refreshes::place(const std::string& ns, const std::string& name, const std::string& key,
                      std::chrono::seconds every) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end() || !it->second.has_place) {
    if (!make_place(ns)) {
      if (it != entries_.end()) erase(it);
      return false;
    }
    auto& entry = entries_[key];
    entry.due = {ns, name, key, every};
    entry.order = ++orders_;
    entry.has_place = true;
    ++of_namespace_[ns];
    ++places_;
  } else {
    it->second.due.every = every;
  }
  return true;
}

void Refreshes::drop(const std::string& key) {
  const std::lock_guard lock(mutex_);
  if (const auto it = entries_.find(key); it != entries_.end()) erase(it);
}

// Frees a place for the namespace, if need be that of another one. False: it may not have one.
bool Refreshes::make_place(const std::string& ns) {
  const auto found = of_namespace_.find(ns);
  const auto own = found == of_namespace_.end() ? 0 : found->second;
  if (own >= limits_.per_namespace) return false;
  return places_ < limits_.all || displace(own);
}

// Takes the newest place of the namespace with the most. False: that would have fewer than a namespace with
// one more than `own`, and the two would alternate.
bool Refreshes::displace(std::size_t own) {
  const auto most = std::ranges::max_element(of_namespace_, {}, [](const auto& each) { return each.second; });
  if (most == of_namespace_.end() || most->second < own + 2) return false;
  Entry* newest = nullptr;
  for (auto& [_, entry] : entries_) {
    if (entry.has_place && entry.due.ns == most->first && (!newest || newest->order < entry.order))
      newest = &entry;
  }
  leave(*newest);
  set(*newest, Steady::min());
  return true;
}

void Refreshes::leave(Entry& entry) {
  entry.has_place = false;
  --places_;
  const auto own = of_namespace_.find(entry.due.ns);
  if (--own->second == 0) of_namespace_.erase(own);
}

void Refreshes::erase(Entries::iterator at) {
  unset(at->second);
  if (at->second.has_place) leave(at->second);
  entries_.erase(at);
}

void Refreshes::set_due(const std::string& key, Steady at) {
  const std::lock_guard lock(mutex_);
  if (const auto it = entries_.find(key); it != entries_.end()) set(it->second, at);
}

void Refreshes::set_next_due(const std::string& key, Steady now) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(key);
  if (it != entries_.end() && !it->second.at) set(it->second, now + it->second.due.every);
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
    if (entry.numbers && entry.has_place) out.push_back({entry.due.ns, entry.due.name, *entry.numbers});
  }
  return out;
}

void Refreshes::set(Entry& entry, Steady at) {
  unset(entry);
  entry.at = at;
  due_.emplace(at, entry.due.key);
}

void Refreshes::unset(Entry& entry) {
  if (!entry.at) return;
  due_.erase({*entry.at, entry.due.key});
  entry.at.reset();
}

}  // namespace podium::controller
