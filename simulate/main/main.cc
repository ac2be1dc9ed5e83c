// podium_simulate: lives of podium from seeds, and the bugs that they find.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "simulate/life.h"

namespace podium::simulate {
namespace {

using std::chrono::steady_clock;

struct Options {
  std::string seeds = "1..100", also, mutation;
  double seconds = 0;
  bool trace = false, twice = false, mutations = false;
};

struct Sum {
  std::uint64_t lives = 0, failed = 0, bound = 0, excused = 0, hash = 0;
};

// "7", or "1..100"; nullopt: neither.
std::optional<std::pair<std::uint64_t, std::uint64_t>> read_range(const std::string& text) {
  const auto dots = text.find("..");
  try {
    const auto first = std::stoull(text.substr(0, dots));
    return std::pair(first, dots == std::string::npos ? first : std::stoull(text.substr(dots + 2)));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

// The seeds of a file: one a line, the rest of the line says why. Lines that begin with # are comments.
std::vector<std::uint64_t> read_seeds(const std::string& path) {
  std::vector<std::uint64_t> out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.front() != '#') out.push_back(std::stoull(line));
  }
  return out;
}

std::string text_of(Faults faults) {
  std::string out;
  for (std::size_t i = 0; i < Faults::kCount; ++i) {
    if (faults.has(static_cast<Fault>(i))) out += (out.empty() ? "" : ", ") + std::string(kFaultNames[i]);
  }
  return out.empty() ? "none" : out;
}

// The faults that a failing life needs: each of the others can be dropped.
Faults shrink(Settings settings, Faults faults) {
  settings.prints = false;
  for (std::size_t i = 0; i < Faults::kCount; ++i) {
    auto fewer = faults;
    fewer.drop(static_cast<Fault>(i));
    settings.faults = fewer;
    if (fewer != faults && live(settings).failure) faults = fewer;
  }
  return faults;
}

void run_seed(std::uint64_t seed, const Options& options, const Mutation* mutation, Sum& sum) {
  Settings settings{.seed = seed, .mutation = mutation, .prints = options.trace};
  const auto outcome = live(settings);
  ++sum.lives;
  sum.bound += outcome.bound;
  sum.excused += outcome.excused;
  sum.hash = sum.hash * 31 + outcome.hash;
  bool failed = outcome.failure.has_value();
  if (options.twice) {
    const auto again = live(settings);
    if (again.hash != outcome.hash) {
      failed = true;
      fmt::print("seed {}: its trace is {:016x}, and {:016x} the second time\n", seed, outcome.hash,
                 again.hash);
    }
  }
  if (outcome.failure) {
    fmt::print("seed {} failed after {:.3f} s: {}\n", seed, outcome.failed_at, *outcome.failure);
    fmt::print("  with the faults: {}\n", text_of(shrink(settings, outcome.chosen)));
  }
  if (failed) ++sum.failed;
  std::fflush(stdout);
}

int run_seeds(const Options& options) {
  const auto range = read_range(options.seeds);
  const auto* mutation = mutation_named(options.mutation);
  if (!range || (!mutation && !options.mutation.empty())) {
    fmt::print(stderr, "podium_simulate: --seeds takes A..B, --mutation a name\n");
    return 2;
  }
  const auto began = steady_clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(steady_clock::now() - began).count(); };
  Sum sum;
  for (const auto seed : options.also.empty() ? std::vector<std::uint64_t>() : read_seeds(options.also))
    run_seed(seed, options, mutation, sum);
  for (auto seed = range->first; seed <= range->second; ++seed) {
    if (options.seconds > 0 && passed() >= options.seconds) break;
    run_seed(seed, options, mutation, sum);
  }
  fmt::print("{} lives, {} failed; {} pods bound, {} excused; hash {:016x}; {:.1f} ms a life\n", sum.lives,
             sum.failed, sum.bound, sum.excused, sum.hash, 1000 * passed() / static_cast<double>(sum.lives));
  return sum.failed == 0 ? 0 : 1;
}

// Whether the seed of each planted bug finds it, and finds nothing without it. Some have no seed yet.
int run_mutations() {
  int planted = 0, missed = 0;
  for (const auto& mutation : mutations()) {
    if (mutation.seed == 0) continue;
    ++planted;
    const auto found = live({.seed = mutation.seed, .mutation = &mutation});
    const bool as_said = found.failure && found.failure->find(mutation.found_as) != std::string::npos;
    const auto without = live({.seed = mutation.seed});
    fmt::print("{}: seed {}: {}\n", mutation.name, mutation.seed, found.failure.value_or("NOT FOUND"));
    if (without.failure) fmt::print("  and without it: {}\n", *without.failure);
    if (!as_said || without.failure) ++missed;
  }
  fmt::print("{} planted bugs, {} not found\n", planted, missed);
  return missed == 0 ? 0 : 1;
}

int run(int argc, char** argv) {
  CLI::App app("Lives of podium on virtual time, each from a seed.");
  Options options;
  app.add_option("--seeds,--seed", options.seeds, "A..B, or one");
  app.add_option("--also", options.also, "a file of seeds to run first")->check(CLI::ExistingFile);
  app.add_option("--seconds", options.seconds, "begin no life after this time");
  app.add_option("--mutation", options.mutation, "plant this bug");
  app.add_flag("--mutations", options.mutations, "plant each bug in the life that finds it");
  app.add_flag("--trace", options.trace, "print what happens");
  app.add_flag("--twice", options.twice, "run each seed twice and compare");
  CLI11_PARSE(app, argc, argv);
  spdlog::set_level(options.trace ? spdlog::level::debug : spdlog::level::off);
  return options.mutations ? run_mutations() : run_seeds(options);
}

}  // namespace
}  // namespace podium::simulate

int main(int argc, char** argv) { return podium::simulate::run(argc, argv); }
