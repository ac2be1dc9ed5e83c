// CoalescingQueue: work that waits behind what matters more, bounded, the newest state of each key only.
//
// A value that is pushed for a key that waits replaces the one there and keeps its place; a T with a function
// replaces(T&& old) may take over what the new state does not say. Over the capacity the oldest is
// dropped and counted. The queue also counts its workers, so that at most `workers` run and none runs for nothing: push()
// says when to start one, and a worker ends when take() has nothing for it.
// Threads: all functions from any thread.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace podium {

template <typename T>
class CoalescingQueue {
 public:
  CoalescingQueue(std::size_t capacity, std::size_t workers) : capacity_(capacity), workers_(workers) {}

  // True: the caller starts a worker now, which calls take() until it returns nullopt.
  [[nodiscard]] bool push(const std::string& key, T value) {
    std::lock_guard lock(mutex_);
    if (const auto it = place_.find(key); it != place_.end()) {
      if constexpr (requires { value.replaces(std::move(value)); }) value.replaces(std::move(it->second->second));
      it->second->second = std::move(value);
    } else {
      items_.emplace_back(key, std::move(value));
      place_.emplace(key, std::prev(items_.end()));
      if (items_.size() > capacity_) {
        place_.erase(items_.front().first);
        items_.pop_front();
        ++dropped_;
      }
    }
    if (running_ >= workers_) return false;
    ++running_;
    return true;
  }

  std::optional<T> take() {
    std::lock_guard lock(mutex_);
    if (items_.empty()) {
      --running_;
      return std::nullopt;
    }
    auto [key, value] = std::move(items_.front());
    place_.erase(key);
    items_.pop_front();
    return std::move(value);
  }

  // The oldest, at most so many; none: the worker ends.
  std::vector<T> take(std::size_t most) {
    std::vector<T> taken;
    std::lock_guard lock(mutex_);
    if (items_.empty()) --running_;
    while (!items_.empty() && taken.size() < most) {
      place_.erase(items_.front().first);
      taken.push_back(std::move(items_.front().second));
      items_.pop_front();
    }
    return taken;
  }

  void forget(const std::string& key) {
    std::lock_guard lock(mutex_);
    const auto it = place_.find(key);
    if (it == place_.end()) return;
    items_.erase(it->second);
    place_.erase(it);
  }

  bool contains(const std::string& key) const {
    std::lock_guard lock(mutex_);
    return place_.contains(key);
  }

  // Everything that waits is dropped and counted: a stop whose deadline has passed.
  void clear() {
    std::lock_guard lock(mutex_);
    dropped_ += items_.size();
    items_.clear();
    place_.clear();
  }

  std::size_t size() const {
    std::lock_guard lock(mutex_);
    return items_.size();
  }
  bool idle() const {
    std::lock_guard lock(mutex_);
    return items_.empty() && running_ == 0;
  }
  std::uint64_t dropped() const {
    std::lock_guard lock(mutex_);
    return dropped_;
  }

 private:
  using Items = std::list<std::pair<std::string, T>>;

  const std::size_t capacity_, workers_;
  mutable std::mutex mutex_;
  Items items_;
  boost::unordered_flat_map<std::string, typename Items::iterator> place_;
  std::size_t running_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace podium
