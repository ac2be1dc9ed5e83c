// The answer about other weights of the scheduler's strategies: the pods that they would place elsewhere.
#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "explain/answer/comparison.h"
#include "explain/answer/node_search.h"
#include "explain/answer/what_if_admission.h"
#include "explain/report/report.h"

namespace podium::explain {
namespace {

constexpr std::size_t kMostListed = 64, kBecauseBytes = 256;

bool has_strategy(const framework::Profile& profile, const std::string& name) {
  return std::ranges::find(profile.scores, name, &framework::Profile::ScoreEntry::name) !=
         profile.scores.end();
}

// Each profile with the weights of the strategies that it has.
Result<config::Config> with_weights(const NodeSearch& search) {
  auto out = search.config;
  const auto& weights = search.question.search->weights;
  const auto at = search.question.paths.spec / "search.compareWeights.strategies";
  for (auto& profile : out.profiles) {
    auto changed = std::make_shared<framework::Profile>(*profile);
    Problems unknown;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const bool is_known = std::ranges::any_of(
          search.config.profiles, [&](const auto& each) { return has_strategy(*each, weights[i].name); });
      if (is_known && !has_strategy(*changed, weights[i].name)) continue;
      if (auto set = set_weight(weights[i], at[i], *changed); !set) unknown.add_all(set.error());
    }
    if (unknown) return std::unexpected(unknown.error_in_line());
    remove_disabled(weights, *changed);
    profile = std::move(changed);
  }
  return out;
}

}  // namespace

Result<ComparedWeights> compare_weights(const NodeSearch& search, const cluster::Snapshot& fork) {
  const auto changed = with_weights(search);
  if (!changed) return std::unexpected(changed.error());
  const auto found =
      compare_configs(search.config, *changed, search.waiting, search.budget, fork, ForkMemory());
  ComparedWeights out{.is_finished = found.is_finished, .is_too_large = found.is_too_large};
  if (!out.is_finished) return out;
  out.placed = found.new_side.placed;
  auto& answer = out.answer;
  answer = {.pods = found.pods,
            .staying = found.staying,
            .moved = found.moved.size(),
            .lost = found.lost.size(),
            .gained = found.gained.size(),
            .nodes_before = found.old_side.nodes_in_use,
            .nodes = found.new_side.nodes_in_use};
  const auto& question = search.question;
  for (const auto* list : {&found.lost, &found.gained, &found.moved}) {
    for (const auto& [ns, name, node_before, node, reason] : *list) {
      const bool is_own = ns == question.meta.namespace_;
      if (!is_own && !question.seen_namespaces.contains(ns)) continue;
      ++answer.elsewhere_total;
      if (answer.elsewhere.size() < kMostListed)
        answer.elsewhere.push_back({name, is_own ? "" : ns, node_before, node, cut(reason, kBecauseBytes)});
    }
  }
  return out;
}

}  // namespace podium::explain
