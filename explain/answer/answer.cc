#include "explain/answer/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/values/pod_group.h"
#include "api/values/topology_labels.h"
#include "base/check.h"
#include "base/counted.h"
#include "explain/answer/added_objects.h"
#include "explain/answer/answer_summary.h"
#include "explain/answer/failures.h"
#include "explain/answer/fixes.h"
#include "explain/answer/fork_memory.h"
#include "explain/answer/node_search.h"
#include "explain/answer/notes.h"
#include "explain/answer/placing.h"
#include "explain/answer/pod_groups.h"
#include "explain/answer/preempting.h"
#include "explain/answer/quotas.h"
#include "explain/answer/rollout.h"
#include "explain/answer/verdicts.h"
#include "explain/answer/waiting.h"
#include "explain/answer/what_if_admission.h"
#include "explain/answer/zones.h"
#include "explain/report/bounds.h"
#include "explain/report/node_names.h"
#include "explain/report/project.h"
#include "explain/report/reason_words.h"
#include "explain/workload/admin_access.h"
#include "explain/workload/daemon_set_pods.h"

namespace podium::explain {
namespace {

using cluster::Snapshot;

// A placed pod has its node's zone and region. Before its placement it had neither.
void remove_topology_labels(const Subject& subject, const Snapshot& fork, api::Pod& pod) {
  const auto row = subject.was_on.empty() ? std::nullopt : fork.find_row(subject.was_on);
  if (!row) return;
  std::vector<api::Labels::Entry> left(pod.meta.labels.begin(), pod.meta.labels.end());
  for (const auto key : {api::label::zone, api::label::region}) {
    const auto* of_node = fork.entry(*row).node->meta.labels.find(key);
    std::erase_if(left,
                  [&](const auto& each) { return of_node && each.first == key && each.second == *of_node; });
  }
  pod.meta.labels = api::Labels(std::move(left));
}

// Whether the answer is about pods of a scheduler that podium does not serve.
bool is_for_other_schedulers(const Question& question, const config::Config& config) {
  if (question.search) return question.search->kind != SearchSpec::Kind::compare_weights;
  return question.subject && !config.profile(question.subject->pod.scheduler_name);
}

// podium's snapshot has the nominations of its own pods only. The other schedulers know theirs.
void nominate_others(const std::vector<cluster::PodInfoPtr>& waiting, const config::Config& config,
                     Snapshot& fork) {
  for (const auto& info : waiting) {
    const auto& pod = *info->pod;
    if (pod.nominated_node.empty() || config.profile(pod.scheduler_name)) continue;
    if (!fork.find_row(pod.nominated_node) || fork.find_nomination(pod.meta.uid)) continue;
    if (!fork.find_pod(pod.meta.uid)) fork.nominate(info, pod.nominated_node);
  }
}

// Answers one question. Its members are the steps, in order.
class Answering {
 public:
  Answering(const Question& question, const Subject& subject, const api::Pod& pod,
            const framework::Profile& profile, const Budget& budget, const api::AdmissionObjects& objects,
            Count count, const Quotas& quotas, const std::vector<cluster::PodInfoPtr>& waiting, Snapshot fork)
      : question_(question),
        subject_(subject),
        profile_(profile),
        budget_(budget),
        objects_(objects),
        replicas_{subject, pod, profile, budget, objects.claim_templates},
        count_(count),
        quotas_(quotas),
        waiting_(waiting),
        fork_(std::move(fork)) {}

