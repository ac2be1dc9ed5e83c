// CoalescingQueue: work that waits behind what matters more, bounded, the newest state of each key only.
//
// A value that is pushed for a key that waits replaces the one there and keeps its place; a T with a function
// replaces(T&& old) may take over what the new state does not say. Over the capacity the oldest is dropped
// and counted. While one value of a key is being worked on, its next one waits: a worker that is slow must
// not overwrite what a later one has written. The queue also counts its workers, so that at most `workers`
// run and none runs for nothing: push() says when to start one, and a worker ends when take() has nothing for
// it.
// Threads: all functions from any thread.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
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
      if constexpr (requires { value.replaces(std::move(value)); })
        value.replaces(std::move(it->second->second));
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

  // A value, or none; as long as it lives, no other of its key is taken. The queue must outlive it.
  class Taken {
   public:
    Taken() = default;
    Taken(CoalescingQueue& queue, std::string key, T value)
        : queue_(&queue), key_(std::move(key)), value_(std::move(value)) {}
    Taken(Taken&& other) noexcept
        : queue_(std::exchange(other.queue_, nullptr)),
          key_(std::move(other.key_)),
          value_(std::move(other.value_)) {}
    Taken& operator=(Taken&&) = delete;
    ~Taken() {
      if (queue_) queue_->release(key_);
    }
    explicit operator bool() const { return value_.has_value(); }
    T& operator*() { return *value_; }
    T* operator->() { return &*value_; }

   private:
    CoalescingQueue* queue_ = nullptr;
    std::string key_;
    std::optional<T> value_;
  };

  [[nodiscard]] Taken take() {
    std::lock_guard lock(mutex_);
    auto taken = next();
    if (!taken) --running_;
    return taken;
  }
  // The oldest, at most so many.
  [[nodiscard]] std::vector<Taken> take(std::size_t most) {
    std::vector<Taken> all;
    std::lock_guard lock(mutex_);
    while (all.size() < most) {
      auto taken = next();
      if (!taken) break;
      all.push_back(std::move(taken));
    }
    if (all.empty()) --running_;
    return all;
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

  Taken next() {
    const auto oldest =
        std::ranges::find_if(items_, [this](const auto& item) { return !busy_.contains(item.first); });
    if (oldest == items_.end()) return {};
    auto [key, value] = std::move(*oldest);
    place_.erase(key);
    items_.erase(oldest);
    busy_.insert(key);
    return Taken(*this, std::move(key), std::move(value));
  }

  // Its worker asks for more right after, so that nobody has to be woken for what has waited for this.
  void release(const std::string& key) {
    std::lock_guard lock(mutex_);
    busy_.erase(key);
  }

  const std::size_t capacity_, workers_;
  mutable std::mutex mutex_;
  Items items_;
  boost::unordered_flat_map<std::string, typename Items::iterator> place_;
  boost::unordered_flat_set<std::string> busy_;  // keys that a worker is at: at most one each
  std::size_t running_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace podium
