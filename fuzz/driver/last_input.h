// LastInput: keeps the input that ends the process in a file, and prints the command that runs it again.
//
// Whatever ends it: a requirement that does not hold, a sanitizer's finding, a signal, or an input that
// takes too long. Owner: the driver, for the rest of the process. Threads: one. Errors: what cannot be
// written is not kept.
#pragma once

#include <string>
#include <string_view>

namespace podium::fuzz {

// `folder` is made where it is missing; empty: the input is a file already, `path`.
void keep_last_input(std::string fuzzer, std::string folder);
// Call before each input. It has to live until the next call.
void set_last_input(std::string_view input, std::string_view origin);

}  // namespace podium::fuzz