  // `now`: the node of each pod that was removed, before the changes. `update`: nullopt: no rolling update
  // would replace these pods. `of_group`: pods that their PodGroup needs; 0: any number.
  ReportStatus run(std::vector<ChangeResult> changes, const RemovedPods& pods_removed, Zones now,
                   std::optional<UpdateStart> update, std::size_t of_group) {
    const auto removed = pods_removed.placed.size();
    existing_ = existing_pods(subject_, removed);
    victims_ = pods_removed.victims.size();
    answer_.changes = std::move(changes);
    const auto start = fork_;
    const auto placed = place_replicas(
        replicas_, count_, fork_, [this](const ReplicaSeen& seen) { see_first(seen); },
        [this](const ReplicaSeen& seen) { see_failed(seen); },
        subject_.kind == Subject::Kind::daemon_set
            ? [this](const ReplicaSeen& seen) { see_of_daemon_set(seen); }
            : SeeReplica());
    if (placed.ended == Placed::Ended::out_of_time && placed.rows.empty())
      return declined(kDeadlineExceeded, "the deadline passed before a replica was placed");
    set_counts(placed);
    if (!subject_.is_stored) answer_.ignored = removed;
    set_room(placed);
    if (question_.fixes) set_fixes(placed, start);
    const NewPods pods{.subject = subject_,
                       .pod = replicas_.pod,
                       .claim_templates = objects_.claim_templates,
                       .fork = start,
                       .existing = existing_};
    auto quotas = quotas_.answers(pods, placed.asked);
    // The counts of a quota are not usable if the counting was cut short.
    if (!quotas.empty() && is_cut_short()) quotas.clear();
    set_quotas(answer_, std::move(quotas));
    if (placed.asked > 1) set_zones(answer_, count_zones(fork_, placed.rows, std::move(now)));
    const auto asked = static_cast<std::size_t>(placed.asked);
    const auto together = question_.min_count > 0 ? question_.min_count
                          : of_group <= asked     ? static_cast<std::int32_t>(of_group)
                                                  : 0;
    if (together > 0) {
      answer_.group = group_answer(replicas_, together, question_.topology_key, placed.fitting(),
                                   preferred_domain(placed, start), start);
    }
    const auto others = with_other_template(replicas_, pods_removed);
    const bool updates = update && is_update(subject_, placed, pods_removed, others);
    auto overlap = updates ? overlap_of(replicas_, count_, placed, *update, others) : Overlap();
    if (updates) set_stuck_rollout(std::move(*update), placed.asked);
    // Last, because it may take all of the remaining time.
    if (preempts_) answer_.with_preemption = count_with_preemption(replicas_, count_, placed, start);
    const auto& with_asked = placed.before_more ? *placed.before_more : fork_;
    const Budget time_left = [this] { return !is_cut_short(); };
    const Answered answered{start, with_asked, placed.rows, victims_, time_left, std::move(overlap)};
    answer_.not_modelled = not_modelled(question_, profile_, answered, objects_);
    if (of_group > asked)
      answer_.not_modelled.push_back(fmt::format("the other pods of group {}, which still needs {}",
                                                 *api::pod_group_of(replicas_.pod),
                                                 podium::counted(of_group, "pod")));
    else if (!objects_.has_all_group_minimums && api::pod_group_of(replicas_.pod))
      answer_.not_modelled.emplace_back("PodGroup");
    const bool has_fixes = question_.fixes && (placed.fitting() < placed.asked || !question_.nodes.empty());
    // A fix may change the template.
    auto notes = notes_of({subject_, replicas_.pod, start, question_.fixes ? pods_removed : others, status_,
                           answer_, has_fixes, pods_removed});
    notes.resize(std::min(notes.size(), kMostNotes - answer_.notes.size()));
    std::ranges::move(notes, std::back_inserter(answer_.notes));
    conclude(placed, removed);
    return std::move(status_);
  }

 private:
  void see_first(const ReplicaSeen& seen) {
    status_ = project(*seen.pod, seen.decision, seen.fork);
    name_own_victims(seen.pod->pod->meta.namespace_, status_);
    if (question_.fixes) first_ = Kept{seen.index, seen.pod, seen.decision, seen.fork};
    if (!question_.nodes.empty()) answer_.verdicts = verdicts_on(question_.nodes, seen, profile_, budget_);
  }

  // True if the budget ended before the answer was complete.
  bool is_cut_short() { return cut_short_ = cut_short_ || !has_time(budget_); }

  // Each of its nodes may have a reason of its own. see_failed() sees the first that fails.
  void see_of_daemon_set(const ReplicaSeen& seen) {
    const bool has_place = seen.decision.fits() && seen.refused.empty();
    if (has_place || !answer_.first_failure || is_cut_short()) return;
    auto failed = project(*seen.pod, seen.decision, seen.fork);
    keep_own_node(failed);
    add_node(failed, *answer_.first_failure);
  }

  // In place of the plugin's reason, which does not name the template.
  void say_instead(std::string message, FirstFailure& failure) {
    failure.message = std::move(message);
    failure.rejections.clear();
    failure.rejections_total = 0;
    if (failure.replica > 1) return;
    status_.rejections.clear();
    status_.rejections_total = 0;
  }

