// Rare: an optional value that few objects have. Without one it takes eight bytes; copies share one.
//
// Threads: values; copies may be read and destroyed on any thread. Errors: none.
#pragma once

#include <cstddef>
#include <utility>

#include "base/cow.h"

namespace podium::api {

template <typename T>
class Rare {
 public:
  Rare() noexcept = default;
  Rare(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor): as std::optional

  explicit operator bool() const { return value_.has_value(); }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return &*value_; }
  bool operator==(const Rare& other) const {
    if (value_.is(other.value_)) return true;
    return value_.has_value() && other.value_.has_value() && *value_ == *other.value_;
  }

 private:
  Cow<T> value_{nullptr};
};

}  // namespace podium::api
