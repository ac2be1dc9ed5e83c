#include "app/evaluate/manifest_decisions.h"

#include <fmt/format.h>
#include <algorithm>

#include "api/admission/admission.h"
#include "api/admission/runtime_class.h"
#include "api/values/device.h"
#include "app/evaluate/subjects.h"
#include "app/offline/missing_kinds.h"
#include "app/offline/offline_cluster.h"
#include "app/render/words.h"
#include "base/counted.h"
#include "base/problems.h"
#include "explain/answer/placing.h"
#include "explain/answer/quotas.h"
#include "explain/answer/what_if_admission.h"
#include "explain/report/project.h"
#include "explain/report/reason_words.h"
#include "explain/workload/admin_access.h"
#include "explain/workload/device_claims.h"
#include "explain/workload/ephemeral_claims.h"
#include "scheduler/framework/placement.h"

namespace podium::evaluate {
namespace {

using api::Manifests;
using explain::ReplicaSeen;
using explain::Subject;

std::vector<plugins::PreemptionCandidate> preemption_candidates(const cluster::PodInfo& pod,
                                                                const cluster::Snapshot& snapshot,
                                                                const framework::Profile& profile,
                                                                const framework::Decision& decision) {
  if (!decision.tried_preemption || plugins::not_eligible_to_preempt(pod, snapshot, decision)) return {};
  return plugins::dry_run_preemption(pod, snapshot, framework::Filters(pod, snapshot, profile), decision)
      .candidates;
}

bool wants_devices(const cluster::PodInfo& pod, const cluster::Objects& objects) {
  return !pod->resource_claims.empty() || std::ranges::any_of(pod.requests.scalars, [&](const auto& entry) {
    return objects.extended_classes().find(entry.first) != nullptr;
  });
}

// What Reserve puts in flight on a fork for each node.
decltype(PodResult::allocations) allocations_of(const cluster::PodInfoPtr& pod,
                                                const cluster::Snapshot& snapshot,
                                                const framework::Profile& profile,
                                                const framework::Decision& decision) {
  decltype(PodResult::allocations) out;
  if (!wants_devices(*pod, snapshot.objects())) return out;
  decision.feasible.each([&](cluster::Row row) {
    auto fork = snapshot;
    if (framework::place(pod, row, profile, fork)) return;
    for (const auto& [uid, flight] : fork.objects().claims_in_flight())
      out[std::string(snapshot.node_name(row))].push_back(flight.claim);
  });
  return out;
}

// One pod, or the pods of one workload.
struct Asked {
  api::PodPtr pod;                 // admitted; of a workload its first
  std::optional<Subject> subject;  // of a workload
  framework::ProfilePtr profile;
  explain::RemovedPods replaced = {};  // its placed pods in the cluster
  bool is_as_given = false;
  std::vector<explain::EphemeralClaim> claims = {};  // of a pod without a subject