  void see_failed(const ReplicaSeen& seen) {
    const auto& ns = seen.pod->pod->meta.namespace_;
    auto failed = project(*seen.pod, seen.decision, seen.fork);
    if (subject_.kind == Subject::Kind::daemon_set) keep_own_node(failed);
    auto failure = failure_of(seen, failed);
    if (subject_.kind == Subject::Kind::daemon_set) failure.replica = 0;
    if (question_.room && seen.index >= count_.asked) {
      after_all_ = std::move(failure);
      return;
    }
    name_own_victims(ns, failed);
    if (seen.refused.empty() && lacks_claim(seen.decision, objects_)) {
      auto missing = missing_claim(subject_, objects_);
      if (!missing.empty()) say_instead(std::move(missing), failure);
    }
    if (seen.index == 0) status_.message = failure.message;
    answer_.first_failure = std::move(failure);
    status_.preemption = std::move(failed.preemption);
    other_victims_ = count_other_victims(seen.decision, ns);
    const bool is_one = count_.asked <= 1 && subject_.kind != Subject::Kind::daemon_set;
    preempts_ = seen.decision.preemption && !is_one;
    if (question_.fixes && seen.refused.empty() && !seen.decision.fits())
      failed_ = Kept{seen.index, seen.pod, seen.decision, seen.fork};
  }

  // What was seen of a replica.
  struct Kept {
    std::int32_t index;
    cluster::PodInfoPtr pod;
    framework::Decision decision;
    Snapshot fork;
  };

  // Fixes for the named nodes first, then those for all, then those that make room in a quota.
  void set_fixes(const Placed& placed, const Snapshot& start) {
    for (auto& verdict : answer_.verdicts) {
      const auto row = first_ ? first_->fork.find_row(verdict.node) : std::nullopt;
      if (verdict.fits || !row || is_cut_short()) continue;
      // Its claims are on that fork.
      verdict.would_fit_with = add_fixes(find_fixes(fixes_for(*first_, first_->fork, placed, row)), row);
    }
    bool all_tried = false;
    if (failed_ && !is_cut_short()) {
      auto found = find_fixes(fixes_for(*failed_, start, placed, std::nullopt));
      all_tried = found.all_tried && found.list.empty();
      add_fixes(std::move(found), std::nullopt);
    }
    if (first_ && !is_cut_short())
      add_fixes({find_quota_fixes(fixes_for(*first_, start, placed, std::nullopt))}, std::nullopt);
    answer_.no_fix_helps = all_tried && !cut_short_ && answer_.fixes.empty();
  }

  FixQuestion fixes_for(const Kept& kept, const Snapshot& start, const Placed& placed,
                        std::optional<cluster::Row> node) const {
    return {.pod = *kept.pod,
            .fork = kept.fork,
            .decision = kept.decision,
            .index = kept.index,
            .node = node,
            .replicas = replicas_,
            .start = start,
            .placed = placed,
            .most = count_.most,
            .limit_ranges = objects_.limit_ranges,
            .quotas = objects_.quotas,
            .runtime_classes = objects_.runtime_classes,
            .quotas_now = quotas_,
            .existing = existing_,
            .waiting = waiting_};
  }

  // Returns the first fix.
  std::string add_fixes(FoundFixes found, std::optional<cluster::Row> node) {
    is_cut_short();
    auto first = found.list.empty() ? std::string() : cut(found.list.front().message, kReasonBytes);
    for (auto& fix : found.list) {
      fix.message = cut(std::move(fix.message), kReasonBytes);
      // A fix for all nodes may be one that was found for a named node.
      const bool is_known = std::ranges::any_of(answer_.fixes, [&](const ReportFix& known) {
        const bool is_same_change = known.type == fix.type && known.fields == fix.fields;
        return known.node == fix.node ? is_same_change : !node && known.message == fix.message;
      });
      if (!is_known && answer_.fixes.size() < kMostFixes) answer_.fixes.push_back(std::move(fix));
    }
    return first;
  }

  void set_counts(const Placed& placed) {
    answer_.asked = static_cast<std::size_t>(placed.asked);
    answer_.fitting = placed.rows.size();
    std::vector<std::string> nodes;
    for (const auto row : placed.rows) nodes.emplace_back(fork_.node_name(row));
    set_placements(answer_, nodes);
    if (placed.rows.empty()) status_.choice.reset();
  }

  void set_room(const Placed& placed) {
    if (!question_.room || placed.fitting() < placed.asked) return;
    answer_.room = ReplicaRoom{.count = static_cast<std::size_t>(placed.more),
                               .may_be_more = !placed.counted,
                               .first_failure = std::move(after_all_)};
  }

  void set_stuck_rollout(UpdateStart update, std::int32_t asked) {
    auto count = count_;
    count.asked = asked;
    auto end = find_stuck_rollout(replicas_, count, std::move(update));
    if (!end || is_cut_short()) return;
    answer_.stuck_rollout = std::move(end->stuck);
    answer_.notes.push_back(cut(std::move(end->note), kNoteBytes));
  }

