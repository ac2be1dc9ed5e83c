// Agenda: what happens outside of the engines, each at its virtual time: bytes that arrive, people, crashes.
//
// Entries of one time run in the order in which they were made. One that is not needed any more is cancelled:
// it would cost a step of the time.
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
  // Names an entry. One that has run keeps its Id to itself.
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
  // Runs what is due. False: nothing is.
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