  // Controllers create the claims of a pod that the API server does not have yet.
  bool is_new_pod() const { return !subject && !is_as_given && !pod->meta.created; }
};

// The contents of all input files, admitted.
struct Prepared {
  config::Config config;
  cluster::Snapshot snapshot;
  std::vector<Asked> asked;                                           // in the order of the input
  std::map<std::string, api::AdmissionObjects, std::less<>> objects;  // by namespace
  std::map<std::string, explain::Quotas, std::less<>> quotas;         // by namespace
  std::vector<std::string> warnings;
};

// The workload's pods in the cluster are evaluated as if they were not placed.
explain::RemovedPods replace_placed(const Subject& subject, cluster::Snapshot& snapshot,
                                    std::vector<std::string>& warnings) {
  auto pods = explain::remove_placed(subject, snapshot);
  const auto removed = pods.placed.size();
  if (removed == 0) return pods;
  warnings.push_back(fmt::format("{} {}/{}: evaluated as if its {} were not there",
                                 explain::to_string(subject.kind), subject.pod.meta.namespace_, subject.name,
                                 counted(removed, "placed pod")));
  return pods;
}

std::map<std::string, explain::Quotas, std::less<>> by_namespace(std::vector<api::ResourceQuota> quotas) {
  static const explain::Budget kUnbounded;
  std::map<std::string, std::vector<api::ResourceQuota>, std::less<>> lists;
  for (auto& quota : quotas) lists[quota.meta.namespace_].push_back(std::move(quota));
  std::map<std::string, explain::Quotas, std::less<>> out;
  for (auto& [ns, list] : lists) out.emplace(ns, explain::Quotas(std::move(list), kUnbounded));
  return out;
}

// The pods as the quotas count them: a pod of the cluster exists, and those of a file are created.
Subject subject_of(const Asked& asked) {
  if (asked.subject) return *asked.subject;
  return {.pod = *asked.pod,
          .claims = asked.is_new_pod() ? asked.claims : std::vector<explain::EphemeralClaim>(),
          .is_stored = asked.pod->meta.created.has_value()};
}

// The cluster, and `contents` admitted.
Result<cluster::Snapshot> admit_contents(const Inputs& inputs, Contents& contents) {
  Manifests::List<api::Pod> pods;
  std::vector<std::string> places;
  Problems problems;
  for (auto& item : contents.asked) {
    if (!inputs.as_given && !item.pod->meta.created) {
      auto pod = std::make_shared<api::Pod>(*item.pod);
      api::add_default_tolerations(*pod);
      // A pod that names no class has none, whatever the dump lacks.
      if (pod->runtime_class.empty()) {
        if (auto applied = api::apply_runtime_class(nullptr, *pod); !applied)
          problems.add(fmt::format("{}{}pod {}: {}", item.place, item.place.empty() ? "" : ": ",
                                   pod->full_name(), applied.error().message));
      }
      item.pod = std::move(pod);
    }
    pods.push_back(item.pod);
    places.push_back(item.place);
    if (item.subject && item.subject->owner)
      contents.cluster.workloads.push_back(std::make_shared<const api::Workload>(*item.subject->owner));
  }
  if (problems) return std::unexpected(problems.error());
  auto snapshot = offline::build_cluster(contents.cluster, pods, contents.config,
                                         {.as_given = inputs.as_given, .places = places});
  if (!snapshot) return snapshot;
  for (auto& line : offline::missing_kinds(contents.cluster, pods))
    contents.warnings.push_back(std::move(line));
  for (std::size_t i = 0; i < pods.size(); ++i) contents.asked[i].pod = std::move(pods[i]);
  return snapshot;
}

// Reads what the API server would apply to new pods of each namespace, as far as the files say it.
void read_objects(const Contents& contents, Prepared& prepared) {
  const auto& cluster = contents.cluster;
  const auto knows = [&](std::string_view kind, const auto& list) {
    return !list.empty() || cluster.empty_kinds.contains(kind);
  };
  for (const auto& item : contents.asked) {
    auto& objects = prepared.objects[item.pod->meta.namespace_];
    if (knows("LimitRange", cluster.limit_ranges)) objects.limit_ranges.emplace();
    if (!prepared.quotas.empty() || cluster.empty_kinds.contains("ResourceQuota")) objects.quotas.emplace();
    if (knows("RuntimeClass", cluster.runtime_classes))
      objects.runtime_classes.emplace(item.pod->runtime_class, std::nullopt);
  }
  for (const auto& each : cluster.resource_claim_templates)
    prepared.objects[each->meta.namespace_].claim_templates.emplace(each->meta.name, *each);
  for (auto& [ns, objects] : prepared.objects) explain::refuse_admin_access(ns, prepared.snapshot, objects);
}

// Names the templates that the claims of new pods lack. If the dump has no templates at all,
// missing_kinds() warns.
void warn_of_templates(const Contents& contents, Prepared& prepared) {
  if (contents.cluster.resource_claim_templates.empty()) return;
  for (const auto& [pod, subject, place, claims] : contents.asked) {
    auto& objects = prepared.objects[pod->meta.namespace_];
    const Subject one{.pod = *pod};
    const auto& of = subject ? *subject : one;
    for (const auto& claim : pod->resource_claims) {
      if (claim.template_name && !objects.claim_templates.contains(*claim.template_name))
        objects.no_claim_templates.insert(*claim.template_name);
    }
    const auto missing = explain::missing_claim(of, objects);
    if (!missing.empty()) prepared.warnings.push_back(fmt::format("pod {}: {}", pod->full_name(), missing));
  }
}

Result<Prepared> prepare(const Inputs& inputs) {
  auto contents = read_inputs(inputs);
  if (!contents) return std::unexpected(contents.error());
  auto snapshot = admit_contents(inputs, *contents);
  if (!snapshot) return std::unexpected(snapshot.error());

  Prepared prepared{.config = std::move(contents->config),
                    .snapshot = std::move(*snapshot),
                    .asked = {},
                    .objects = {},
                    .quotas = by_namespace(std::move(contents->quotas)),
                    .warnings = std::move(contents->warnings)};
  read_objects(*contents, prepared);
  warn_of_templates(*contents, prepared);
  Problems problems;
  for (auto& [pod, subject, place, claims] : contents->asked) {
    const auto* named = prepared.config.profile(pod->scheduler_name);
    const auto& profiles = prepared.config.profiles;
    if (!named && profiles.size() == 1 && !inputs.as_given) {
      named = profiles.front().get();
      prepared.warnings.push_back(fmt::format("pod {}: asked with profile {}; it names scheduler {}",
                                              pod->full_name(), named->scheduler_name, pod->scheduler_name));
    }
    if (!named) {
      problems.add(fmt::format("pod {}: profile not found for scheduler name \"{}\"", pod->full_name(),
                               pod->scheduler_name));
      continue;
    }
    explain::RemovedPods replaced;
    if (subject) replaced = replace_placed(*subject, prepared.snapshot, prepared.warnings);
    const bool is_pinned = !pod->node_name.empty() && !inputs.as_given;
    auto profile =
        std::make_shared<const framework::Profile>(is_pinned ? explain::kubelet_profile(*named) : *named);
    prepared.asked.push_back({pod, std::move(subject), std::move(profile), std::move(replaced),
                              inputs.as_given, std::move(claims)});
  }
  if (problems) return std::unexpected(problems.error());
  return prepared;
}

// A workload's pod; the fork gets the claims that controllers would create for it.
cluster::PodInfoPtr replica_on(const Asked& asked, std::int32_t index, const api::ClaimTemplates& templates,
                               cluster::Snapshot& fork) {
  const auto& rules = asked.profile->request_rules;
  if (!asked.subject && !asked.is_new_pod()) return cluster::make_pod_info(asked.pod, rules);
  if (!asked.subject) {
    auto pod = *asked.pod;
    explain::make_claims(asked.claims, pod, fork);
    explain::make_device_claims(templates, pod, fork);
    return cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(pod)), rules);
  }
  const auto& subject = *asked.subject;
  auto pod = explain::replica_of(subject, *asked.pod, index);
  if (subject.kind != Subject::Kind::stateful_set)
    pod.meta.name = fmt::format("{}-new-{}", subject.name, index);
  explain::make_claims(subject.claims, pod, fork);
  explain::make_set_claims(subject, pod, fork);
  explain::make_device_claims(templates, pod, fork);
  return cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(pod)), rules);
}