  // The domain in which the first replica would be placed.
  std::string preferred_domain(const Placed& placed, const Snapshot& start) const {
    if (placed.rows.empty()) return {};
    const auto* value = start.entry(placed.rows.front()).node->meta.labels.find(question_.topology_key);
    return value ? *value : std::string();
  }

  std::string summary_of(const Placed& placed, std::size_t removed) const {
    return summary({.answer = answer_,
                    .placed = placed,
                    .first_node = placed.rows.empty() ? "" : fork_.node_name(placed.rows.front()),
                    .subject = subject_,
                    .removed = removed,
                    .other_victims = other_victims_,
                    .is_cut_short = cut_short_,
                    .has_extenders = profile_.has_extenders});
  }

  std::string reason(const Placed& placed) const {
    switch (placed.ended) {
      case Placed::Ended::out_of_time:
        return kDeadlineExceeded;
      case Placed::Ended::out_of_memory:
        return kMemoryExceeded;
      case Placed::Ended::done:
        break;
    }
    return cut_short_ ? kDeadlineExceeded : status_.outcome;
  }

  void conclude(const Placed& placed, std::size_t removed) {
    const auto running = explain::running(answer_);
    const bool all = running == answer_.asked && placed.asked > 0;
    // podium places the pods of a PodGroup one by one, so this says nothing about those that fit.
    const bool together = question_.min_count == 0 || !answer_.group ||
                          (answer_.group->fits && running >= answer_.group->min_count);
    status_.outcome = !together ? "DoesNotFit" : all ? "Fits" : running > 0 ? "PartlyFits" : "DoesNotFit";
    status_.profile = profile_.scheduler_name;
    status_.attempts = 1;
    status_.conditions = {report_condition("Accepted", true, "Accepted", "request is valid"),
                          report_condition("Complete", true, reason(placed), summary_of(placed, removed))};
    status_.answer = std::move(answer_);
  }

