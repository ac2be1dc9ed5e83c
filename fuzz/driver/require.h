// What every fuzzer asserts with, and the planted bugs that show that it asserts something.
//
// A planted bug is a fault of the fuzzer's own: if planted() holds and an input has reached a certain rare
// state, the fuzzer corrupts the result before it checks it. The run `planted` has to find that.
//
// Threads: one. Errors: a broken requirement ends the program (SIGABRT); with planted bugs it throws
// Violation instead.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace podium::fuzz {

struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// `what` says what should hold; `shown` is part of the message.
void require(bool holds, std::string_view what, std::string_view shown = {});

bool planted();
void plant_bugs();

}  // namespace podium::fuzz
