// Agenda: what happens outside of the engines, each at its virtual time: bytes that arrive, people, crashes.
//
// Entries of one time run in the order in which they were made.
// Owner: a Life. Threads: one. Errors: none.
#pragma once

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
  void at(Steady when, std::function<void()> what) { entries_.emplace(when, std::move(what)); }
  void after(Steady::duration wait, std::function<void()> what) { at(now() + wait, std::move(what)); }

  Steady next() const { return entries_.empty() ? Steady::max() : entries_.begin()->first; }
  // Runs what is due. False: nothing is.
  bool run_due() {
    bool ran = false;
    while (!entries_.empty() && entries_.begin()->first <= now()) {
      auto what = std::move(entries_.begin()->second);
      entries_.erase(entries_.begin());
      what();
      ran = true;
    }
    return ran;
  }

 private:
  const Clock& clock_;
  std::multimap<Steady, std::function<void()>> entries_;
};

}  // namespace podium::simulate
