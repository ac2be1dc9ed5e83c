// Evaluation: evaluate() in steps, so that a caller can ask HTTP extenders in between.
//
//   Evaluation(pod, snapshot, profile)   PreEnqueue, PreFilter, Filter; so_far() has the feasible nodes
//     narrow(opinion) …                  the verdicts of one extender after the other
//     candidates(), settle(…) …          if no node is left: PostFilter, and the extenders' victims
//   finish(scores)                       else Score, the extenders' scores, the choice
//
// Pure: extenders' answers are passed in as values, and equal values give an equal Decision. evaluate() runs
// the steps without extenders. scheduler/extender asks extenders; docs/decisions/0004 explains the split.
//
// Owner: one evaluation; keeps references to pod, snapshot and profile. Threads: one at a time.
// Sources: pkg/scheduler/schedule_one.go findNodesThatFitPod, findNodesThatPassExtenders, prioritizeNodes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/framework/decision.h"
#include "scheduler/framework/filters.h"
#include "scheduler/framework/opinions.h"
#include "scheduler/framework/phases.h"
#include "scheduler/framework/post_filtering.h"

namespace podium::framework {

// Listed in unschedulable_plugins if an extender rejected a node. No plugin has this name, so every event
// wakes the pod.
inline constexpr std::string_view kExtenderName = "Extender";

// The message for a terminating pod, which is not scheduled.
std::string skipped_message(const PodInfo& pod);
// The verdict of the first PreEnqueue plugin that keeps the pod out of the queue; nullopt: none does.
std::optional<Verdict> gate_of(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile);

class Evaluation {
 public:
  // `start`: where a NodeSampling begins. `observer` may be null; it must outlive the evaluation.
  Evaluation(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile, std::size_t start = 0,
             EvaluationObserver* observer = nullptr);

  // True while some node is feasible and nothing failed: extenders can be asked.
  bool undecided() const { return filters_ && decision_.error.empty() && !decision_.feasible.none(); }
  // True if scores decide: several nodes are feasible and none is nominated. Upstream scores only then.
  bool wants_scores() const;
  const Decision& so_far() const { return decision_; }

  // Only while undecided().
  void narrow(const FilterOpinion& opinion);
  // An extender that is not ignorable failed, so the attempt fails.
  void fail(std::string error);

  // If no node is feasible: the nodes on which preemption would help, for extenders to process; null if there
  // are none. After settle() another plugin may have further candidates.
  std::vector<PreemptionCandidate>* candidates() { return candidates(PostFiltering::Wanted::all); }
  // Only after candidates() returned some: the candidates left, or the error of an extender.
  void settle(Result<std::vector<PreemptionCandidate>> candidates);

  Decision finish(std::span<const ScoreOpinion> scores = {}) &&;

 private:
  std::vector<PreemptionCandidate>* candidates(PostFiltering::Wanted wanted);
  void end_search(const NodeSampling& search);
  void reject_unsearched();
  Verdict unsearched() const;
  void conclude(std::span<const ScoreOpinion> scores);
  std::optional<Row> nominated_row() const;
  void reject(Row row, VerdictId id);
  void phase_ended(Phase phase, std::string_view status) {
    if (observer_) observer_->phase_ended(phase, status);
  }

  const PodInfo& pod_;
  const Snapshot& snapshot_;
  const Profile& profile_;
  const std::size_t start_;
  EvaluationObserver* const observer_;
  Decision decision_;
  std::unique_ptr<Filters> filters_;               // null: it ended before any node was evaluated
  std::size_t verdicts_of_filters_ = 0;            // later ids are extenders'
  std::unique_ptr<PostFiltering> post_filtering_;  // null: not started
  bool narrowed_ = false;                          // an extender rejected a node
};

}  // namespace podium::framework
