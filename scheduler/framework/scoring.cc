#include "scheduler/framework/scoring.h"

#include <algorithm>
#include <fmt/format.h>

namespace podium::framework {
namespace {

using cluster::kChunkRows;

constexpr std::int64_t kMaxScore = 100;

// One byte a row, 0xff where feasible: the form in which the loops below can apply the mask without a branch.
std::vector<std::uint8_t> bytes_of(const NodeMask& mask) {
  std::vector<std::uint8_t> bytes(mask.words() * 64);
  for (std::size_t w = 0; w < mask.words(); ++w) {
    const auto word = mask.word(w);
    if (word == 0) continue;
    std::uint8_t* out = bytes.data() + w * 64;
    for (std::size_t i = 0; i < 64; ++i) out[i] = static_cast<std::uint8_t>(-static_cast<std::int8_t>(word >> i & 1));
  }
  return bytes;
}

// Narrows a plugin's scores, adds them with their weight to the total, and says whether all were within 0..100. Scores of
// rows that are not feasible count as 0, whatever was left there.
bool add_scores(std::span<const std::int64_t> scores, std::span<const std::uint8_t> feasible, std::int64_t weight,
                std::span<std::uint8_t> narrow, std::span<std::int64_t> total) {
  const std::int64_t* const in = scores.data();
  const std::uint8_t* const mask = feasible.data();
  std::uint8_t* const out = narrow.data();
  std::int64_t* const sum = total.data();
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto value = static_cast<std::uint64_t>(in[i]);
    outside |= static_cast<std::uint64_t>(value > kMaxScore) & mask[i];
    const auto score = static_cast<std::uint8_t>(value & mask[i]);
    out[i] = score;
    sum[i] += weight * score;
  }
  return outside == 0;
}

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
    if (!add_scores(scores, feasible, entry.weight, strategy.score, decision.total)) {
      return give_up(decision, invalid_score(strategy, scores, decision.feasible));
    }
  }
  std::sort(decision.skipped_strategies.begin(), decision.skipped_strategies.end());
}

std::optional<Row> choose(const PodInfo& pod, const Snapshot& snapshot, const Decision& decision) {
  // Totals are never negative, and 0 where a row is not feasible.
  const auto best = *std::max_element(decision.total.begin(), decision.total.end());
  std::optional<Row> choice;
  std::uint64_t choice_hash = 0;
  decision.feasible.each([&](Row row) {
    if (decision.total[row] != best) return;
    const auto hash = mix(pod.uid_hash ^ snapshot.name_hash[row]);
    const bool wins = !choice || hash > choice_hash ||
                      (hash == choice_hash && snapshot.node_name(row) < snapshot.node_name(*choice));
    if (wins) {
      choice = row;
      choice_hash = hash;
    }
  });
  return choice;
}

}  // namespace podium::framework
