// What the author of a question may not know and what changes no answer.
//
// Threads: a pure function. Errors: none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "explain/report/each_field.h"
#include "explain/report/report.h"
#include "explain/workload/workload.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

inline constexpr std::size_t kMostNotes = bound_of(&ReportAnswer::notes).items,
                             kNoteBytes = bound_of(&ReportAnswer::notes).bytes;

struct Noted {
  const Subject& subject;
  const api::Pod& pod;            // admitted
  const cluster::Snapshot& fork;  // without the question's pods
  const RemovedPods& own;         // the subject's pods, those that a change of the template concerns
  const ReportStatus& first;      // the reasons against the first of the question's pods
  const ReportAnswer& answer;     // so far: the first pod that does not fit, the quotas, a stuck update
  bool has_fixes = false;         // the answer proposes changes of the template
  const RemovedPods& existing;    // all of the subject's pods
};

// About requests that are not in the template of a pod, because a LimitRange has set them. Empty: it has set
// none, or no node lacks a resource.
std::string limit_range_note(const api::ObjectMeta& pod, const std::vector<ReportRejection>& rejections);

// Also about requests and limits that an exceeded quota counts.
std::string limit_range_note(const api::ObjectMeta& pod, const ReportAnswer& answer);

// Containers that the existing pods have and the asked ones lack, a pod that has ended, a StatefulSet's name
// that may be too long for its pods, pods that a change of the template would not replace, a claim that a
// reason names and that does not exist yet, nodes that a DaemonSet leaves out, and constraints that do not
// concern these pods or any node. At most kMostNotes.
std::vector<std::string> notes_of(const Noted& noted);

}  // namespace podium::explain