  const Question& question_;
  const Subject& subject_;
  const framework::Profile& profile_;
  const Budget& budget_;
  const api::AdmissionObjects& objects_;
  const Replicas replicas_;
  const Count count_;
  const Quotas& quotas_;
  const std::vector<cluster::PodInfoPtr>& waiting_;
  std::int32_t existing_ = 0;  // of its pods: those that exist and stay
  std::size_t victims_ = 0;    // of its pods that wait: they terminate, and are not on the fork
  Snapshot fork_;
  ReportStatus status_;
  ReportAnswer answer_;
  std::optional<FirstFailure> after_all_;
  std::optional<Kept> first_, failed_;  // if the question asks for fixes
  std::size_t other_victims_ = 0;
  bool preempts_ = false;   // the first replica that does not fit would preempt pods
  bool cut_short_ = false;  // the deadline passed
};

// The most replicas to try and to place.
Result<Count> count_replicas(const Question& question, const Subject& subject, const api::Pod& pod,
                             const api::AdmissionObjects& objects, const ForkMemory& memory) {
  // A workload that is scaled to 0 is asked about with one pod.
  const auto asked = std::max({question.replicas.value_or(subject.replicas), question.min_count, 1});
  const auto each = memory_of_replica(subject, replica_of(subject, pod, 0), objects.claim_templates);
  // A group is placed once more, in one domain after the other.
  const auto room = memory.room(each) / (question.topology_key.empty() ? 1 : 2);
  // Each try copies the objects, as for changes.
  if (room == 0) {
    return invalid(subject_path(question).said(
        fmt::format("one of these pods with its claims needs more memory than is left of the {} MiB that a "
                    "what-if may use",
                    ForkMemory::kMost >> 20)));
  }
  const auto most = static_cast<std::int32_t>(std::min<std::size_t>(room, Count::kAny));
  if (question.min_count > most) {
    return invalid(
        (question.paths.spec / "minCount")
            .said(fmt::format(
                "{} pods of this size need more memory than a what-if may use; at most {} are possible",
                question.min_count, most)));
  }
  const auto left = std::max(0, static_cast<std::int32_t>(kMostReplicas) - asked);
  return Count{.asked = asked, .more = question.room ? left : 0, .most = most, .room = most};
}

// The nodes that the asker knows by name.
std::vector<std::string> named_by(const Question& question) {
  auto names = question.nodes;
  for (const auto& change : question.changes) {
    for (const auto& name : {change.node_name, change.like, change.node ? change.node->meta.name : ""}) {
      if (!name.empty()) names.push_back(name);
    }
  }
  if (question.search) {
    for (const auto& shape : question.search->shapes) names.push_back(shape.like);
  }
  return names;
}

// Withholds names and bounds the size. `names`: a fork with the nodes before the answer.
void finish(const Question& question, const Snapshot& names, ReportStatus& status) {
  if (question.withholds_node_names)
    NodeNames([&](std::string_view word) { return names.find_row(word).has_value(); }, named_by(question))
        .withhold(status);
  bound_answer(status);
}

}  // namespace

bool needs_waiting(const Question& question, const config::Config& config) {
  if (asks_what_waits(question) || question.fixes || asks_for_room(question)) return true;
  if (is_for_other_schedulers(question, config)) return true;
  // The update of a StatefulSet waits for each of its pods; that of a Deployment counts them in its surge.
  const auto& subject = question.subject;
  if (subject && subject->kind == Subject::Kind::stateful_set && !subject->is_parallel) return true;
  if (subject && subject->kind == Subject::Kind::deployment && subject->rolling_update) return true;
  return std::ranges::any_of(question.changes, [](const Change& change) {
    return change.type == Change::Type::add_nodes || !change.objects.disruption_budgets.empty();
  });
}

ReportStatus answer(const Question& question, Snapshot fork, const config::Config& config,
                    const Budget& budget, const api::AdmissionObjects& read,
                    const std::vector<cluster::PodInfoPtr>& without_node) {
  PODIUM_CHECK(question.subject, question.meta.name);
  if (is_for_other_schedulers(question, config)) nominate_others(without_node, config, fork);
  const auto waiting = without_deleted(without_node);
  free_unused_claims(waiting, config, budget, fork);
  if (question.search) {
    auto status = answer_search({question, config, budget, waiting, read}, fork);
    finish(question, fork, status);
    return status;
  }
  const auto& subject = *question.subject;
  if (const auto named = claim_templates_of(placed_pods(question)); !named) return refusal(named.error());
  auto objects = read;
  add_objects(question.changes, waiting, budget, fork, objects);
  refuse_admin_access(question.meta.namespace_, fork, objects);
  const auto admitted = admit_question(question, fork, config, objects);
  if (!admitted) return refusal(admitted.error());
  const auto profile = profile_for(question, **admitted, config);
  if (!profile) return refusal(profile.error());
  if (subject.kind == Subject::Kind::daemon_set) {
    const char* counted = question.replicas        ? "replicas"
                          : question.room          ? "room"
                          : question.min_count > 0 ? "minCount"
                                                   : nullptr;
    if (counted) return refusal(invalid((question.paths.spec / counted).said(kOnePodOnEachNode)).error());
  }
  auto pod = **admitted;
  remove_topology_labels(subject, fork, pod);
  const auto before = fork;
  auto removed = remove_placed(subject, fork);
  auto now = zones_now(removed.placed, fork);
  add_owner(subject, fork);
  Quotas quotas(objects.quotas.value_or(std::vector<api::ResourceQuota>()), budget);
  const bool stays = existing_pods(subject, removed.placed.size()) > 0;
  if (!stays) quotas.release(removed, subject.has_deadline);
  ForkMemory memory;
  auto others = waiting;  // the subject's own pods that wait are those that the question places
  const auto is_own = own_pods_of(subject, fork);
  const auto own = std::ranges::stable_partition(
      others, [&](const cluster::PodInfoPtr& pod) { return !is_own(*pod->pod); });
  removed.waiting.assign(own.begin(), own.end());
  others.erase(own.begin(), own.end());
  WaitingLine line(asks_what_waits(question) ? others : std::vector<cluster::PodInfoPtr>(), config, budget,
                   fork);
  auto changes = apply_changes(question.changes,
                               {question.meta.namespace_, question.paths.spec, config, budget, objects,
                                quotas, line, question.seen_namespaces, others},
                               memory, fork);
  if (!changes) return refusal(changes.error());
  if (!question.changes.empty() && !has_time(budget))
    return declined(kDeadlineExceeded, "the deadline passed before the changes were made");
  auto update = removed.placed.empty() ? std::nullopt
                                       : start_of_update(question, before, config, budget, objects, waiting);
  const auto count = count_replicas(question, subject, pod, objects, memory);
  if (!count) return refusal(count.error());
  const auto names = fork;
  const auto of_group = needed_of_group(pod, objects.group_minimums, fork);
  auto status =
      Answering(question, subject, pod, *profile, budget, objects, *count, quotas, others, std::move(fork))
          .run(std::move(*changes), removed, std::move(now), std::move(update), of_group);
  if (status.answer && asks_for_room(question))
    status.answer->others_waiting = count_competing(others, config, names);
  finish(question, names, status);
  return status;
}

}  // namespace podium::explain
