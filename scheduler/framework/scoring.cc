#include "scheduler/framework/scoring.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "scheduler/framework/score_loops.h"

namespace podium::framework {
namespace {

using cluster::kChunkRows;
using cluster::kChunkWords;

std::string invalid_score(const Strategy& strategy, int score) {
  return fmt::format("applying score defaultWeights on Score plugins: plugin \"{}\" returns an invalid score {}, it should "
                     "in the range of [0, 100] after normalizing", strategy.name, score);
}

void give_up(Decision& decision, std::string error) {
  decision.error = std::move(error);
  decision.strategies.clear();
  decision.skipped_strategies.clear();
  decision.total.clear();
}

std::uint64_t mix(std::uint64_t x) {  // the finalizer of SplitMix64
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

}  // namespace

void score(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile, Decision& decision) {
  const std::size_t rows = snapshot.chunks() * kChunkRows;
  decision.total.assign(rows, 0);
  if (profile.scores.empty()) {
    decision.feasible.each([&](Row row) { decision.total[row] = 1; });
    return;
  }
  const auto feasible = bytes_of(decision.feasible);
  decision.strategies.reserve(profile.scores.size());
  for (const auto& entry : profile.scores) {
    if (!entry.plugin) continue;
    const bool unprepared = entry.plugin->has_pre_score() && !entry.pre_score;
    if (unprepared) {
      if (const auto text = entry.plugin->error_without_pre_score(); !text.empty()) {
        return give_up(decision, fmt::format("running Score plugins: plugin \"{}\" failed with: {}", entry.name, text));
      }
    }
    const auto prepared = entry.plugin->prepare_score(pod, snapshot, decision.feasible);
    if (!prepared.scorer && !unprepared) {
      decision.skipped_strategies.push_back(entry.name);
      continue;
    }
    auto& strategy = decision.strategies.emplace_back(entry.name, entry.weight, std::vector<std::uint8_t>(rows));
    if (prepared.scorer) prepared.scorer->score(decision.feasible, strategy.score);
    else std::ranges::fill(strategy.score, entry.plugin->score_if_skipped());
    if (const auto most = keep_inside(strategy.score, feasible); most > kMaxScore) {
      return give_up(decision, invalid_score(strategy, most));
    }
  }
  std::vector<Weighted> weighted;
  for (const auto& strategy : decision.strategies) weighted.push_back({strategy.score.data(), strategy.weight});
  add_up(weighted, decision.total);
  std::sort(decision.skipped_strategies.begin(), decision.skipped_strategies.end());
}

std::optional<Row> choose(const PodInfo& pod, const Snapshot& snapshot, const Decision& decision) {
  const std::span<const std::int64_t> totals = decision.total;
  const auto best = largest(totals);
  std::optional<Row> choice;
  std::uint64_t choice_hash = 0;
  for (std::size_t chunk = 0; chunk < snapshot.chunks(); ++chunk) {
    const auto names = snapshot.name_hash.chunk(chunk);
    const auto ties = at_least(totals.subspan(chunk * kChunkRows).first<kChunkRows>(), best);
    for (std::size_t w = 0; w < kChunkWords; ++w) {
      const auto word = chunk * kChunkWords + w;
      for (auto bits = ties[w] & decision.feasible.word(word); bits; bits &= bits - 1) {
        const auto row = static_cast<Row>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        const auto hash = mix(pod.uid_hash ^ names[row % kChunkRows]);
        const bool wins = !choice || hash > choice_hash ||
                          (hash == choice_hash && snapshot.node_name(row) < snapshot.node_name(*choice));
        if (!wins) continue;
        choice = row;
        choice_hash = hash;
      }
    }
  }
  return choice;
}

}  // namespace podium::framework
