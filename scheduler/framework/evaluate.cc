// The steps of a scheduling attempt.
// Source: pkg/scheduler/schedule_one.go, pkg/scheduler/framework/runtime.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include "base/check.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/evaluation.h"
#include "scheduler/framework/nominated_node.h"
#include "scheduler/framework/scoring.h"

namespace podium::framework {
namespace {

std::string_view status_of(const std::optional<Verdict>& verdict) {
  return verdict ? to_string(verdict->code) : kSuccess;
}
std::string_view status_of(const std::string& error) {
  return error.empty() ? kSuccess : to_string(Code::error);
}

void reject_all(Decision& decision, const Snapshot& snapshot, const Verdict& verdict) {
  NodeMask nodes = snapshot.present();
  nodes.grow_to_chunks(snapshot.chunks());
  const auto id = decision.rejections.add(verdict);
  for (std::size_t w = 0; w < nodes.words(); ++w)
    decision.rejections.reject_word(nodes, w, nodes.word(w), id);
}

// A plugin that fails on a node fails the attempt; of several nodes, the first by name gives the error.
void take_filter_error(Decision& decision, const Snapshot& snapshot) {
  const auto& verdicts = decision.rejections.verdicts();
  const auto failed = [](const Verdict& v) { return v.code == Code::error; };
  if (std::none_of(verdicts.begin(), verdicts.end(), failed)) return;
  for (const Row row : snapshot.rows_by_name()) {
    const auto id = decision.rejections.id(row);
    if (id == kFits || !failed(decision.rejections.verdict(id))) continue;
    const auto& verdict = decision.rejections.verdict(id);
    decision.error = filter_error(verdict);
    decision.rejections = Rejections(snapshot.chunks());
    decision.feasible = NodeMask(snapshot.chunks());
    return;
  }
}

// Verdicts after the first `of_plugins` are extenders', which have no hints.
void note_unschedulable_plugins(Decision& decision, const Filters& filters, std::size_t of_plugins) {
  auto& plugins = decision.unschedulable_plugins;
  plugins = filters.narrowed_by();
  for (std::size_t i = 0; i < of_plugins; ++i) {
    const auto& plugin = decision.rejections.verdicts()[i].plugin;
    if (decision.rejections.counts()[i] > 0 && !plugin.empty()) plugins.push_back(plugin);
  }
  std::sort(plugins.begin(), plugins.end());
  plugins.erase(std::unique(plugins.begin(), plugins.end()), plugins.end());
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
  }
}

}  // namespace

std::optional<Verdict> gate_of(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile) {
  for (const auto* plugin : profile.pre_enqueue)
    if (auto verdict = plugin->pre_enqueue(pod, snapshot)) return verdict;
  return std::nullopt;
}

std::string skipped_message(const PodInfo& pod) { return "skip schedule deleting pod: " + pod->full_name(); }

Evaluation::Evaluation(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile,
                       std::size_t start, EvaluationObserver* observer)
    : pod_(pod), snapshot_(snapshot), profile_(profile), start_(start), observer_(observer) {
  decision_.node_count = decision_.evaluated = snapshot.node_count();
  decision_.next_start = start;
  if (pod->terminating()) {
    decision_.message = skipped_message(pod);
    return;
  }
  decision_.pre_enqueue = gate_of(pod, snapshot, profile);
  if (decision_.pre_enqueue) {
    decision_.message = message(*decision_.pre_enqueue);
    return;
  }
  if (decision_.node_count == 0) {
    decision_.message = "no nodes available to schedule pods";
    decision_.withdraw_nomination = true;
    return;
  }

  decision_.rejections = Rejections(snapshot.chunks());
  decision_.feasible = NodeMask(snapshot.chunks());
  filters_ = std::make_unique<Filters>(pod, snapshot, profile, observer);
  phase_ended(Phase::pre_filter, status_of(filters_->rejected()));
  filter(snapshot, *filters_, decision_);
  if (profile.search && !decision_.pre_filter && decision_.error.empty()) end_search(*profile.search);
  // Upstream filters the nominated node first, and no other node if it fits: errors on others do not count.
  if (!nominated_row()) take_filter_error(decision_, snapshot);
  decision_.has_filtered = !decision_.pre_filter && decision_.error.empty();
  if (!filters_->rejected()) phase_ended(Phase::filter, status_of(decision_.error));
  verdicts_of_filters_ = decision_.rejections.verdicts().size();
}

// Filtering all nodes is cheap, so the search is applied afterwards: verdicts beyond its end are removed. The
// nominated node counts as tried wherever it is; an error there does not fail the attempt.
void Evaluation::end_search(const NodeSampling& search) {
  auto rows = rows_round_robin(snapshot_);
  if (const auto& only = filters_->only()) std::erase_if(rows, [&](Row row) { return !only->test(row); });
  const auto wanted = search.nodes_to_find(rows.size());
  auto range = framework::search(std::move(rows), start_, wanted, decision_.feasible);
  const auto failed = [&](Row row) {
    const auto id = decision_.rejections.id(row);
    return id != kFits && decision_.rejections.verdict(id).code == Code::error;
  };
  if (const auto nominated = snapshot_.find_row(nominated_node(pod_, snapshot_));
      nominated && !failed(*nominated) && std::erase(range.left, *nominated) > 0) {
    range.tried.push_back(*nominated);
  }
  for (const Row row : range.left) {
    decision_.feasible.clear(row);
    decision_.rejections.forget(row);
  }
  decision_.evaluated = decision_.node_count - range.left.size();
  decision_.next_start = (start_ + range.tried.size()) % decision_.node_count;
}

