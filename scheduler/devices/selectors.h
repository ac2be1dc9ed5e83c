// Selectors: the compiled CEL expressions of classes and claims.
//
// Role: compiles an expression once. The devices that it matches are cached with their slice
// (slice_devices.h).
// Owner: one for all decisions. Threads: any, concurrently.
// Errors: an Expression has its compile error; the search fails with it where upstream's search would.
#pragma once

#include <atomic>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/device.h"
#include "base/text_hash.h"
#include "cel/program.h"
#include "scheduler/devices/step_budget.h"

namespace podium::devices {

// The result of an expression for a device.
enum class Match : std::uint8_t { unknown, no, yes, error };

class Expression {
 public:
  // Compiled at the first use: a claim may have a thousand expressions that are never evaluated.
  explicit Expression(std::string_view text) : text_(text) {}
  Expression(const Expression&) = delete;

  // Compiles it at the first call, and spends steps for that. False: no steps are left.
  bool prepare(StepBudget& steps) const;
  // The compile error; empty: none.
  const std::string& compile_error() const;
  std::size_t bytes() const;  // that it keeps, estimated
  struct Answer {
    Match match = Match::unknown;  // unknown: no steps were left, or too few to compile a large pattern
    std::string error;             // of Match::error, with upstream's text
  };
  Answer evaluate(const api::Device& device, std::string_view driver, StepBudget& steps) const;

 private:
  void compile() const;

  const std::string text_;
  mutable std::once_flag once_;
  mutable std::atomic<bool> is_compiled_ = false;
  mutable std::optional<cel::Program> program_;
  mutable std::string compile_error_;
};

class Selectors {
 public:
  // Keeps the most recently used expressions, within these bounds.
  static constexpr std::size_t kMost = 4096, kMostBytes = std::size_t{64} << 20;
  explicit Selectors(std::size_t capacity = kMost, std::size_t bytes = kMostBytes)
      : capacity_(capacity), most_bytes_(bytes) {}
  std::shared_ptr<const Expression> expression(std::string_view text);

 private:
  struct Entry {
    std::shared_ptr<const Expression> expression;
    std::uint64_t used = 0;
    std::size_t bytes = 0;  // at its last use
  };
  void count(Entry& entry);
  void evict();

  const std::size_t capacity_, most_bytes_;
  std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::uint64_t uses_ = 0;
  boost::unordered_flat_map<std::string, Entry, TextHash, std::equal_to<>> entries_;
};

}  // namespace podium::devices
