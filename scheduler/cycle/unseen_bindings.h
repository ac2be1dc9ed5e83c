// UnseenBindings: tracks the bindings that the API server has confirmed and no watch has shown yet, and when
// to read their pods.
//
// A watch usually shows a binding within milliseconds. If it does not within kPatience, the pod is read: an
// API server or a proxy may have answered 201 without binding it. A failed read is repeated, each time after
// a longer pause.
//
// Owner: Scheduler. Threads: the scheduling strand. Errors: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/backoff.h"
#include "base/clock.h"

namespace podium::cycle {

class UnseenBindings {
 public:
  static constexpr std::chrono::seconds kPatience{60};
  static constexpr Backoff kPauses{kPatience, std::chrono::seconds(600)};  // between reads
  static constexpr std::size_t kMaxReads = 16;                             // in flight at a time

  void bound(const std::string& uid, Steady now);
  // The watch has shown the pod on a node or gone, or the pod is no longer on a node.
  void ended(std::string_view uid);
  // Returns the UID of a pod to read now, and marks its read as in flight.
  std::optional<std::string> take(Steady now);
  // False: the binding ended while its pod was read; ignore the result of the read.
  bool was_read(std::string_view uid);
  // The read has failed.
  void read_again(std::string_view uid, Steady now);
  // The time at which take() returns one; nullopt: none waits, or kMaxReads are in flight.
  std::optional<Steady> next_read() const;

 private:
  struct Binding {
    std::optional<Steady> due;  // nullopt: its read is in flight
    unsigned failures = 0;
  };

  std::map<std::string, Binding, std::less<>> bindings_;  // by UID
  std::set<std::pair<Steady, std::string>> due_;
  std::size_t reads_ = 0;
};

}  // namespace podium::cycle
