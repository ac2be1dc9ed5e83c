// Selectors: the compiled CEL expressions of classes and claims.
//
// Role: compiles an expression once; which devices it is true for is kept with their slice (slice_devices.h).
// Owner: one for all decisions. Threads: any number of threads may ask at a time.
// Errors: an Expression says why it does not compile; the search meets this where upstream's would.
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

#include "api/device.h"
#include "cel/program.h"
#include "scheduler/cluster/hash.h"
#include "scheduler/devices/steps.h"

namespace podium::devices {

// What an expression says of a device.
enum class Match : std::uint8_t { unknown, no, yes, error };

class Expression {
 public:
  // It is compiled when it is first used: a claim may have a thousand that no device is asked about.
  explicit Expression(std::string_view text) : text_(text) {}
  Expression(const Expression&) = delete;

  // Compiles it, if that has not been done, and pays for that. False: no steps are left.
  bool prepare(Steps& steps) const;
  // Why it does not compile; empty: it does.
  const std::string& compile_error() const;
  std::size_t bytes() const;  // that it keeps, about
  struct Answer {
    Match match = Match::unknown;  // unknown: no steps were left, or too few to compile a large pattern
    std::string error;             // of Match::error, in upstream's words
  };
  Answer evaluate(const api::Device& device, std::string_view driver, Steps& steps) const;

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
  // Keeps the expressions that were asked for last, within these bounds.
  static constexpr std::size_t kMost = 4096, kMostBytes = std::size_t{64} << 20;
  explicit Selectors(std::size_t capacity = kMost, std::size_t bytes = kMostBytes)
      : capacity_(capacity), most_bytes_(bytes) {}
  std::shared_ptr<const Expression> expression(std::string_view text);

 private:
  struct Entry {
    std::shared_ptr<const Expression> expression;
    std::uint64_t used = 0;
    std::size_t bytes = 0;  // when it was last asked for
  };
  void count(Entry& entry);
  void evict();

  const std::size_t capacity_, most_bytes_;
  std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::uint64_t uses_ = 0;
  boost::unordered_flat_map<std::string, Entry, cluster::TextHash, std::equal_to<>> entries_;
};

}  // namespace podium::devices
