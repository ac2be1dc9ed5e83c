#include "controller/what_if.h"

#include <fmt/format.h>

#include "api/admission.h"
#include "scheduler/framework/placement.h"

namespace podium::controller {
namespace {

Error wrong(std::string path_and_reason) {
  return Error{.kind = Error::Kind::invalid, .message = std::move(path_and_reason)};
}

std::string profile_names(const config::Config& config) {
  std::string out;
  for (const auto& profile : config.profiles) out += (out.empty() ? "" : ", ") + profile->scheduler_name;
  return out;
}

// spec.profile, else the template's schedulerName, else the one profile that there is.
Result<std::string> profile_of(const Question& question, const config::Config& config) {
  if (!question.profile.empty()) {
    if (config.profile(question.profile)) return question.profile;
    return std::unexpected(
        wrong(fmt::format("spec.profile: \"{}\" is no profile of this scheduler (it has: {})",
                          question.profile, profile_names(config))));
  }
  const auto& named = question.pod->scheduler_name;
  if (config.profile(named)) return named;
  if (!question.names_scheduler && config.profiles.size() == 1) return config.profiles[0]->scheduler_name;
  return std::unexpected(wrong(
      fmt::format("spec.template.spec.schedulerName: \"{}\" is no profile of this scheduler (it has: {})",
                  named, profile_names(config))));
}

// Replicas are pods of their own: the snapshot tells pods apart by UID. The first is the pod itself, whose
// claims and whose nomination count as its own, unless that has its place already.
cluster::PodInfoPtr replica(const api::Pod& pod, std::int32_t i, const cluster::Snapshot& fork,
                            const framework::Profile& profile) {
  auto copy = std::make_shared<api::Pod>(pod);
  if (i > 0 || fork.find_pod(pod.meta.uid)) {
    copy->meta.uid = fmt::format("{}#{}", pod.meta.uid, i);
    copy->meta.name = fmt::format("{}#{}", pod.meta.name, i);  // which the claims made for it are named after
  }
  return cluster::make_pod_info(std::move(copy), profile.request_rules);
}

ReportCondition condition(std::string type, bool is_true, std::string reason, std::string message) {
  return {std::move(type), is_true, std::move(reason), std::move(message), {}};
}

}  // namespace

Result<std::shared_ptr<const api::Pod>> admit_question(const Question& question,
                                                       const cluster::Snapshot& snapshot,
                                                       const config::Config& config) {
  auto profile = profile_of(question, config);
  if (!profile) return std::unexpected(profile.error());
  auto pod = std::make_shared<api::Pod>(*question.pod);
  pod->scheduler_name = std::move(*profile);
  pod->node_name.clear();
  pod->scheduling_gates.clear();  // the question is where it would go once it may
  if (pod->meta.uid.empty()) pod->meta.uid = question.meta.uid;
  api::Manifests::List<api::PriorityClass> classes;
  for (const auto& [key, priority_class] : snapshot.objects().all<api::PriorityClass>())
    classes.push_back(priority_class);
  if (auto admitted = api::PodAdmission(std::move(classes)).admit(*pod); !admitted) {
    return std::unexpected(wrong("spec.template: " + admitted.error().message));
  }
  return pod;
}

ReportStatus answer(const api::Pod& pod, std::int32_t replicas, cluster::Snapshot fork,
                    const framework::Profile& profile, const std::vector<EphemeralClaim>& claims) {
  ReportStatus status;
  std::vector<std::string> placements;
  std::size_t start = 0;
  for (std::int32_t i = 0; i < replicas; ++i) {
    const auto info = replica(pod, i, fork, profile);
    make_claims(claims, **info, fork);
    const auto decision = framework::evaluate(*info, fork, profile, start);
    start = decision.next_start;
    if (i == 0 || !decision.fits()) status = project(decision, fork);
    if (!decision.fits()) break;
    if (const auto refused = framework::place(info, *decision.choice, profile, fork)) {
      status = project(decision, fork);
      status.message = refused->message("Reserve");
      break;
    }
    placements.emplace_back(fork.node_name(*decision.choice));
  }
  const auto fitting = static_cast<std::int32_t>(placements.size());
  status.outcome = fitting == replicas ? "Fits" : fitting > 0 ? "PartlyFits" : "DoesNotFit";
  status.profile = profile.scheduler_name;
  const auto summary = replicas == 1 && fitting == 1 ? "would be placed on " + placements[0]
                       : fitting == replicas         ? fmt::format("all {} replicas fit", replicas)
                                             : fmt::format("{} of {} replicas fit", fitting, replicas);
  status.node = fitting > 0 ? placements[0] : "";
  if (replicas > 1) status.placements = std::move(placements);
  status.attempts = 1;
  status.conditions = {condition("Accepted", true, "Accepted", "the question makes sense"),
                       condition("Complete", true, status.outcome,
                                 (status.message.empty() ? summary : summary + ": " + status.message) +
                                     (profile.has_extenders ? " (HTTP extenders were not asked)" : ""))};
  return status;
}

ReportStatus refusal(const std::string& path_and_reason) {
  ReportStatus status;
  status.message = path_and_reason;
  status.conditions = {condition("Accepted", false, "Invalid", path_and_reason)};
  return status;
}

}  // namespace podium::controller
