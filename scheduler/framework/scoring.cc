#include "scheduler/framework/scoring.h"

#include <algorithm>
#include <fmt/format.h>

#include "scheduler/framework/score_loops.h"

namespace podium::framework {
namespace {

using cluster::kChunkRows;

std::string invalid_score(const Strategy& strategy, std::span<const std::int64_t> scores, const NodeMask& feasible) {
  std::int64_t wrong = 0;
  feasible.each([&](Row row) {
    if (scores[row] < 0 || scores[row] > kMaxScore) wrong = scores[row];
  });
  return fmt::format("applying score defaultWeights on Score plugins: plugin \"{}\" returns an invalid score {}, it should "
                     "in the range of [0, 100] after normalizing", strategy.name, wrong);
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
  thread_local std::vector<std::int64_t> scratch;
  scratch.resize(rows);
  const std::span<std::int64_t> scores(scratch.data(), rows);

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
    if (prepared.scorer) prepared.scorer->score(decision.feasible, scores);
    else std::fill(scores.begin(), scores.end(), entry.plugin->score_if_skipped());
    auto& strategy = decision.strategies.emplace_back(entry.name, entry.weight, std::vector<std::uint8_t>(rows));
    if (!narrow_scores(scores, feasible, strategy.score)) {
      return give_up(decision, invalid_score(strategy, scores, decision.feasible));
    }
  }
  std::vector<Weighted> weighted;
  for (const auto& strategy : decision.strategies) weighted.push_back({strategy.score.data(), strategy.weight});
  add_up(weighted, decision.total);
  std::sort(decision.skipped_strategies.begin(), decision.skipped_strategies.end());
}

std::optional<Row> choose(const PodInfo& pod, const Snapshot& snapshot, const Decision& decision) {
  // Totals are never negative, and 0 where a row is not feasible. Most chunks do not have the best one.
  const auto maxima = chunk_maxima(decision.total);
  const auto best = *std::ranges::max_element(maxima);
  std::optional<Row> choice;
  std::uint64_t choice_hash = 0;
  for (std::size_t chunk = 0; chunk < maxima.size(); ++chunk) {
    if (maxima[chunk] != best) continue;
    for (auto row = static_cast<Row>(chunk * kChunkRows); row < (chunk + 1) * kChunkRows; ++row) {
      if (decision.total[row] != best || !decision.feasible.test(row)) continue;
      const auto hash = mix(pod.uid_hash ^ snapshot.name_hash[row]);
      const bool wins = !choice || hash > choice_hash ||
                        (hash == choice_hash && snapshot.node_name(row) < snapshot.node_name(*choice));
      if (!wins) continue;
      choice = row;
      choice_hash = hash;
    }
  }
  return choice;
}

}  // namespace podium::framework
