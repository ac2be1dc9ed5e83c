// Agenda: the events outside of the engines, each at its virtual time: bytes that arrive, users, crashes.
//
// Entries of the same time run in the order of their creation. Entries that are no longer needed are
// cancelled, since each costs a step of the time.
// Owner: a Life. Threads: one. Errors: none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "base/clock.h"

namespace podium::simulate {

class Agenda {
 public:
  explicit Agenda(const Clock& clock) : clock_(clock) {}

  Steady now() const { return clock_.now(); }
  const Clock& clock() const { return clock_; }
  // Identifies an entry. The Id of an entry that has run is not used again.
  struct Id {
    Steady when{};
    std::uint64_t number = 0;
    auto operator<=>(const Id&) const = default;
  };

  Id at(Steady when, std::function<void()> what) {
    const Id id{when, ++numbers_};
    entries_.emplace(id, std::move(what));
    return id;
  }
  Id after(Steady::duration wait, std::function<void()> what) { return at(now() + wait, std::move(what)); }
  void cancel(Id id) { entries_.erase(id); }

  Steady next() const { return entries_.empty() ? Steady::max() : entries_.begin()->first.when; }
  // Runs the entries that are due. False: there are none.
  bool run_due() {
    bool ran = false;
    while (!entries_.empty() && entries_.begin()->first.when <= now()) {
      auto what = std::move(entries_.begin()->second);
      entries_.erase(entries_.begin());
      what();
      ran = true;
    }
    return ran;
  }

 private:
  const Clock& clock_;
  std::uint64_t numbers_ = 0;
  std::map<Id, std::function<void()>> entries_;
};

}  // namespace podium::simulate
