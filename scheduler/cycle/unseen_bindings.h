// UnseenBindings: bindings that the API server has confirmed and no watch has shown yet, and when to read
// their pods.
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

#include "base/clock.h"

namespace podium::cycle {

class UnseenBindings {
 public:
  static constexpr std::chrono::seconds kPatience{60}, kLongestPause{600};
  static constexpr std::size_t kMaxReads = 16;  // under way at a time

  void bound(const std::string& uid, Steady now);
  // The watch has shown the pod on a node or gone, or the pod is on no node any more.
  void ended(std::string_view uid);
  // The UID of a pod to read now, whose read is under way from now on.
  std::optional<std::string> take(Steady now);
  // False: the binding ended while its pod was read; ignore what was read.
  bool was_read(std::string_view uid);
  // The read has failed.
  void read_again(std::string_view uid, Steady now);
  // When take() has one; nullopt: none waits, or as many reads are under way as may be.
  std::optional<Steady> next_read() const;

 private:
  struct Binding {
    std::optional<Steady> due;  // nullopt: its read is under way
    std::chrono::seconds pause = kPatience;
  };

  std::map<std::string, Binding, std::less<>> bindings_;  // by UID
  std::set<std::pair<Steady, std::string>> due_;
  std::size_t reads_ = 0;
};

}  // namespace podium::cycle