// The verdict on nodes that were not evaluated. Source: findNodesThatFitPod, SetAbsentNodesStatus.
Verdict Evaluation::unsearched() const {
  if (!filters_->narrowed_by().empty()) return filters_->not_named();
  return {"", Code::unschedulable_and_unresolvable, {}};
}

// Extenders rejected all nodes that the search found. The message and preemption now cover all nodes, so the
// others also get a verdict.
void Evaluation::reject_unsearched() {
  std::optional<VerdictId> id;
  snapshot_.present().each([&](Row row) {
    if (decision_.rejections.id(row) != kFits) return;
    if (!id) id = decision_.rejections.add(unsearched());
    decision_.rejections.reject(decision_.feasible, row, *id);
  });
}

std::optional<Row> Evaluation::nominated_row() const {
  const auto name = nominated_node(pod_, snapshot_);
  const auto row = name.empty() ? std::nullopt : snapshot_.find_row(name);
  return row && decision_.feasible.test(*row) ? row : std::nullopt;
}

bool Evaluation::wants_scores() const {
  return undecided() && !nominated_row() && decision_.feasible.count() > 1;
}

void Evaluation::reject(Row row, VerdictId id) {
  decision_.rejections.reject(decision_.feasible, row, id);
  narrowed_ = true;
}

void Evaluation::narrow(const FilterOpinion& opinion) {
  PODIUM_CHECK(undecided(), opinion.extender, decision_.error);
  NodeMask kept(snapshot_.chunks());
  for (const auto& name : opinion.feasible) {
    if (const auto row = snapshot_.find_row(name)) kept.set(*row);
  }
  const auto out_with = [&](const FilterOpinion::Reasons& reasons, Code code) {
    for (const auto& [name, reason] : reasons) {
      const auto row = snapshot_.find_row(name);
      if (!row || kept.test(*row) || !decision_.feasible.test(*row)) continue;
      reject(*row, decision_.rejections.add({opinion.extender, code, {reason}}));
    }
  };
  out_with(opinion.unresolvable, Code::unschedulable_and_unresolvable);
  out_with(opinion.failed, Code::unschedulable);
  // The other nodes have no reason. Upstream gives them the status of nodes that were not evaluated.
  auto silent = unsearched();
  if (silent.reasons.empty()) silent.plugin = opinion.extender;
  const auto before = decision_.feasible;
  std::optional<VerdictId> id;
  before.each([&](Row row) {
    if (kept.test(row)) return;
    if (!id) id = decision_.rejections.add(silent);
    reject(row, *id);
  });
}

std::vector<PreemptionCandidate>* Evaluation::candidates(PostFiltering::Wanted wanted) {
  if (!filters_ || !decision_.error.empty() || !decision_.feasible.none()) return nullptr;
  if (!post_filtering_) {
    if (profile_.search) reject_unsearched();
    note_unschedulable_plugins(decision_, *filters_, verdicts_of_filters_);
    if (narrowed_) {
      auto& plugins = decision_.unschedulable_plugins;
      plugins.insert(std::ranges::upper_bound(plugins, kExtenderName), std::string(kExtenderName));
    }
    post_filtering_ =
        std::make_unique<PostFiltering>(pod_, snapshot_, profile_, *filters_, decision_, wanted);
  }
  return post_filtering_->candidates();
}

void Evaluation::settle(Result<std::vector<PreemptionCandidate>> candidates) {
  PODIUM_CHECK(post_filtering_ != nullptr);
  post_filtering_->settle(std::move(candidates));
}

void Evaluation::fail(std::string error) {
  decision_.error = std::move(error);
  decision_.rejections = Rejections(snapshot_.chunks());
  decision_.feasible = NodeMask(snapshot_.chunks());
}

Decision Evaluation::finish(std::span<const ScoreOpinion> scores) && {
  if (filters_ && decision_.error.empty()) conclude(scores);
  if (!decision_.error.empty()) {
    decision_.withdraw_nomination = true;
  } else if (filters_) {
    decision_.facts = filters_->facts_of(decision_);
  }
  return std::move(decision_);
}

void Evaluation::conclude(std::span<const ScoreOpinion> scores) {
  if (decision_.feasible.none()) {
    while (auto* found = candidates(PostFiltering::Wanted::best)) settle(std::move(*found));
    if (!profile_.post_filters.empty()) phase_ended(Phase::post_filter, post_filtering_->status());
    decision_.message = fit_error(decision_, post_filtering_->message());
    return;
  }
  const auto nominated = nominated_row();
  if (nominated) decision_.next_start = start_;  // no search took place
  const bool counts = wants_scores();
  score(pod_, snapshot_, profile_, decision_, counts ? observer_ : nullptr);
  if (!counts) decision_.error.clear();  // scores are for reports only, which then have none
  if (!decision_.error.empty()) return;
  add_opinions(scores, snapshot_, decision_);
  if (nominated) {
    decision_.nominated_node = snapshot_.node_name(*nominated);
    decision_.choice = nominated;
  } else {
    decision_.choice = choose(pod_, snapshot_, decision_);
  }
}

Decision evaluate(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile, std::size_t start) {
  return Evaluation(pod, snapshot, profile, start).finish();
}

}  // namespace podium::framework
