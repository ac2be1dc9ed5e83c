// Trace: the lines that describe a life, and their hash. Two runs of the same seed have the same hash.
//
// A line has virtual times, names and numbers only: no address, no real time.
// Owner: a Life. Threads: one. Errors: none.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/clock.h"

namespace podium::simulate {

class Trace {
 public:
  // `prints`: also to standard output.
  Trace(const Clock& clock, bool prints) : clock_(clock), began_(clock.now()), prints_(prints) {}

  void line(std::string_view text) { line({text}); }
  // A line as parts: most lines are never printed, so the parts are not joined.
  void line(std::initializer_list<std::string_view> parts);
  void note(std::string_view text) const;  // printed only: not a part of the hash
  std::uint64_t hash() const { return hash_; }
  std::uint64_t lines() const { return lines_; }
  double seconds() const { return in_seconds(clock_.now() - began_); }

 private:
  const Clock& clock_;
  const Steady began_;
  const bool prints_;
  std::uint64_t hash_ = 0xCBF29CE484222325, lines_ = 0;
};

}  // namespace podium::simulate
