// The exit codes of the commands that answer questions, for scripts.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstddef>

namespace podium::render {

inline constexpr int kAllFit = 0, kNoAnswer = 1, kWrongInput = 2, kSomeFit = 3, kNoneFit = 4;

constexpr int code_of_fitting(std::size_t fitting, std::size_t asked) {
  if (fitting >= asked) return kAllFit;
  return fitting > 0 ? kSomeFit : kNoneFit;
}

}  // namespace podium::render
