// Selectors: the compiled CEL expressions of classes and claims.
//
// Role: compiles an expression once; which devices it is true for is kept with their slice (slice_devices.h).
// Owner: one for all decisions. Threads: any number of threads may ask at a time.
// Errors: an Expression says why it does not compile; the search meets this where upstream's would.
#pragma once

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
  explicit Expression(std::string_view text);

  // Why it does not compile; empty: it does.
  const std::string& compile_error() const { return compile_error_; }
  struct Answer {
    Match match = Match::unknown;  // unknown: no steps were left
    std::string error;             // of Match::error, in upstream's words
  };
  Answer evaluate(const api::Device& device, std::string_view driver, Steps& steps) const;

 private:
  std::optional<cel::Program> program_;
  std::string compile_error_;
};

class Selectors {
 public:
  // Keeps the expressions that were asked for last.
  explicit Selectors(std::size_t capacity = 1000) : capacity_(capacity) {}
  std::shared_ptr<const Expression> expression(std::string_view text);

 private:
  struct Entry {
    std::shared_ptr<const Expression> expression;
    std::uint64_t used = 0;
  };
  std::size_t capacity_;
  std::mutex mutex_;
  std::uint64_t uses_ = 0;
  boost::unordered_flat_map<std::string, Entry, cluster::TextHash, std::equal_to<>> entries_;
};

}  // namespace podium::devices
