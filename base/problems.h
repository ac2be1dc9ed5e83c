// Problems: collects all that is wrong with an input, so that its author sees them together.
//
// Owner: the reader of the input. Threads: one at a time. Errors: none; error() is the Error of the input.
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

  void add(std::string line) { add(Finding{.reason = std::move(line)}); }
  void add(Finding finding);
  void add(const Error& error) { add(error.message); }
  void check(const Result<void>& result) {
    if (!result) add(result.error());
  }

  // Returns the value, or nullopt after recording its error.
  template <typename T>
  std::optional<T> value_of(Result<T> result) {
    if (result) return std::move(*result);
    add(result.error());
    return std::nullopt;
  }

  const std::vector<Finding>& findings() const { return shown_; }  // the first kMostShown
  std::size_t count() const { return count_; }
  explicit operator bool() const { return count_ > 0; }
  // Kind::invalid, with the first lines and the number of further ones.
  Error error() const;

 private:
  std::vector<Finding> shown_;
  std::size_t count_ = 0;
};

}  // namespace podium
