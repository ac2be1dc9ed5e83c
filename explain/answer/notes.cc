#include "explain/answer/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/similar.h"
#include "explain/report/report.h"
#include "scheduler/plugins/shared/unmet.h"

namespace podium::explain {
namespace {

// What may stop the pods of a new StatefulSet with a long name; empty: nothing. The controller's hash of the
// template has one to ten characters.
// Source: pkg/controller/history: ControllerRevisionName, HashControllerRevision
std::string name_note(const Subject& subject) {
  constexpr std::size_t kSafe = 52;
  const bool is_new = !subject.is_stored && subject.existing.value_or(0) == 0;
  if (subject.kind != Subject::Kind::stateful_set || !is_new || subject.name.size() <= kSafe) return {};
  return fmt::format(
      "the StatefulSet's name has {} characters. The pods' label controller-revision-hash has the name, a "
      "dash "
      "and up to 10 characters more, and the API server refuses the pods if that is more than 63.",
      subject.name.size());
}

// A scheduler that none of the pods on nodes has, whose name resembles that of the profile or of
// kube-scheduler; empty: there is nothing to say.
std::string scheduler_note(const Subject& subject, const api::Pod& pod, const cluster::Snapshot& fork) {
  constexpr const char* kKubeScheduler = "default-scheduler";
  const auto& named = subject.pod.scheduler_name;
  if (!subject.names_scheduler || named == pod.scheduler_name || named == kKubeScheduler) return {};
  std::vector<std::string> known{kKubeScheduler};
  if (pod.scheduler_name != kKubeScheduler) known.push_back(pod.scheduler_name);
  const auto near = suggestion(plugins::resembling(named, known));
  if (near.empty()) return {};
  bool has_placed = false;
  fork.each_pod([&](const cluster::PodInfoPtr& other) { has_placed |= other->pod->scheduler_name == named; });
  if (has_placed) return {};
  return fmt::format("no pod on a node has the scheduler {}, and no profile has that name. {}", named, near);
}

// The number behind the StatefulSet's name; nullopt: it is not one of its pods.
std::optional<std::int32_t> ordinal_of(const Subject& set, std::string_view pod) {
  if (!pod.starts_with(set.name) || pod.size() < set.name.size() + 2) return std::nullopt;
  const auto digits = pod.substr(set.name.size() + 1);
  std::int32_t ordinal = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(ordinal) : std::nullopt;
}

// An ordered StatefulSet waits for each of its pods before it touches another one, also if the pod has an
// earlier template and will never be ready. Empty: none of its pods waits.
// Source: pkg/controller/statefulset/stateful_set_control.go: processReplica
std::string unreplaced_note(const Subject& subject, const std::vector<cluster::PodInfoPtr>& waiting) {
  if (subject.kind != Subject::Kind::stateful_set || subject.is_parallel) return {};
  std::optional<std::int32_t> first;
  for (const auto& info : waiting) {
    const auto ordinal = ordinal_of(subject, info->pod->meta.name);
    if (ordinal && !info->pod->terminating() && (!first || *ordinal < *first)) first = ordinal;
  }
  if (!first) return {};
  return fmt::format(
      "a changed template does not replace {0}-{1}, which waits: a StatefulSet with podManagementPolicy "
      "OrderedReady changes no pod until it is ready. After the change, delete the pod {0}-{1}.",
      subject.name, *first);
}

// The same of one pod of a StatefulSet, whose policy is not known. Empty: it is not such a pod.
std::string unreplaced_pod_note(const Subject& subject) {
  if (!subject.is_stored || !subject.was_on.empty()) return {};
  const auto* owner = subject.pod.meta.controller();
  if (!owner || owner->kind != "StatefulSet") return {};
  return fmt::format(
      "a changed template does not replace {0} if StatefulSet {1} has podManagementPolicy OrderedReady, "
      "which is "
      "the default. After the change, delete the pod {0}.",
      subject.pod.meta.name, owner->name);
}

}  // namespace

std::vector<std::string> notes_of(const Subject& subject, const api::Pod& pod, const cluster::Snapshot& fork,
                                  const RemovedPods& own, bool has_fixes) {
  constexpr std::size_t kMostNotes = 4, kNoteBytes = 512;
  std::vector<std::string> out;
  if (auto note = name_note(subject); !note.empty()) out.push_back(std::move(note));
  if (auto note = unreplaced_note(subject, own.waiting); !note.empty()) out.push_back(std::move(note));
  if (auto note = has_fixes ? unreplaced_pod_note(subject) : ""; !note.empty())
    out.push_back(std::move(note));
  if (!own.placed.empty() && !subject.kept_template.empty())
    out.push_back(subject.kept_template + ". This is the answer with the new template in all of them.");
  if (auto note = scheduler_note(subject, pod, fork); !note.empty())
    out.push_back(cut(std::move(note), kNoteBytes));
  const auto add = [&](const std::string& key, std::string_view effect) {
    if (out.size() == kMostNotes || fork.node_count() == 0 || fork.labels().find(key)) return;
    const auto near = suggestion(plugins::similar_labels(key, fork));
    auto note =
        cut(fmt::format("no node has the label {}, so {}.{}{}", key, effect, near.empty() ? "" : " ", near),
            kNoteBytes);
    if (std::ranges::find(out, note) == out.end()) out.push_back(std::move(note));
  };
  for (const auto& term : pod.pod_anti_affinity.required)
    add(term.topology_key, "the required anti-affinity over it keeps no pods apart");
  for (const auto& spread : pod.topology_spread) {
    if (!spread.do_not_schedule) add(spread.topology_key, "the soft constraint over it spreads no pods");
  }
  return out;
}

}  // namespace podium::explain
