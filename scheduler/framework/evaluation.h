// Evaluation: evaluate() in parts, with room between them for what somebody outside has to say.
//
//   Evaluation(pod, snapshot, profile)   PreEnqueue, PreFilter and Filter: so_far() has the nodes that fit
//     narrow(opinion) …                  an HTTP extender's verdicts on those, one extender after the other
//   candidates(), settle(…) …            PostFilter where none is left: where preemption helps, and what
//   extenders leave of it finish(scores)                       else Score, the extenders' scores, and the
//   choice
//
// It stays pure: an extender's answer comes in as a value, and the same values give the same Decision.
// evaluate() is the parts with nothing between. Who asks the extenders is scheduler/extender;
// docs/decisions/0004 says why it is cut here.
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
#include "scheduler/framework/phases.h"
#include "scheduler/framework/post_filtering.h"

namespace podium::framework {

// What one extender says about the nodes that were feasible when it was asked. Nodes by name.
struct FilterOpinion {
  using Reasons = std::vector<std::pair<std::string, std::string>>;
  std::string extender;               // its name, as reports give it
  std::vector<std::string> feasible;  // every other one is turned down, with the reason below if there is one
  Reasons failed, unresolvable;       // of a node in both, the latter counts
};

// One extender's scores, before the weight, on the scale of plugins' scores (an extender's 10 is 100 here).
// They are not bound to that scale.
struct ScoreOpinion {
  std::string extender;
  std::int64_t weight = 1;
  std::vector<std::pair<std::string, std::int64_t>> scores;  // a node that is named twice gets the sum
};

// What unschedulable_plugins has where an extender turned a node down. No plugin has this name, so every
// event wakes the pod.
inline constexpr std::string_view kExtenderName = "Extender";

// What is said of a pod that is on its way out and so not tried.
std::string skipped_message(const PodInfo& pod);

class Evaluation {
 public:
  // `start`: where a search that need not see all nodes begins. `observer`: null, or somebody who outlives the
  // evaluation.
  Evaluation(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile, std::size_t start = 0,
             EvaluationObserver* observer = nullptr);

  // Whether anything is left to ask: some node is feasible.
  bool undecided() const { return filters_ && decision_.error.empty() && !decision_.feasible.none(); }
  // Whether scores would count: there is more than one node to choose from. Upstream asks for no scores
  // otherwise.
  bool wants_scores() const;
  const Decision& so_far() const { return decision_; }

  // Only while undecided().
  void narrow(const FilterOpinion& opinion);
  // An extender failed that must not: so does the attempt.
  void fail(std::string error);

  // Where no node is feasible: the nodes on which preemption would help, for extenders to look at; null where
  // there are none. Another plugin may come with others once these are settled.
  std::vector<PreemptionCandidate>* candidates();
  // Only after candidates() gave some: what is left of them, or why an extender that must not fail did.
  void settle(Result<std::vector<PreemptionCandidate>> candidates);

  Decision finish(std::span<const ScoreOpinion> scores = {}) &&;

 private:
  void end_search(const NodeSearch& search);
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
  std::unique_ptr<Filters> filters_;               // null: it was over before any node was looked at
  std::size_t verdicts_of_filters_ = 0;            // those beyond are extenders'
  std::unique_ptr<PostFiltering> post_filtering_;  // null: it has not come to that
  bool narrowed_ = false;                          // an extender turned some node down
};

}  // namespace podium::framework
