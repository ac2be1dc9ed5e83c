#include "scheduler/framework/scoring.h"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <utility>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/placement.h"
#include "scheduler/framework/score_loops.h"

namespace podium::framework {
namespace {

using cluster::kChunkRows;
using cluster::kChunkWords;

std::string invalid_score(const Strategy& strategy, int score) {
  return fmt::format(
      "applying score defaultWeights on Score plugins: plugin \"{}\" returns an invalid score {}, it should "
      "in the range of [0, 100] after normalizing",
      strategy.name, score);
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

// sum + score * weight, wrapping as in Go: an extender may return any number.
std::int64_t wrapped(std::int64_t sum, std::int64_t score, std::int64_t weight) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                   static_cast<std::uint64_t>(score) * static_cast<std::uint64_t>(weight));
}

bool hashes_better(std::uint64_t hash, Row row, std::uint64_t than_hash, Row than, const Snapshot& snapshot) {
  return hash > than_hash || (hash == than_hash && snapshot.node_name(row) < snapshot.node_name(than));
}

// With an extender's scores a total may be negative.
std::optional<Row> choose_among_all(const PodInfo& pod, const Snapshot& snapshot, const Decision& decision) {
  std::optional<Row> choice;
  std::uint64_t choice_hash = 0;
  decision.feasible.each([&](Row row) {
    const auto total = decision.total[row];
    if (choice && total < decision.total[*choice]) return;
    const auto hash = mix(pod.uid_hash ^ snapshot.name_hash[row]);
    if (choice && total == decision.total[*choice] &&
        !hashes_better(hash, row, choice_hash, *choice, snapshot))
      return;
    choice = row;
    choice_hash = hash;
  });
  return choice;
}

// The Score plugins of a profile, prepared for a pod.
// Source: RunPreScorePlugins, RunScorePlugins.
class Scoring {
 public:
  Scoring(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile, Decision& decision,
          EvaluationObserver* observer)
      : pod_(pod), snapshot_(snapshot), profile_(profile), decision_(decision), observer_(observer) {}

  void pre_score() {
    prepared_.reserve(profile_.pre_scores.size());
    for (std::size_t index = 0; index < profile_.pre_scores.size(); ++index) {
      const auto& [name, plugin] = profile_.pre_scores[index];
      const auto& prepared = prepared_.emplace_back(plugin, prepare(*plugin)).second;
      plugin_called(Phase::pre_score, index, 1, prepared.scorer ? kSuccess : kSkip, prepared.error);
      if (!prepared.error.empty()) return give_up(decision_, plugin_failed("PreScore", name, prepared.error));
    }
  }

  void score() {
    const auto feasible = bytes_of(decision_.feasible);
    const auto nodes = observer_ ? decision_.feasible.count() : 0;
    decision_.strategies.reserve(profile_.scores.size());
    for (std::size_t index = 0; index < profile_.scores.size(); ++index) {
      const auto& entry = profile_.scores[index];
      if (!entry.plugin) continue;
      const auto error = score(entry, feasible);
      if (!error) {
        decision_.skipped_strategies.push_back(entry.name);
        continue;
      }
      plugin_called(Phase::score, index, nodes, kSuccess, *error);
      if (!error->empty()) return give_up(decision_, *error);
    }
    std::vector<Weighted> weighted;
    for (const auto& strategy : decision_.strategies)
      weighted.push_back({strategy.score.data(), strategy.weight});
    add_up(weighted, decision_.total);
    std::sort(decision_.skipped_strategies.begin(), decision_.skipped_strategies.end());
  }

 private:
  PreparedScore prepare(const ScorePlugin& plugin) const {
    return plugin.prepare_score(pod_, snapshot_, decision_.feasible);
  }

  // Nullopt if the plugin is skipped, else the error; empty: success.
  std::optional<std::string> score(const Profile::ScoreEntry& entry, std::span<const std::uint8_t> feasible) {
    const auto failed = [&](std::string_view why) {
      return fmt::format("running Score plugins: plugin \"{}\" failed with: {}", entry.name, why);
    };
    const bool unprepared = entry.plugin->has_pre_score() && !entry.pre_score;
    if (unprepared) {
      if (const auto text = entry.plugin->error_without_pre_score(); !text.empty()) return failed(text);
    }
    const auto ready = std::ranges::find(prepared_, entry.plugin, &Prepared::first);
    const auto prepared =
        ready == prepared_.end() ? prepare(*entry.plugin) : std::exchange(ready->second, {});
    if (!prepared.error.empty()) return failed(prepared.error);
    if (!prepared.scorer && !unprepared) return std::nullopt;
    auto& strategy = decision_.strategies.emplace_back(entry.name, entry.weight,
                                                       std::vector<std::uint8_t>(decision_.total.size()));
    if (prepared.scorer)
      prepared.scorer->score(decision_.feasible, strategy.score);
    else
      std::ranges::fill(strategy.score, entry.plugin->score_if_skipped());
    const auto most = keep_inside(strategy.score, feasible);
    return most > kMaxScore ? invalid_score(strategy, most) : std::string();
  }

  void plugin_called(Phase phase, std::size_t index, std::size_t nodes, std::string_view status,
                     const std::string& error) const {
    if (observer_)
      observer_->plugin_called(phase, index, nodes, error.empty() ? status : to_string(Code::error));
  }

  using Prepared = std::pair<const ScorePlugin*, PreparedScore>;
  const PodInfo& pod_;
  const Snapshot& snapshot_;
  const Profile& profile_;
  Decision& decision_;
  EvaluationObserver* const observer_;
  std::vector<Prepared> prepared_;
};

}  // namespace

void score(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile, Decision& decision,
           EvaluationObserver* observer) {
  decision.total.assign(snapshot.chunks() * kChunkRows, 0);
  if (profile.scores.empty() && !profile.has_extenders) {
    decision.feasible.each([&](Row row) { decision.total[row] = 1; });
    return;
  }
  Scoring scoring(pod, snapshot, profile, decision, observer);
  scoring.pre_score();
  if (observer)
    observer->phase_ended(Phase::pre_score, decision.error.empty() ? kSuccess : to_string(Code::error));
  if (!decision.error.empty()) return;
  scoring.score();
  if (observer)
    observer->phase_ended(Phase::score, decision.error.empty() ? kSuccess : to_string(Code::error));
}

void add_opinions(std::span<const ScoreOpinion> opinions, const Snapshot& snapshot, Decision& decision) {
  for (const auto& opinion : opinions) {
    auto& strategy = decision.strategies.emplace_back(opinion.extender, opinion.weight);
    strategy.wide.resize(decision.total.size());
    for (const auto& [name, score] : opinion.scores) {
      const auto row = snapshot.find_row(name);
      if (!row || !decision.feasible.test(*row)) continue;
      strategy.wide[*row] = wrapped(strategy.wide[*row], score, 1);
      decision.total[*row] = wrapped(decision.total[*row], score, opinion.weight);
    }
  }
}

std::optional<Row> choose(const PodInfo& pod, const Snapshot& snapshot, const Decision& decision) {
  if (decision.scored_by_extenders()) return choose_among_all(pod, snapshot, decision);
  if (decision.total.empty()) {
    std::optional<Row> only;
    decision.feasible.each([&](Row row) { only = row; });
    return only;
  }
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
        if (choice && !hashes_better(hash, row, choice_hash, *choice, snapshot)) continue;
        choice = row;
        choice_hash = hash;
      }
    }
  }
  return choice;
}

}  // namespace podium::framework
