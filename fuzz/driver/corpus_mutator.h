// The Mutator of a fuzzer: with its corpus, fuzz/corpus/FUZZER, and its words, fuzz/words/FUZZER.dict.
//
// Threads: pure, but for reading the files. Errors: a file that cannot be read.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "fuzz/driver/mutator.h"

namespace podium::fuzz {

Result<Mutator> mutator_of(std::string_view fuzzer, std::uint64_t seed);

}  // namespace podium::fuzz
