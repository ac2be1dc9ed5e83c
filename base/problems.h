// Problems: what is wrong with an input, a line each, so that its author sees all faults at once.
//
// Owner: whoever reads the input. Threads: one at a time. Errors: none; error() is the Error of the input.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace podium {

class Problems {
 public:
  static constexpr std::size_t kMostShown = 20;

  void add(std::string line);
  void add(const Error& error) { add(error.message); }

  // The value; what is wrong with it is added.
  template <typename T>
  std::optional<T> value_of(Result<T> result) {
    if (result) return std::move(*result);
    add(result.error());
    return std::nullopt;
  }

  std::size_t count() const { return count_; }
  explicit operator bool() const { return count_ > 0; }
  // `invalid`, with the first lines, and how many more there are.
  Error error() const;

 private:
  std::vector<std::string> shown_;
  std::size_t count_ = 0;
};

}  // namespace podium
