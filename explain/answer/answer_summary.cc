#include "explain/answer/answer_summary.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "explain/report/reason_words.h"

namespace podium::explain {
namespace {

std::string other_victims(std::size_t count) {
  if (count == 0) return "";
  return fmt::format(" (preemption would evict {} of other namespaces)", podium::counted(count, "pod"));
}

}  // namespace

std::string summary(const Summarised& seen) {
  const auto fitting = seen.placed.fitting();
  auto text =
      seen.placed.asked == 0                         ? std::string("no node should run one of its pods")
      : fitting == seen.placed.asked && fitting == 1 ? fmt::format("would be placed on {}", seen.first_node)
      : fitting == seen.placed.asked                 ? fmt::format("all {} replicas fit", seen.placed.asked)
      : seen.placed.ended == Placed::Ended::done
          ? fmt::format("{} of {} replicas fit", fitting, seen.placed.asked)
          : fmt::format("at least {} of {} replicas fit: {}", fitting, seen.placed.asked,
                        seen.placed.ended == Placed::Ended::out_of_time ? "the deadline passed"
                                                                        : "a what-if may use no more memory");
  if (const auto& group = seen.answer.group; group && !group->topology_key.empty()) {
    text += group->fits
                ? fmt::format("; {} fit together in {}", group->min_count, group->domain)
                : fmt::format("; {} do not fit together in any {}", group->min_count, group->topology_key);
  }
  if (seen.answer.first_failure) text += ": " + seen.answer.first_failure->message;
  if (const auto& with = seen.answer.with_preemption)
    text += fmt::format("; with preemption, which evicts {}, {}{} fit", podium::counted(with->evicted, "pod"),
                        with->may_be_more ? "at least " : "", with->fitting);
  if (const auto& stuck = seen.answer.stuck_rollout)
    text += fmt::format("; a rolling update would get stuck after {} of {}: {}", stuck->updated,
                        podium::counted(seen.answer.asked, "pod"), stuck->first_failure.message);
  if (const auto* quota = exceeded_quota(seen.answer))
    text += fmt::format("; ResourceQuota {}: {}", quota->name, quota_words(*quota, seen.answer.asked));
  text += other_victims(seen.other_victims);
  if (seen.removed > 0 && !seen.subject.is_stored)
    text += fmt::format(" (as if its {} were not there)", podium::counted(seen.removed, "placed pod"));
  if (seen.removed > 0 && seen.subject.is_stored)
    text += fmt::format(" (as if it were not on {})", seen.subject.was_on);
  if (seen.is_cut_short && seen.placed.ended == Placed::Ended::done)
    text += " (the deadline passed before the answer was complete)";
  if (seen.has_extenders) text += kWithoutExtenders;
  return text;
}

}  // namespace podium::explain
