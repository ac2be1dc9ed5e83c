// The order of a scheduling attempt. Source: pkg/scheduler/schedule_one.go and pkg/scheduler/framework/runtime.
#include <algorithm>
#include <fmt/format.h>

#include "scheduler/framework/decision.h"
#include "scheduler/framework/filters.h"
#include "scheduler/framework/scoring.h"

namespace podium::framework {
namespace {

void reject_all(Decision& decision, const Snapshot& snapshot, const Verdict& verdict) {
  NodeMask nodes = snapshot.present();
  nodes.grow_to_chunks(snapshot.chunks());
  const auto id = decision.rejections.add(verdict);
  for (std::size_t w = 0; w < nodes.words(); ++w) decision.rejections.reject_word(nodes, w, nodes.word(w), id);
}

// A plugin that fails on a node fails the attempt; of several nodes the first by name speaks.
void take_filter_error(Decision& decision, const Snapshot& snapshot) {
  const auto& verdicts = decision.rejections.verdicts();
  const auto failed = [](const Verdict& v) { return v.code == Code::error; };
  if (std::none_of(verdicts.begin(), verdicts.end(), failed)) return;
  for (const Row row : snapshot.rows_by_name()) {
    const auto id = decision.rejections.id(row);
    if (id == kFits || !failed(decision.rejections.verdict(id))) continue;
    const auto& verdict = decision.rejections.verdict(id);
    decision.error = fmt::format("running \"{}\" filter plugin: {}", verdict.plugin, message(verdict));
    decision.rejections = Rejections(snapshot.chunks());
    decision.feasible = NodeMask(snapshot.chunks());
    return;
  }
}

void note_unschedulable_plugins(Decision& decision, const Snapshot& snapshot, const Filters& filters) {
  auto& plugins = decision.unschedulable_plugins;
  plugins = filters.narrowed_by();
  std::vector<bool> used(decision.rejections.verdicts().size());
  snapshot.present().each([&](Row row) { used[decision.rejections.id(row) - 1] = true; });
  for (std::size_t i = 0; i < used.size(); ++i) {
    const auto& plugin = decision.rejections.verdicts()[i].plugin;
    if (used[i] && !plugin.empty()) plugins.push_back(plugin);
  }
  std::sort(plugins.begin(), plugins.end());
  plugins.erase(std::unique(plugins.begin(), plugins.end()), plugins.end());
}

// Plugins are asked until one finds a way; what the others said is the message. Source: RunPostFilterPlugins.
std::string post_filter(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile, const Filters& filters,
                        Decision& decision) {
  decision.withdraw_nomination = profile.post_filters.empty();
  std::vector<std::string> reasons;
  for (const auto& entry : profile.post_filters) {
    if (!entry.plugin) continue;
    auto result = entry.plugin->post_filter(pod, snapshot, filters, decision);
    decision.tried_preemption |= result.preempts;
    if (!result.failed) {
      decision.preemption = std::move(result.preemption);
      decision.withdraw_nomination = false;
      return {};
    }
    if (result.failed->code != Code::unschedulable) {
      decision.withdraw_nomination = result.withdraw_nomination;
      return message(*result.failed);
    }
    decision.withdraw_nomination |= result.withdraw_nomination;
    std::move(result.failed->reasons.begin(), result.failed->reasons.end(), std::back_inserter(reasons));
  }
  return message({"", Code::unschedulable, std::move(reasons)});
}

void filter(const Snapshot& snapshot, const Filters& filters, Decision& decision) {
  if (const auto& rejected = filters.rejected()) {
    if (rejected->code == Code::error) {
      decision.error = message(*rejected);
      return;
    }
    decision.pre_filter = rejected;
    reject_all(decision, snapshot, *rejected);
  } else {
    decision.feasible = filters.run(decision.rejections);
    take_filter_error(decision, snapshot);
  }
}

Decision decide(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile) {
  Decision decision;
  decision.node_count = snapshot.node_count();
  if (pod->terminating()) {
    decision.message = "skip schedule deleting pod: " + pod->full_name();
    return decision;
  }
  for (const auto* plugin : profile.pre_enqueue) {
    if (auto verdict = plugin->pre_enqueue(pod)) {
      decision.message = message(*verdict);
      decision.pre_enqueue = std::move(verdict);
      return decision;
    }
  }
  if (decision.node_count == 0) {
    decision.message = "no nodes available to schedule pods";
    decision.withdraw_nomination = true;
    return decision;
  }

  decision.rejections = Rejections(snapshot.chunks());
  decision.feasible = NodeMask(snapshot.chunks());
  const Filters filters(pod, snapshot, profile);
  filter(snapshot, filters, decision);
  if (!decision.error.empty()) return decision;
  if (decision.feasible.none()) {
    note_unschedulable_plugins(decision, snapshot, filters);
    decision.message = fit_error(decision, snapshot, post_filter(pod, snapshot, profile, filters, decision));
    return decision;
  }

  score(pod, snapshot, profile, decision);
  if (!decision.error.empty()) return decision;
  const auto nominated = pod->nominated_node.empty() ? std::nullopt : snapshot.find_row(pod->nominated_node);
  if (nominated && decision.feasible.test(*nominated)) {
    decision.nominated_node = pod->nominated_node;
    decision.choice = nominated;
  } else {
    decision.choice = choose(pod, snapshot, decision);
  }
  return decision;
}

}  // namespace

Decision evaluate(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile) {
  auto decision = decide(pod, snapshot, profile);
  if (!decision.error.empty()) decision.withdraw_nomination = true;
  return decision;
}

}  // namespace podium::framework