// Returns how many pods of a workload fit, placed one after the other on the fork. `rows`: their nodes.
std::optional<Fitting> count_fitting(const Asked& asked, const api::ClaimTemplates& templates,
                                     cluster::Snapshot& fork, std::vector<cluster::Row>& rows) {
  const bool is_daemon_set = asked.subject && asked.subject->kind == Subject::Kind::daemon_set;
  if (!asked.subject || (asked.subject->replicas == 1 && !is_daemon_set)) return std::nullopt;
  const auto placed = explain::place_replicas({*asked.subject, *asked.pod, *asked.profile, {}, templates},
                                              {.asked = asked.subject->replicas}, fork, {}, {});
  rows = placed.rows;
  return Fitting{.asked = static_cast<std::size_t>(placed.asked),
                 .fitting = placed.rows.size(),
                 .is_of_daemon_set = is_daemon_set};
}

// The name of a workload's pod; other pods keep their names.
std::string name_of(const Asked& asked, std::int32_t index) {
  if (!asked.subject) return asked.pod->full_name();
  if (asked.subject->kind == Subject::Kind::stateful_set)
    return explain::replica_of(*asked.subject, *asked.pod, index).full_name();
  return fmt::format("{}/{}-new-{}", asked.pod->meta.namespace_, asked.subject->name, index);
}

