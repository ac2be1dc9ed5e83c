// BehindMutex: a value that is reached only while its mutex is held.
//
//   BehindMutex<State> state;
//   const auto held = state.hold();  // until it ends
//   held->count = 1;
//
// Owner: any. Threads: any; hold() blocks while another thread holds it, and is not recursive. Errors: none.
#pragma once

#include <mutex>
#include <utility>

namespace podium {

template <typename T>
class BehindMutex {
 public:
  template <typename Value>
  class Held {
   public:
    Held(std::mutex& mutex, Value& value) : lock_(mutex), value_(value) {}
    Value* operator->() const { return &value_; }
    Value& operator*() const { return value_; }

   private:
    std::lock_guard<std::mutex> lock_;
    Value& value_;
  };

  Held<T> hold() { return {mutex_, value_}; }
  Held<const T> hold() const { return {mutex_, value_}; }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

}  // namespace podium
