#include "fuzz/driver/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>

#include "fuzz/driver/corpus_mutator.h"
#include "fuzz/driver/files.h"
#include "fuzz/driver/last_input.h"
#include "fuzz/driver/require.h"

namespace podium::fuzz {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kWrongInput = 2;

struct Options {
  std::string command;
  const Fuzzer* fuzzer = nullptr;
  std::vector<std::string> paths;
  std::map<std::string, std::uint64_t, std::less<>> numbers;  // --seconds, --runs, --seed
  std::string keep = "build/fuzz/found";

  std::optional<std::uint64_t> number(std::string_view name) const {
    const auto found = numbers.find(name);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  }
};

Result<Options> read(const std::vector<std::string>& arguments) {
  Options out;
  if (arguments.size() < 2) return invalid("usage: podium_fuzz list|run|mutate|planted FUZZER …");
  out.command = arguments[0];
  out.fuzzer = find_fuzzer(arguments[1]);
  if (!out.fuzzer) return invalid(fmt::format("unknown fuzzer \"{}\"; podium_fuzz list", arguments[1]));
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    const auto& argument = arguments[i];
    if (!argument.starts_with("--")) {
      out.paths.push_back(argument);
      continue;
    }
    if (i + 1 == arguments.size()) return invalid(argument + ": needs a value");
    const auto& value = arguments[++i];
    if (argument == "--keep") {
      out.keep = value;
      continue;
    }
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size())
      return invalid(fmt::format("{}: {}: no number", argument, value));
    out.numbers[argument.substr(2)] = number;
  }
  return out;
}

Result<int> run_files(const Options& options) {
  keep_last_input(std::string(options.fuzzer->name), "");
  std::size_t count = 0;
  for (const auto& path : options.paths) {
    const auto files = read_corpus(path);
    if (!files) return std::unexpected(files.error());
    for (const auto& file : *files) {
      set_last_input(file.text, file.path);
      options.fuzzer->run(file.text);
      ++count;
    }
  }
  if (count == 0) return invalid("no files");
  fmt::print("{}: {} files\n", options.fuzzer->name, count);
  return 0;
}

std::uint64_t drawn_seed() {
  const auto* given = std::getenv("PODIUM_TEST_SEED");
  return given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

Result<int> mutate(const Options& options) {
  const auto seed = options.number("seed").value_or(drawn_seed());
  auto mutator = mutator_of(options.fuzzer->name, seed);
  if (!mutator) return std::unexpected(mutator.error());
  fmt::print("{}: seed {}\n", options.fuzzer->name, seed);
  std::fflush(stdout);
  const auto runs = options.number("runs");
  const auto end = SteadyClock::now() + std::chrono::seconds(options.number("seconds").value_or(10));
  keep_last_input(std::string(options.fuzzer->name), options.keep);
  std::uint64_t run = 0;
  while (runs ? run < *runs : SteadyClock::now() < end) {
    const auto input = mutator->next();
    set_last_input(input, fmt::format("input {} of seed {}", ++run, seed));
    options.fuzzer->run(input);
  }
  fmt::print("{}: {} inputs\n", options.fuzzer->name, run);
  return 0;
}

Result<int> find_planted(const Options& options) {
  const auto seed = options.number("seed").value_or(1), runs = options.number("runs").value_or(10'000);
  const auto corpus = read_corpus(fmt::format("fuzz/corpus/{}", options.fuzzer->name));
  auto mutator = mutator_of(options.fuzzer->name, seed);
  if (!mutator || !corpus) return std::unexpected(mutator ? corpus.error() : mutator.error());
  keep_last_input(std::string(options.fuzzer->name), options.keep);
  plant_bugs();
  for (const auto& file : *corpus) {
    set_last_input(file.text, file.path);
    try {
      options.fuzzer->run(file.text);
    } catch (const Violation& found) {
      return invalid(fmt::format("{} finds the planted bug without a mutation: {}", file.path, found.what()));
    }
  }
  for (std::uint64_t run = 1; run <= runs; ++run) {
    const auto input = mutator->next();
    set_last_input(input, fmt::format("input {} of seed {}", run, seed));
    try {
      options.fuzzer->run(input);
    } catch (const Violation& found) {
      fmt::print("{}: input {} finds the planted bug: {}\n", options.fuzzer->name, run, found.what());
      return 0;
    }
  }
  fmt::print("{}: {} inputs do not find the planted bug\n", options.fuzzer->name, runs);
  return 1;
}

Result<int> run_command(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "list") {
    for (const auto& each : fuzzers()) fmt::print("{}\n", each.name);
    return 0;
  }
  const auto options = read(arguments);
  if (!options) return std::unexpected(options.error());
  if (options->command == "run") return run_files(*options);
  if (options->command == "mutate") return mutate(*options);
  if (options->command == "planted") return find_planted(*options);
  return invalid(fmt::format("unknown command \"{}\"", options->command));
}

}  // namespace

const Fuzzer* find_fuzzer(std::string_view name) {
  const auto all = fuzzers();
  const auto found = std::ranges::find(all, name, &Fuzzer::name);
  return found == all.end() ? nullptr : &*found;
}

int drive(const std::vector<std::string>& arguments) {
  const auto done = run_command(arguments);
  if (done) return *done;
  fmt::print(stderr, "podium_fuzz: {}\n", done.error().message);
  return kWrongInput;
}

}  // namespace podium::fuzz
