// The program around the fuzzers: runs one on files, or on mutations of its corpus from a seed.
//
//   podium_fuzz list
//   podium_fuzz run FUZZER FILE|FOLDER…           each file once
//   podium_fuzz mutate FUZZER [--seconds N] [--runs N] [--seed N] [--keep FOLDER]
//   podium_fuzz planted FUZZER --runs N --seed N   succeeds if the planted bug is found
//   podium_fuzz quantities                         see print_quantities() in fuzz/fuzzers.h
//
// Runs in the repository's root. Without --seconds and --runs, `mutate` takes ten seconds; without --seed,
// the seed is $PODIUM_TEST_SEED, or drawn, and printed.
// Threads: one. Errors: on standard error, exit code 2; a finding ends the process, by a signal or by the
// sanitizer that reports it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace podium::fuzz {

struct Fuzzer {
  std::string_view name;
  void (*run)(std::string_view input);
};

// The fuzzers of this program, which it defines.
std::span<const Fuzzer> fuzzers();
const Fuzzer* find_fuzzer(std::string_view name);  // null: none has the name

int drive(const std::vector<std::string>& arguments);

}  // namespace podium::fuzz
