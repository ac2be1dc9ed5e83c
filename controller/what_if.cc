#include "controller/what_if.h"

#include <fmt/format.h>

#include <algorithm>

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

Error unknown_profile(std::string_view path, std::string_view name, const config::Config& config) {
  return wrong(fmt::format("{}: unknown profile \"{}\" (known: {})", path, name, profile_names(config)));
}

// spec.profile, else the pod's schedulerName. A template without schedulerName takes the only profile.
Result<std::string> profile_of(const Question& question, const config::Config& config) {
  if (!question.profile.empty()) {
    if (config.profile(question.profile)) return question.profile;
    return std::unexpected(unknown_profile("spec.profile", question.profile, config));
  }
  const auto& named = question.pod->scheduler_name;
  if (config.profile(named)) return named;
  if (!question.names_scheduler && config.profiles.size() == 1) return config.profiles[0]->scheduler_name;
  const auto* path = question.is_about_template() ? "spec.template.spec.schedulerName"
                                                  : "spec.podRef.name: spec.schedulerName of the pod";
  return std::unexpected(unknown_profile(path, named, config));
}

// A priority in the template must equal that of its class.
// Source: plugin/pkg/admission/priority.
Result<void> check_priority(std::optional<std::int32_t> given, std::int32_t computed) {
  if (!given || *given == computed) return {};
  return std::unexpected(wrong(fmt::format(
      "spec.template.spec.priority: the integer value of priority ({}) must not be provided in pod "
      "spec; priority admission controller computed {} from the given PriorityClass name",
      *given, computed)));
}

// Counts victims in other namespaces without naming them: the author may not be allowed to see them.
void name_own_victims(const framework::Decision& decision, const std::string& ns, ReportStatus& status) {
  if (!status.preemption) return;
  auto& preempted = *status.preemption;
  std::erase_if(preempted.victims, [&ns](const auto& victim) { return victim.first != ns; });
  preempted.other_victims =
      static_cast<std::size_t>(std::ranges::count_if(decision.preemption->victims, [&ns](const auto& victim) {
        return victim->pod->meta.namespace_ != ns;
      }));
}

std::string other_victims(const ReportStatus& status) {
  const auto count = status.preemption ? status.preemption->other_victims : 0;
  if (count == 0) return "";
  return fmt::format(" (preemption would evict {} {} of other namespaces)", count,
                     count == 1 ? "pod" : "pods");
}

// Replicas need distinct UIDs, by which the snapshot identifies pods. The first replica is the pod
// itself, so that its claims and its nomination apply, unless the snapshot has it on a node already.
cluster::PodInfoPtr replica(const api::Pod& pod, std::int32_t i, const cluster::Snapshot& fork,
                            const framework::Profile& profile) {
  auto copy = std::make_shared<api::Pod>(pod);
  if (i > 0 || fork.find_pod(pod.meta.uid)) {
    copy->meta.uid = fmt::format("{}#{}", pod.meta.uid, i);
    copy->meta.name = fmt::format("{}#{}", pod.meta.name, i);  // ephemeral claims are named after it
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
  pod->scheduling_gates.clear();  // answers where the pod would go once its gates are removed
  const bool is_template = question.is_about_template();
  const auto priority = is_template ? std::exchange(pod->priority, std::nullopt) : std::nullopt;
  api::Manifests::List<api::PriorityClass> classes;
  for (const auto& [key, priority_class] : snapshot.objects().all<api::PriorityClass>())
    classes.push_back(priority_class);
  if (auto admitted = api::PodAdmission(std::move(classes)).admit(*pod); !admitted) {
    return std::unexpected(
        wrong((is_template ? "spec.template: " : "spec.podRef: ") + admitted.error().message));
  }
  if (auto checked = check_priority(priority, pod->priority_or_zero()); !checked) {
    return std::unexpected(checked.error());
  }
  return pod;
}

ReportStatus answer(const api::Pod& pod, std::int32_t replicas, cluster::Snapshot fork,
                    const framework::Profile& profile, const std::vector<EphemeralClaim>& claims,
                    const Budget& budget) {
  ReportStatus status;
  std::vector<std::string> placements;
  std::size_t start = 0;
  bool in_time = true;
  for (std::int32_t i = 0; i < replicas; ++i) {
    in_time = !budget || budget();
    if (!in_time) break;
    const auto info = replica(pod, i, fork, profile);
    make_claims(claims, **info, fork);
    const auto decision = framework::evaluate(*info, fork, profile, start);
    start = decision.next_start;
    if (i == 0 || !decision.fits()) {
      status = project(decision, fork);
      name_own_victims(decision, pod.meta.namespace_, status);
    }
    if (!decision.fits()) break;
    if (const auto refused = framework::place(info, *decision.choice, profile, fork)) {
      status = project(decision, fork);
      status.message = refused->message("Reserve");
      break;
    }
    placements.emplace_back(fork.node_name(*decision.choice));
  }
  const auto fitting = static_cast<std::int32_t>(placements.size());
  if (!in_time && fitting == 0) {
    return declined(kDeadlineExceeded, "the deadline passed before a replica was placed");
  }
  status.outcome = fitting == replicas ? "Fits" : fitting > 0 ? "PartlyFits" : "DoesNotFit";
  status.profile = profile.scheduler_name;
  auto summary = replicas == 1 && fitting == 1 ? "would be placed on " + placements[0]
                 : fitting == replicas         ? fmt::format("all {} replicas fit", replicas)
                 : in_time
                     ? fmt::format("{} of {} replicas fit", fitting, replicas)
                     : fmt::format("at least {} of {} replicas fit: the deadline passed", fitting, replicas);
  if (!status.message.empty()) summary += ": " + status.message;
  summary += other_victims(status);
  if (profile.has_extenders) summary += " (HTTP extenders were not asked)";
  status.node = fitting > 0 ? placements[0] : "";
  if (replicas > 1) status.placements = std::move(placements);
  status.attempts = 1;
  status.conditions = {
      condition("Accepted", true, "Accepted", "request is valid"),
      condition("Complete", true, in_time ? status.outcome : kDeadlineExceeded, std::move(summary))};
  return status;
}

ReportStatus refusal(const std::string& path_and_reason) {
  ReportStatus status;
  status.message = path_and_reason;
  status.conditions = {condition("Accepted", false, "Invalid", path_and_reason),
                       condition("Complete", true, "Refused", path_and_reason)};
  return status;
}

ReportStatus declined(const std::string& reason, const std::string& message) {
  ReportStatus status;
  status.message = message;
  status.conditions = {condition("Accepted", false, reason, message),
                       condition("Complete", true, reason, message)};
  return status;
}

}  // namespace podium::controller
