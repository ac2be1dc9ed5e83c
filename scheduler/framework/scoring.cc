#include "scheduler/framework/scoring.h"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/placement.h"
#include "scheduler/framework/score_loops.h"
#include "scheduler/framework/strategy_scores.h"

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
  decision.total = {};
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
    const auto hash = tie_hash(pod.uid_hash, snapshot.name_hash[row]);
    if (choice && total == decision.total[*choice] &&
        !hashes_better(hash, row, choice_hash, *choice, snapshot))
      return;
    choice = row;
    choice_hash = hash;
  });
  return choice;
}

Totals one_each(const NodeMask& nodes, std::size_t chunks) {
  Totals total(chunks);
  cluster::ChunkBytes ones;
  ones.fill(1);
  cluster::ChunkBytes inside;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    keep_inside(ones.data(), bytes_of(nodes.chunk(chunk)), inside.data());
    const Weighted once{inside.data(), 1};
    total.set_summary(chunk, add_up(std::span(&once, 1), total.write_chunk(chunk)));
  }
  return total;
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
    auto [ready, error, failed_at] = collect();
    std::vector<StrategyScores::Scorer> scorers;
    scorers.reserve(ready.size());
    for (const auto& one : ready) scorers.push_back({one.entry->plugin, one.prepared.scorer.get()});
    StrategyScores scores(std::move(scorers), snapshot_, decision_.feasible);
    const auto nodes = observer_ ? decision_.feasible.count() : 0;
    decision_.strategies.reserve(ready.size());
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const auto& entry = *ready[i].entry;
      const auto& strategy =
          decision_.strategies.emplace_back(Strategy{entry.name, entry.weight, scores.run(i)});
      const auto most = most_of(strategy.score);
      const auto invalid = most > kMaxScore ? invalid_score(strategy, most) : std::string();
      plugin_called(Phase::score, ready[i].index, nodes, kSuccess, invalid);
      if (!invalid.empty()) return give_up(decision_, invalid);
    }
    if (!error.empty()) {
      plugin_called(Phase::score, failed_at, nodes, kSuccess, error);
      return give_up(decision_, std::move(error));
    }
    decision_.total = scores.total(decision_.strategies);
    std::sort(decision_.skipped_strategies.begin(), decision_.skipped_strategies.end());
  }

 private:
  struct Ready {
    const Profile::ScoreEntry* entry;
    std::size_t index;  // in Profile::scores
    PreparedScore prepared;
  };
  struct Collected {
    std::vector<Ready> ready;   // up to the first that fails
    std::string error;          // its error; empty: none fails
    std::size_t failed_at = 0;  // its index
  };

  PreparedScore prepare(const ScorePlugin& plugin) const {
    return plugin.prepare_score(pod_, snapshot_, decision_.feasible);
  }

  // Prepares the plugins that are not yet; notes those that are skipped.
  Collected collect() {
    Collected out;
    out.ready.reserve(profile_.scores.size());
    for (std::size_t index = 0; index < profile_.scores.size(); ++index) {
      const auto& entry = profile_.scores[index];
      if (!entry.plugin) continue;
      const auto fail = [&](std::string_view why) {
        out.error = fmt::format("running Score plugins: plugin \"{}\" failed with: {}", entry.name, why);
        out.failed_at = index;
      };
      const bool unprepared = entry.plugin->has_pre_score() && !entry.pre_score;
      if (unprepared) {
        if (const auto text = entry.plugin->error_without_pre_score(); !text.empty()) {
          fail(text);
          return out;
        }
      }
      const auto known = std::ranges::find(prepared_, entry.plugin, &Prepared::first);
      auto prepared = known == prepared_.end() ? prepare(*entry.plugin) : std::exchange(known->second, {});
      if (!prepared.error.empty()) {
        fail(prepared.error);
        return out;
      }
      if (!prepared.scorer && !unprepared) {
        decision_.skipped_strategies.push_back(entry.name);
        continue;
      }
      if (!prepared.scorer) prepared.scorer = std::make_unique<SameScore>(entry.plugin->score_if_skipped());
      out.ready.push_back({&entry, index, std::move(prepared)});
    }
    return out;
  }

  static int most_of(const Scores& scores) {
    int most = 0;
    for (std::size_t chunk = 0; chunk < scores.chunks(); ++chunk)
      most = std::max<int>(most, scores.summary(chunk).most);
    return most;
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
  if (profile.scores.empty() && !profile.has_extenders) {
    decision.total = one_each(decision.feasible, snapshot.chunks());
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

namespace {

// Adds the extenders' scores of one row.
void add_to(Totals& total, Row row, std::int64_t score, std::int64_t weight) {
  auto& sum = total.write_chunk(row / kChunkRows)[row % kChunkRows];
  sum = wrapped(sum, score, weight);
}

}  // namespace

void add_opinions(std::span<const ScoreOpinion> opinions, const Snapshot& snapshot, Decision& decision) {
  for (const auto& opinion : opinions) {
    auto& strategy = decision.strategies.emplace_back(opinion.extender, opinion.weight);
    strategy.wide.resize(decision.total.size());
    for (const auto& [name, score] : opinion.scores) {
      const auto row = snapshot.find_row(name);
      if (!row || !decision.feasible.test(*row)) continue;
      strategy.wide[*row] = wrapped(strategy.wide[*row], score, 1);
      add_to(decision.total, *row, score, opinion.weight);
    }
  }
}

namespace {

// The feasible rows of a chunk with its largest total.
cluster::ChunkWords ties_of(const Decision& decision, std::size_t chunk) {
  auto rows = decision.feasible.chunk(chunk);
  const auto& summary = decision.total.summary(chunk);
  for (std::size_t w = 0; summary.most != 0 && w < rows.size(); ++w) rows[w] &= summary.rows[w];
  return rows;
}

// The chunks with the largest total.
std::vector<std::size_t> best_chunks(const Totals& totals) {
  std::vector<std::size_t> chunks;
  chunks.reserve(totals.chunks());
  std::int64_t best = 0;
  for (std::size_t chunk = 0; chunk < totals.chunks(); ++chunk) {
    const auto most = totals.summary(chunk).most;
    if (most > best) chunks.clear();
    best = std::max(best, most);
    if (most == best) chunks.push_back(chunk);
  }
  return chunks;
}

// The first bits of the highest hash of the rows with their chunk's largest total, and the chunks that have
// such a hash.
struct Highest {
  std::uint64_t start = 0;
  std::vector<std::size_t> chunks;
};
// Hashing all rows of a chunk is faster than leaving some out. So the chunks with the highest hashes of any
// row come first, and most others need no second look.
Highest highest_of(const PodInfo& pod, const Snapshot& snapshot, const Decision& decision,
                   std::span<const std::size_t> chunks) {
  struct OfChunk {
    std::uint64_t most;  // that the start may be
    std::size_t chunk;
  };
  std::vector<OfChunk> heap;
  heap.reserve(chunks.size());
  for (const auto chunk : chunks) {
    const bool hashes_all = decision.total.summary(chunk).count > kChunkRows / 2;
    const auto any = hashes_all ? highest_start(pod.uid_hash, snapshot.name_hash.chunk(chunk)) : kAnyStart;
    heap.push_back({any, chunk});
  }
  std::ranges::make_heap(heap, {}, &OfChunk::most);
  Highest highest;
  for (; !heap.empty() && heap.front().most >= highest.start; heap.pop_back()) {
    std::ranges::pop_heap(heap, {}, &OfChunk::most);
    const auto chunk = heap.back().chunk;
    const auto start = highest_start(pod.uid_hash, snapshot.name_hash.chunk(chunk), ties_of(decision, chunk));
    if (start > highest.start) highest = {start, {}};
    if (start == highest.start) highest.chunks.push_back(chunk);
  }
  return highest;
}

}  // namespace

std::optional<Row> choose(const PodInfo& pod, const Snapshot& snapshot, const Decision& decision) {
  if (decision.scored_by_extenders()) return choose_among_all(pod, snapshot, decision);
  if (decision.total.empty()) {
    std::optional<Row> only;
    decision.feasible.each([&](Row row) { only = row; });
    return only;
  }
  const auto highest = highest_of(pod, snapshot, decision, best_chunks(decision.total));
  std::optional<Row> choice;
  std::uint64_t choice_hash = 0;
  for (const auto chunk : highest.chunks) {
    const auto ties = ties_of(decision, chunk);
    const auto rows = with_start(pod.uid_hash, snapshot.name_hash.chunk(chunk), highest.start);
    for (std::size_t w = 0; w < kChunkWords; ++w) {
      for (auto bits = ties[w] & rows[w]; bits; bits &= bits - 1) {
        const auto i = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        const auto row = static_cast<Row>(chunk * kChunkRows + i);
        const auto hash = tie_hash(pod.uid_hash, snapshot.name_hash[row]);
        if (choice && !hashes_better(hash, row, choice_hash, *choice, snapshot)) continue;
        choice = row;
        choice_hash = hash;
      }
    }
  }
  return choice;
}

}  // namespace podium::framework
