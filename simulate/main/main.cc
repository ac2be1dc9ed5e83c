// podium_simulate: lives of podium from seeds, and the bugs that they find.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "log/format.h"
#include "simulate/life/life.h"
#include "simulate/main/answers.h"
#include "simulate/main/progress.h"
#include "simulate/main/workers.h"

namespace podium::simulate {
namespace {

struct Options {
  std::string seeds, also, mutation, faults, drawn;
  std::uint64_t lives = 0;  // 0: all
  unsigned jobs = 1;
  bool trace = false, twice = false, mutations = false, answer = false, first = false, rare = false;
};

struct Range {
  std::uint64_t first = 1, last = 0;
};

// "7", or "1..100"; nullopt: neither.
std::optional<Range> read_range(const std::string& text) {
  const auto dots = text.find("..");
  try {
    const auto first = std::stoull(text.substr(0, dots));
    return Range{first, dots == std::string::npos ? first : std::stoull(text.substr(dots + 2))};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

// The seeds of a file: one per line, followed by the reason. Skips lines that begin with #.
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
    if (faults.has(static_cast<Fault>(i))) out += (out.empty() ? "" : ",") + std::string(kFaultNames[i]);
  }
  return out.empty() ? "none" : out;
}

// nullopt: a name is not of a fault.
std::optional<Faults> read_faults(const std::string& text) {
  if (text.empty()) return Faults::all();
  auto wanted = Faults::none();
  if (text == "none") return wanted;
  for (const auto name : split(text, ",")) {
    const auto it = std::ranges::find(kFaultNames, name);
    if (it == kFaultNames.end()) return std::nullopt;
    wanted.add(static_cast<Fault>(it - kFaultNames.begin()));
  }
  return wanted;
}

// A failure without names and numbers.
std::string sort_of(const std::string& failure) {
  std::string out;
  for (std::size_t at = 0, end; at < failure.size(); at = end + 1) {
    end = std::min(failure.find(' ', at), failure.size());
    const auto word = failure.substr(at, end - at);
    if (word.find_first_of("0123456789/") == std::string::npos) out += word + " ";
  }
  return out;
}

// The faults that a failing life needs: each of the others can be dropped, and it fails in the same way.
Faults shrink(Settings settings, Faults faults, const std::string& failure) {
  settings.prints = false;
  for (bool dropped = true; std::exchange(dropped, false);) {
    for (std::size_t i = 0; i < Faults::kCount; ++i) {
      auto fewer = faults;
      fewer.drop(static_cast<Fault>(i));
      if (fewer == faults) continue;
      settings.faults = fewer;
      const auto outcome = live(settings);
      if (!outcome.failure || sort_of(*outcome.failure) != sort_of(failure)) continue;
      faults = fewer;
      dropped = true;
    }
  }
  return faults;
}

void run_seed(std::uint64_t seed, const Options& options, Sum& sum) {
  const auto* mutation = mutation_named(options.mutation);
  const bool as_planted = mutation && options.faults.empty();
  Settings settings{.seed = seed,
                    .faults = as_planted ? mutation->faults : *read_faults(options.faults),
                    .mutation = mutation,
                    .prints = options.trace};
  const auto outcome = live(settings);
  sum.add(seed, outcome);
  if (options.twice) {
    const auto again = live(settings);
    if (again.hash != outcome.hash) {
      ++sum.failed;
      fmt::print("seed {}: its trace is {:016x}, and {:016x} the second time\n", seed, outcome.hash,
                 again.hash);
    }
  }
  if (outcome.failure) {
    ++sum.failed;
    const auto fewest = shrink(settings, outcome.chosen, *outcome.failure);
    fmt::print(
        "seed {} failed after {:.3f} s: {}\n  trace {:016x}; again, with the faults that it needs:\n"
        "  podium_simulate {}--seed {} --faults {} --trace\n",
        seed, outcome.failed_at, *outcome.failure, outcome.hash,
        mutation ? fmt::format("--mutation {} ", mutation->name) : "", seed, text_of(fewest));
  }
  std::fflush(stdout);
}

// A range that begins at the position of PODIUM_TEST_SEED in it; the seeds before that come last.
std::optional<std::vector<Range>> drawn_of(const std::string& text) {
  const auto range = read_range(text);
  const char* given = std::getenv("PODIUM_TEST_SEED");
  const auto draw = read_range(given ? given : "1");
  if (!range || !draw || range->last < range->first) return std::nullopt;
  const auto begin = range->first + draw->first % (range->last - range->first + 1);
  fmt::print("PODIUM_TEST_SEED={}: lives from seed {} on\n", draw->first, begin);
  std::vector<Range> out{{begin, range->last}};
  if (begin > range->first) out.push_back({range->first, begin - 1});
  return out;
}

// The seeds to run: those of the file, then the range; or a drawn part of a range.
std::optional<std::vector<Range>> ranges_of(const Options& options) {
  std::vector<Range> out;
  if (!options.also.empty()) {
    for (const auto seed : read_seeds(options.also)) out.push_back({seed, seed});
  }
  if (!options.drawn.empty()) {
    const auto drawn = drawn_of(options.drawn);
    if (!drawn) return std::nullopt;
    out.insert(out.end(), drawn->begin(), drawn->end());
  } else if (!options.seeds.empty()) {
    const auto range = read_range(options.seeds);
    if (!range) return std::nullopt;
    out.push_back(*range);
  }
  return out;
}

int run_seeds(const Options& options) {
  const auto ranges = ranges_of(options);
  if (!ranges) {
    fmt::print(stderr, "podium_simulate: --seeds, --drawn and PODIUM_TEST_SEED are A..B, or one number\n");
    return 2;
  }
  if (!options.mutation.empty() && !mutation_named(options.mutation)) {
    fmt::print(stderr, "podium_simulate: --mutation: no planted bug is named {}\n", options.mutation);
    return 2;
  }
  if (!read_faults(options.faults)) {
    fmt::print(stderr, "podium_simulate: --faults: {}: not all are faults; the faults are: {}\n",
               options.faults, text_of(Faults::all()));
    return 2;
  }
  std::uint64_t total = 0;
  for (const auto& range : *ranges) total += range.last + 1 - std::min(range.first, range.last + 1);
  if (options.lives > 0) total = std::min(total, options.lives);
  std::fflush(stdout);
  const auto sum = share(options.jobs, [&](unsigned worker, unsigned workers) {
    Sum mine;
    ProgressLine progress(total, worker, workers);
    std::uint64_t at = 0;
    for (const auto& range : *ranges) {
      for (auto seed = range.first; seed <= range.last; ++seed) {
        if (options.lives > 0 && at == options.lives) return mine;
        if (at++ % workers != worker || (options.first && mine.failed > 0)) continue;
        run_seed(seed, options, mine);
        progress.print(mine.excused.lives, mine.failed);
      }
    }
    return mine;
  });
  if (!sum) {
    fmt::print(stderr, "podium_simulate: a worker has died: its last line is of the seed before\n");
    return 1;
  }
  fmt::print("{}\n", sum->text());
  // A planted bug may need more of them, and so may lives that were chosen because they failed.
  const auto too_often = options.mutation.empty() && options.also.empty() ? sum->excused.too_often() : "";
  fmt::print("{}", too_often);
  return sum->failed == 0 && too_often.empty() ? 0 : 1;
}

// True if a planted bug is found from its seed on, and nothing is found without it. A change of podium
// changes the lives, so this tries several seeds.
bool find(const Mutation& mutation) {
  const std::uint64_t tries = mutation.rare ? 3'000 : 200;
  for (auto seed = mutation.seed; seed < mutation.seed + tries; ++seed) {
    const auto found = live({.seed = seed, .faults = mutation.faults, .mutation = &mutation});
    if (!found.failure || found.failure->find(mutation.found_as) == std::string::npos) continue;
    const auto without = live({.seed = seed, .faults = mutation.faults});
    fmt::print("{}: seed {}: {}\n", mutation.name, seed, *found.failure);
    if (without.failure) fmt::print("  and without it: {}\n", *without.failure);
    return !without.failure;
  }
  fmt::print("{}: NOT FOUND by {} seeds from {} on\n", mutation.name, tries, mutation.seed);
  return false;
}

int run_mutations(bool rare) {
  int planted = 0, missed = 0;
  for (const auto& mutation : mutations()) {
    if (mutation.rare && !rare) continue;
    ++planted;
    if (!find(mutation)) ++missed;
    std::fflush(stdout);
  }
  fmt::print("{} planted bugs, {} not found\n", planted, missed);
  return missed == 0 ? 0 : 1;
}

int run(int argc, char** argv) {
  CLI::App app("Lives of podium on virtual time, each from a seed.");
  Options options;
  app.add_option("--seeds,--seed", options.seeds, "A..B, or one");
  app.add_option("--also", options.also, "a file of seeds to run first")->check(CLI::ExistingFile);
  app.add_option("--drawn", options.drawn, "the seeds A..B, begun where PODIUM_TEST_SEED falls");
  app.add_option("--lives", options.lives, "the number of lives to run");
  app.add_option("--faults", options.faults, "only these faults: names, joined by commas");
  app.add_option("--jobs", options.jobs, "the number of processes that share the seeds")
      ->check(CLI::Range(1, 64));
  app.add_option("--mutation", options.mutation, "plant this bug");
  app.add_flag("--mutations", options.mutations, "plant each bug in the life that finds it");
  app.add_flag("--rare", options.rare, "with --mutations: also those that few lives find");
  app.add_flag("--answer", options.answer, "be the modelled API server, on the standard input");
  app.add_flag("--trace", options.trace, "print what happens");
  app.add_flag("--first", options.first, "stop at the first failure");
  app.add_flag("--twice", options.twice, "run each seed twice and compare");
  CLI11_PARSE(app, argc, argv);
  spdlog::set_level(options.trace ? spdlog::level::trace : spdlog::level::off);
  spdlog::set_formatter(log::text_formatter());
  if (options.answer) return answer_requests();
  return options.mutations ? run_mutations(options.rare) : run_seeds(options);
}

}  // namespace
}  // namespace podium::simulate

int main(int argc, char** argv) { return podium::simulate::run(argc, argv); }