// The group of a pod for --place: the workload, the pod's controller, or for pods without one the namespace.
std::string workload_of(const Asked& asked) {
  const auto& meta = asked.pod->meta;
  if (asked.subject) return fmt::format("{}/{}", meta.namespace_, asked.subject->name);
  const auto* owner = meta.controller();
  return owner ? fmt::format("{}/{}", meta.namespace_, owner->name)
               : meta.namespace_ + " (pods without a controller)";
}

// A pod that the API server does not create.
PlacedPod refused_by_quota(const Asked& asked, std::int32_t index, const std::string& text,
                           std::size_t nodes) {
  return {.pod = name_of(asked, index),
          .nodes = nodes,
          .message = text,
          .workload = workload_of(asked),
          .reason = text};
}

// In plain words, without numbers, so that pods with the same reason are counted together: "nodes do not have
// enough free cpu".
std::string reason_of(const explain::ReportStatus& status) {
  const auto* main = explain::main_rejection(status.rejections);
  if (!main) return explain::main_reason(status);
  auto several = *main;
  several.nodes = 2;
  several.shortfall.reset();
  return render::rejection_of("nodes", several);
}

PlacedPod placed_of(const Asked& asked, const ReplicaSeen& seen) {
  const auto& decision = seen.decision;
  PlacedPod placed{.pod = name_of(asked, seen.index),
                   .nodes = decision.node_count,
                   // After an error no node is feasible, as in kube-scheduler.
                   .feasible = decision.error.empty() ? decision.feasible.count() : 0,
                   .message = decision.error.empty() ? decision.message : decision.error,
                   .workload = workload_of(asked)};
  if (!seen.refused.empty()) {
    placed.message = placed.reason = seen.refused;
  } else if (!decision.fits()) {
    placed.reason =
        decision.error.empty() ? reason_of(explain::project(*seen.pod, decision, seen.fork)) : decision.error;
  } else {
    const auto row = *decision.choice;
    placed.node = seen.fork.node_name(row);
    if (const auto* zone = seen.fork.entry(row).node->meta.labels.find(api::label::zone)) placed.zone = *zone;
    if (!decision.total.empty()) placed.score = decision.total[row];
  }
  return placed;
}

// Returns what the quotas of its namespace allow of a pod or of a workload's pods.
std::vector<explain::QuotaAnswer> quota_answers(const Asked& asked, std::size_t count,
                                                const api::ClaimTemplates& templates, explain::Quotas quotas,
                                                const cluster::Snapshot& snapshot) {
  const auto subject = subject_of(asked);
  quotas.release(asked.replaced, subject.has_deadline);
  return quotas.answers({.subject = subject,
                         .pod = *asked.pod,
                         .claim_templates = templates,
                         .fork = snapshot,
                         .existing = explain::existing_pods(subject, 0)},
                        static_cast<std::int32_t>(count));
}

// The gates of a pod are part of the decision here.
std::vector<std::string> not_modelled(const Asked& asked, const api::AdmissionObjects& objects,
                                      const explain::Answered& answered) {
  explain::Question question;
  question.subject = subject_of(asked);
  auto& subject = *question.subject;
  subject.pod.scheduling_gates.clear();
  subject.pod.scheduler_name = asked.pod->scheduler_name;
  subject.names_scheduler = asked.pod->scheduler_name != asked.profile->scheduler_name;
  return explain::not_modelled(question, *asked.profile, answered, objects);
}

