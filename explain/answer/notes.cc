#include "explain/answer/notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "api/admission/limit_range.h"
#include "api/admission/quota.h"
#include "base/counted.h"
#include "base/similar.h"
#include "explain/workload/ephemeral_claims.h"
#include "explain/workload/template_change.h"
#include "scheduler/plugins/shared/node_selector.h"
#include "scheduler/plugins/shared/unmet.h"
#include "scheduler/plugins/shared/untolerated.h"
#include "scheduler/plugins/volumes/claim_lookup.h"

namespace podium::explain {
namespace {

// "istio-proxy (100m cpu, 128Mi memory)"
std::string container_words(const api::Container& container) {
  std::vector<std::string> amounts;
  for (const auto& [resource, amount] : container.requests)
    amounts.push_back(fmt::format("{} {}", api::quota_text(resource, amount), resource));
  return amounts.empty() ? container.name : fmt::format("{} ({})", container.name, fmt::join(amounts, ", "));
}

// Containers that a webhook adds to the pods of the workload: neither a dump nor its template has them.
// A pod that lacks a container of the template has another template. Empty: there are none.
std::string added_containers_note(const Subject& subject, const api::Pod& pod, const RemovedPods& existing) {
  constexpr std::size_t kNamed = 3;
  if (subject.is_stored || subject.kind == Subject::Kind::pod) return {};
  const api::Pod* newest = nullptr;
  for (const auto* list : {&existing.placed, &existing.waiting}) {
    for (const auto& info : *list)
      if (!newest || newest->meta.created < info->pod->meta.created) newest = info->pod.get();
  }
  if (!newest) return {};
  std::set<std::string_view> asked;
  for (const auto* list : {&pod.init_containers, &pod.containers})
    for (const auto& each : *list) asked.insert(each.name);
  std::vector<std::string> added;
  std::size_t common = 0;
  for (const auto* list : {&newest->init_containers, &newest->containers}) {
    for (const auto& each : *list) {
      if (asked.contains(each.name))
        ++common;
      else
        added.push_back(container_words(each));
    }
  }
  if (added.empty() || common < asked.size()) return {};
  const bool is_one = added.size() == 1;
  return fmt::format(
      "its existing pods also have the container{} {}, which this template lacks: if a webhook adds {}, new "
      "pods ask for more than is counted here.",
      is_one ? "" : "s", podium::listed(added, kNamed), is_one ? "it" : "them");
}

// What may stop the pods of a new StatefulSet with a long name; empty: nothing. The controller's hash of the
// template has one to ten characters.
// Source: pkg/controller/history: ControllerRevisionName, HashControllerRevision
std::string name_note(const Subject& subject) {
  constexpr std::size_t kSafe = 52;
  const bool is_new = !subject.is_stored && subject.existing.value_or(0) == 0;
  if (subject.kind != Subject::Kind::stateful_set || !is_new || subject.name.size() <= kSafe) return {};
  return fmt::format(
      "the StatefulSet's name has {} characters. The pods' label controller-revision-hash has the name, "
      "a dash and up to 10 characters more, and the API server refuses the pods if that is more than 63.",
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

// An ordered StatefulSet waits for each of its pods before it touches another one, also if the pod has an
// earlier template and will never be ready. Empty: all of its pods are ready.
// Source: pkg/controller/statefulset/stateful_set_control.go: processReplica
std::string unreplaced_note(const Subject& subject, const RemovedPods& own) {
  if (subject.kind != Subject::Kind::stateful_set || subject.is_parallel) return {};
  std::optional<std::pair<std::int32_t, const char*>> first;
  const auto see = [&](const api::Pod& pod, const char* state) {
    const auto ordinal = ordinal_of(subject, pod.meta.name);
    if (ordinal && !pod.terminating() && (!first || *ordinal < first->first)) first.emplace(*ordinal, state);
  };
  for (const auto& info : own.waiting) see(*info->pod, "waits");
  for (const auto& info : own.placed) {
    if (is_unready(*info->pod)) see(*info->pod, "is not ready");
  }
  if (!first) return {};
  return fmt::format(
      "a changed template does not replace {0}-{1}, which {2}: a StatefulSet with podManagementPolicy "
      "OrderedReady changes no pod until it is ready. After the change, delete the pod {0}-{1}.",
      subject.name, first->first, first->second);
}

// Where a claim comes from that a controller creates with the pod. Empty: nothing creates it.
std::string source_of_claim(const Subject& subject, const std::string& claim) {
  const auto is_of = [&](const std::string& start, const std::string& end) {
    return claim.size() > start.size() + end.size() && claim.starts_with(start) && claim.ends_with(end);
  };
  for (const auto& of : subject.claim_templates) {
    if (is_of(fmt::format("{}-{}-", of.meta.name, subject.name), ""))
      return fmt::format("is made from the claim template {}", of.meta.name);
  }
  for (const auto& of : subject.claims) {
    if (is_of("", "-" + of.volume)) return fmt::format("is that of the pod's ephemeral volume {}", of.volume);
  }
  return {};
}

// A stored pod that no longer has a place. Empty: it waits, or it is on its node.
// Source: pkg/controller/podgc
std::string end_note(const Subject& subject, const cluster::Snapshot& fork) {
  const bool lacks_node = !subject.was_on.empty() && !fork.find_row(subject.was_on);
  const auto why = !subject.end.empty() ? subject.end
                   : lacks_node ? "its node does not exist, so the garbage collector of pods deletes it"
                                : std::string();
  return why.empty() ? why : fmt::format("this is the answer for a new pod like it: {}.", why);
}

// About the first claim of the reasons that no controller has made yet: its name says little to the author.
std::string claim_note(const Subject& subject, const std::vector<ReportRejection>& rejections,
                       const cluster::Snapshot& fork) {
  for (const auto& each : rejections) {
    const std::string claim(framework::named(each.about, framework::Topic::claim));
    const auto source = claim.empty() ? std::string() : source_of_claim(subject, claim);
    if (!source.empty() &&
        !fork.objects().find<api::PersistentVolumeClaim>(subject.pod.meta.namespace_, claim))
      return fmt::format("the claim {} does not exist yet: it {}.", claim, source);
  }
  return {};
}

// Whether the claim waits for a scheduler that selects a node for its volume.
bool waits_for_scheduler(const api::PersistentVolumeClaim& claim, const std::string& of_class,
                         const cluster::Snapshot& fork) {
  const auto* found = fork.objects().find<api::StorageClass>("", of_class);
  return found && found->wait_for_first_consumer && claim.volume_name.empty() &&
         !claim.meta.annotations.find(plugins::kSelectedNode);
}

// A pod that names its node, and a claim of it that is never bound. Empty: there is none.
// Source: pkg/controller/volume/persistentvolume: shouldDelayBinding
std::string unselected_note(const Subject& subject, const api::Pod& pod, const cluster::Snapshot& fork) {
  if (pod.node_name.empty()) return {};
  std::vector<std::pair<std::string, const api::PersistentVolumeClaim*>> claims;
  for (const auto& volume : pod.volumes) {
    const auto* claim = volume.kind == api::Volume::Kind::claim
                            ? fork.objects().find<api::PersistentVolumeClaim>(pod.meta.namespace_, volume.id)
                            : nullptr;
    if (claim) claims.emplace_back(volume.id, claim);
  }
  for (const auto& of : subject.claims) claims.emplace_back(of.volume, &of.claim);
  for (const auto& of : subject.claim_templates) claims.emplace_back(of.meta.name, &of);
  for (const auto& [name, claim] : claims) {
    const auto of_class =
        claim->storage_class ? *claim->storage_class : default_storage_class(fork).value_or("");
    if (waits_for_scheduler(*claim, of_class, fork))
      return fmt::format(
          "the pod does not start on its node: its claim {} waits until a scheduler selects a node "
          "(StorageClass {}: WaitForFirstConsumer), and no scheduler sees a pod with spec.nodeName. "
          "A nodeSelector over kubernetes.io/hostname names the node to the scheduler.",
          name, of_class);
  }
  return {};
}

// The same of one pod of a StatefulSet, whose policy is not known. Empty: it is not such a pod.
std::string unreplaced_pod_note(const Subject& subject) {
  if (!subject.is_stored || !subject.was_on.empty()) return {};
  const auto* owner = subject.pod.meta.controller();
  if (!owner || owner->kind != "StatefulSet") return {};
  return fmt::format(
      "a changed template does not replace {0} if StatefulSet {1} has podManagementPolicy OrderedReady, "
      "which is the default. After the change, delete the pod {0}.",
      subject.pod.meta.name, owner->name);
}

std::string set_by_limit_range_words(const std::string& set) {
  return cut(fmt::format("not in the template, but set by a LimitRange of the namespace: {}.", set),
             kNoteBytes);
}

// Whether a LimitRange has set amounts that a quota counts under this name. `set`: of set_by_limit_range().
bool sets(std::string_view set, std::string_view counted) {
  constexpr std::string_view kLimits = "limits.", kRequests = "requests.";
  if (counted.starts_with(kLimits))
    return set.contains(fmt::format("{} limit for ", counted.substr(kLimits.size())));
  if (counted.starts_with(kRequests)) counted.remove_prefix(kRequests.size());
  return set.contains(fmt::format("{} request for ", counted));
}

// Nodes that the pod selects and on which a DaemonSet's controller creates none. Empty: there is none.
std::string skipped_nodes_note(const Subject& subject, const cluster::Snapshot& fork) {
  constexpr std::size_t kNamed = 3;
  if (subject.kind != Subject::Kind::daemon_set) return {};
  const auto selected = plugins::selected_nodes(subject.pod, fork);
  const plugins::Untolerated untolerated(subject.pod);
  const auto rows = daemon_rows(subject.pod, fork);
  const std::set<cluster::Row> has_pod(rows.begin(), rows.end());
  std::map<std::string, std::size_t> nodes_of_taint;
  std::size_t nodes = 0;
  fork.present().each([&](cluster::Row row) {
    if (has_pod.contains(row) || !selected.test(row)) return;
    ++nodes;
    for (auto& taint : untolerated.on(fork, row)) ++nodes_of_taint[std::move(taint)];
  });
  if (nodes == 0) return {};
  std::vector<std::pair<std::string, std::size_t>> taints(nodes_of_taint.begin(), nodes_of_taint.end());
  std::ranges::stable_sort(taints, std::ranges::greater(), [](const auto& each) { return each.second; });
  std::string named;
  for (std::size_t i = 0; i < std::min(taints.size(), kNamed); ++i)
    named += (i > 0 ? ", " : "") + taints[i].first;
  if (taints.size() > kNamed) named += fmt::format(" and {} more", taints.size() - kNamed);
  return fmt::format("its controller creates no pod on {} with a taint that the pod does not tolerate: {}.",
                     podium::counted(nodes, "node"), named);
}

// A constraint that counts other pods, so that it does not spread those of the question. Empty: none.
std::string uncounted_note(const api::Pod& pod) {
  for (const auto& spread : pod.topology_spread) {
    const auto& selector = spread.label_selector;
    if (!selector || !selector->matches(pod.meta.labels))
      return fmt::format(
          "the topology spread constraint over {} does not count these pods: {}.", spread.topology_key,
          selector ? "its labelSelector does not match their labels" : "it has no labelSelector");
  }
  return {};
}

}  // namespace

std::string limit_range_note(const api::ObjectMeta& pod, const std::vector<ReportRejection>& rejections) {
  const auto set = api::set_by_limit_range(pod);
  const auto lacks = [](const ReportRejection& each) { return each.shortfall.has_value(); };
  if (!set.contains(" request for ") || std::ranges::none_of(rejections, lacks)) return {};
  return set_by_limit_range_words(set);
}

std::string limit_range_note(const api::ObjectMeta& pod, const ReportAnswer& answer) {
  std::string note = answer.first_failure ? limit_range_note(pod, answer.first_failure->rejections) : "";
  if (note.empty() && answer.stuck_rollout)
    note = limit_range_note(pod, answer.stuck_rollout->first_failure.rejections);
  if (!note.empty()) return note;
  const auto set = api::set_by_limit_range(pod);
  const auto* quota = set.empty() ? nullptr : exceeded_quota(answer);
  const auto is_of_limit_range = [&](const QuotaUse& use) {
    return use.is_exceeded && sets(set, use.resource);
  };
  return quota && std::ranges::any_of(quota->resources, is_of_limit_range) ? set_by_limit_range_words(set)
                                                                           : "";
}

std::vector<std::string> notes_of(const Noted& noted) {
  const auto& [subject, pod, fork, own, first, answer, has_fixes, existing] = noted;
  const auto& failure = answer.first_failure;
  std::vector<std::string> out;
  if (auto note = limit_range_note(pod.meta, answer); !note.empty()) out.push_back(std::move(note));
  if (auto note = end_note(subject, fork); !note.empty()) out.push_back(cut(std::move(note), kNoteBytes));
  if (auto note = added_containers_note(subject, pod, existing); !note.empty())
    out.push_back(cut(std::move(note), kNoteBytes));
  if (auto note = unselected_note(subject, pod, fork); !note.empty())
    out.push_back(cut(std::move(note), kNoteBytes));
  if (auto note = name_note(subject); !note.empty()) out.push_back(std::move(note));
  if (auto note = unreplaced_note(subject, own); !note.empty()) out.push_back(std::move(note));
  if (auto note = has_fixes ? unreplaced_pod_note(subject) : ""; !note.empty())
    out.push_back(std::move(note));
  const bool has_own = !own.placed.empty() || !own.waiting.empty();
  if (has_own && !subject.kept_template.empty())
    out.push_back(subject.kept_template + ". This is the answer with the new template in all of them.");
  auto of_claim = claim_note(subject, first.rejections, fork);
  if (of_claim.empty() && failure) of_claim = claim_note(subject, failure->rejections, fork);
  if (!of_claim.empty()) out.push_back(cut(std::move(of_claim), kNoteBytes));
  const auto add_last = [&](std::string note) {
    if (!note.empty() && out.size() < kMostNotes) out.push_back(cut(std::move(note), kNoteBytes));
  };
  add_last(scheduler_note(subject, pod, fork));
  add_last(skipped_nodes_note(subject, fork));
  add_last(uncounted_note(pod));
  std::set<std::pair<std::string_view, std::string_view>> seen;
  const auto add = [&](const std::string& key, std::string_view effect) {
    if (out.size() == kMostNotes || fork.node_count() == 0 || fork.labels().find(key)) return;
    if (!seen.emplace(key, effect).second) return;
    const auto near = suggestion(plugins::similar_labels(key, fork));
    auto note =
        cut(fmt::format("no node has the label {}, so {}.{}{}", key, effect, near.empty() ? "" : " ", near),
            kNoteBytes);
    out.push_back(std::move(note));
  };
  for (const auto& term : pod.pod_anti_affinity.required)
    add(term.topology_key, "the required anti-affinity over it keeps no pods apart");
  for (const auto& spread : pod.topology_spread) {
    if (!spread.do_not_schedule) add(spread.topology_key, "the soft constraint over it spreads no pods");
  }
  return out;
}

}  // namespace podium::explain