PodResult result_of(const Asked& asked, Prepared& prepared, bool with_candidates) {
  auto& snapshot = prepared.snapshot;
  const auto& ns = asked.pod->meta.namespace_;
  const auto& templates = prepared.objects[ns].claim_templates;
  const auto start = snapshot;
  auto fork = snapshot;
  std::vector<cluster::Row> rows;
  const auto fitting = count_fitting(asked, templates, fork, rows);
  const auto pod = replica_on(asked, 0, templates, snapshot);
  PodResult result{.pod = pod, .profile = asked.profile->scheduler_name};
  result.replicas = fitting;
  if (const auto quotas = prepared.quotas.find(ns); quotas != prepared.quotas.end())
    result.quotas = quota_answers(asked, fitting ? fitting->asked : 1, templates, quotas->second, snapshot);
  result.decision = framework::evaluate(*pod, snapshot, *asked.profile);
  if (!fitting && result.decision.choice) {
    fork = snapshot;
    rows = {*result.decision.choice};
    if (framework::place(pod, rows.front(), *asked.profile, fork)) rows.clear();
  }
  if (!asked.is_as_given)
    result.not_modelled = not_modelled(asked, prepared.objects[ns], {start, fork, rows});
  result.allocations = allocations_of(pod, snapshot, *asked.profile, result.decision);
  if (with_candidates)
    result.candidates = preemption_candidates(*pod, snapshot, *asked.profile, result.decision);
  return result;
}

}  // namespace

Result<ManifestDecisions> evaluate_files(const Inputs& inputs) {
  auto prepared = prepare(inputs);
  if (!prepared) return std::unexpected(prepared.error());
  ManifestDecisions evaluation{.snapshot = {}, .results = {}, .warnings = std::move(prepared->warnings)};
  for (const auto& asked : prepared->asked)
    evaluation.results.push_back(result_of(asked, *prepared, inputs.preemption_candidates));
  evaluation.snapshot = std::move(prepared->snapshot);
  return evaluation;
}

Result<void> evaluate_each(const Inputs& inputs,
                           const std::function<void(const std::vector<std::string>&)>& begin,
                           const TakeResult& take) {
  auto prepared = prepare(inputs);
  if (!prepared) return std::unexpected(prepared.error());
  begin(prepared->warnings);
  for (const auto& asked : prepared->asked) {
    take(result_of(asked, *prepared, inputs.preemption_candidates), prepared->snapshot);
  }
  return {};
}

Result<Placements> place_files(const Inputs& inputs) {
  auto prepared = prepare(inputs);
  if (!prepared) return std::unexpected(prepared.error());
  Placements placements{.warnings = std::move(prepared->warnings)};
  std::size_t start = 0;
  for (const auto& asked : prepared->asked) {
    // Claims are created only for new pods.
    static const api::ClaimTemplates kNone;
    const auto subject = subject_of(asked);
    const auto& ns = asked.pod->meta.namespace_;
    const auto& templates =
        asked.subject || asked.is_new_pod() ? prepared->objects[ns].claim_templates : kNone;
    // A DaemonSet's pods are as many as its nodes: all are placed.
    const bool is_daemon_set = subject.kind == Subject::Kind::daemon_set;
    auto admitted = subject.replicas;
    std::string refusal;
    if (const auto quotas = prepared->quotas.find(ns);
        quotas != prepared->quotas.end() && !subject.is_stored && !is_daemon_set) {
      const explain::NewPods pods{
          .subject = subject, .pod = *asked.pod, .claim_templates = templates, .fork = prepared->snapshot};
      quotas->second.release(asked.replaced, subject.has_deadline);
      if (const auto answers = quotas->second.answers(pods, subject.replicas); !answers.empty())
        refusal =
            fmt::format("quota {}: {}", answers.front().name,
                        explain::quota_words(answers.front(), static_cast<std::size_t>(subject.replicas)));
      admitted = quotas->second.take(pods, subject.replicas);
    }
    const auto placed = explain::place_replicas(
        {subject, *asked.pod, *asked.profile, {}, templates},
        {.asked = admitted, .continues = true, .is_one_attempt = true, .start = start}, prepared->snapshot,
        {}, {}, [&](const ReplicaSeen& seen) { placements.pods.push_back(placed_of(asked, seen)); });
    start = placed.next_start;
    for (auto index = admitted; index < subject.replicas; ++index)
      placements.pods.push_back(refused_by_quota(asked, index, refusal, prepared->snapshot.node_count()));
  }
  return placements;
}

}  // namespace podium::evaluate
