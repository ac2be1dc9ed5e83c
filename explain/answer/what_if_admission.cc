#include "explain/answer/what_if_admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "api/admission/admission.h"
#include "api/admission/limit_range.h"
#include "base/check.h"
#include "base/counted.h"
#include "explain/answer/new_volumes.h"
#include "explain/answer/waiting.h"
#include "explain/report/bounds.h"
#include "explain/workload/admin_access.h"
#include "explain/workload/ephemeral_claims.h"
#include "explain/workload/new_claims.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/framework/profile.h"

namespace podium::explain {
namespace {

constexpr std::size_t kNameBytes = 100;  // two of them fit into status.notModelled

std::string profile_names(const config::Config& config) {
  std::string out;
  for (const auto& profile : config.profiles) out += (out.empty() ? "" : ", ") + profile->scheduler_name;
  return out;
}

std::unexpected<Error> unknown_profile(const FieldPath& path, std::string_view name,
                                       const config::Config& config, std::string_view which = "") {
  return invalid(
      path.said(fmt::format("{}unknown profile \"{}\" (known: {})", which, name, profile_names(config))));
}

// spec.profile, else spec.schedulerName, else the one that answers for the pod.
Result<std::string> profile_of(const Question& question, const config::Config& config) {
  for (const auto& [path, name] :
       {std::pair("profile", &question.profile), {"schedulerName", &question.scheduler_name}}) {
    if (name->empty()) continue;
    if (!config.profile(*name)) return unknown_profile(question.paths.spec / path, *name, config);
    return *name;
  }
  const auto& named = question.subject->pod.scheduler_name;
  if (const auto* answering = answering_profile(config, named)) return answering->scheduler_name;
  const auto path = pod_path(question);
  if (question.about == Question::About::pod_template)
    return unknown_profile(path / "spec.schedulerName", named, config);
  return unknown_profile(path, named, config, "spec.schedulerName of the pod: ");
}

// Admission plugins see the pods only: the API server accepts a workload whose pods they refuse.
std::string refused_pods(const Subject& subject, std::string_view why) {
  if (subject.kind == Subject::Kind::pod) return std::string(why);
  return fmt::format("the API server accepts the {} and refuses its pods: {}", to_string(subject.kind), why);
}

// A priority in the template must equal that of its class.
Result<void> check_priority(const Question& question, std::optional<std::int32_t> given,
                            std::int32_t computed) {
  if (!given || *given == computed) return {};
  Problems findings;
  const auto why = fmt::format(
      "the integer value of priority ({}) must not be provided in pod spec; priority admission "
      "controller computed {} from the given PriorityClass name",
      *given, computed);
  findings.add(pod_path(question) / "spec.priority", refused_pods(*question.subject, why));
  return findings.result_in_line();
}

// The claims that the pod's controllers would create for it.
Result<void> check_claims(const Question& question, const api::AdmissionObjects& objects) {
  const auto& subject = *question.subject;
  if (!objects.limit_ranges) return {};
  std::vector<std::pair<std::string, const api::PersistentVolumeClaim*>> claims;
  for (const auto& claim : subject.claim_templates) claims.emplace_back(claim.meta.name, &claim);
  for (const auto& [volume, claim] : subject.claims) claims.emplace_back(volume, &claim);
  if (const auto why = api::too_many_comparisons(*objects.limit_ranges, claims.size()); !why.empty())
    return invalid(subject_path(question).said("persistentvolumeclaims: " + why));
  for (const auto& [name, claim] : claims) {
    for (const auto& range : *objects.limit_ranges) {
      if (const auto why = api::limit_range_refusal(range, *claim); !why.empty())
        return invalid(subject_path(question).said(fmt::format("persistentvolumeclaim {}: {}", name, why)));
    }
  }
  return {};
}

// What the volumes of new claims may change, by StorageClass.
std::set<std::string> volumes_not_modelled(const Question& question, const Answered& answered) {
  const auto& fork = answered.start;
  const auto beyond = volumes_beyond_capacity(answered.start, answered.fork, answered.budget);
  std::set<std::string> out;
  const auto see = [&](api::PersistentVolumeClaim claim) {
    if (!claim.storage_class) claim.storage_class = default_storage_class(fork);
    const auto* of_claim = fork.objects().find<api::StorageClass>("", claim.storage_class.value_or(""));
    if (!of_claim || !claim.volume_name.empty()) return;
    const auto name = cut(of_claim->meta.name, kNameBytes);
    if (is_provisioned_immediately(claim, fork))
      out.insert(fmt::format("the topology of new volumes of StorageClass {}", name));
    const auto* driver = fork.objects().find<api::CsiDriver>("", of_claim->provisioner);
    if (driver && driver->storage_capacity) {
      const auto sum = beyond.find(of_claim->meta.name);
      out.insert(fmt::format("the capacity that new volumes of StorageClass {} take{}", name,
                             sum == beyond.end() ? "" : fmt::format(" ({})", sum->second)));
    }
    const auto shares = [](const std::string& mode) {
      return mode == "ReadWriteMany" || mode == "ReadOnlyMany";
    };
    // Until the volume is made, kube-scheduler keeps all pods of its claim on the first one's node.
    if (of_claim->wait_for_first_consumer && std::ranges::any_of(claim.access_modes, shares))
      out.insert(fmt::format("the use of a new volume of StorageClass {} on several nodes", name));
  };
  for (const auto& pods : placed_pods(question)) {
    for (const auto& claim : pods.subject->claim_templates) see(claim);
    for (const auto& each : pods.subject->claims) see(each.claim);
  }
  for (const auto& change : question.changes) {
    for (const auto& claim : change.claims) see(claim);
  }
  return out;
}

// Whether a claim of the question's pods has adminAccess and is new, and the dump lacks their namespace.
bool asks_unknown_admin_access(const Question& question, const api::AdmissionObjects& objects,
                               const cluster::Snapshot& fork) {
  const auto& ns = question.subject->pod.meta.namespace_;
  const auto asks = [&](const api::PodResourceClaim& claim) {
    if (claim.template_name) {
      const auto found = objects.claim_templates.find(*claim.template_name);
      return found != objects.claim_templates.end() && asks_admin_access(found->second.spec);
    }
    const auto* named =
        claim.claim_name ? fork.objects().find<api::ResourceClaim>(ns, *claim.claim_name) : nullptr;
    // The API server has admitted those that it has created.
    return named && !named->meta.created && asks_admin_access(named->spec);
  };
  const auto any_asks = [&](const PlacedPods& pods) {
    return std::ranges::any_of(pods.subject->pod.resource_claims, asks);
  };
  return admin_access_in(ns, fork) == AdminAccess::unknown &&
         std::ranges::any_of(placed_pods(question), any_asks);
}

}  // namespace

Result<std::shared_ptr<const api::Pod>> admit_question(const Question& question,
                                                       const cluster::Snapshot& snapshot,
                                                       const config::Config& config,
                                                       const api::AdmissionObjects& objects) {
  PODIUM_CHECK(question.subject, question.meta.name);
  auto profile = profile_of(question, config);
  if (!profile) return std::unexpected(profile.error());
  auto pod = std::make_shared<api::Pod>(question.subject->pod);
  pod->scheduler_name = std::move(*profile);
  // A workload may have a node and gates in its template, which the API server refuses in a Pod only.
  if (!pod->node_name.empty()) pod->scheduling_gates.clear();
  const bool is_stored = question.subject->is_stored;
  const auto priority = is_stored ? std::nullopt : std::exchange(pod->priority, std::nullopt);
  api::Manifests::List<api::PriorityClass> classes;
  for (const auto& [key, priority_class] : snapshot.objects().all<api::PriorityClass>())
    classes.push_back(priority_class);
  if (!is_stored) api::add_default_tolerations(*pod);
  if (auto admitted = api::PodAdmission(std::move(classes)).admit(*pod, objects); !admitted) {
    const auto& error = admitted.error();
    if (is_stored) return invalid(subject_path(question).said(error.message));
    Problems findings;
    if (error.findings.empty())
      findings.add(pod_path(question), refused_pods(*question.subject, error.message));
    else
      findings.add_all(below(pod_path(question), error));
    return std::unexpected(findings.error_in_line());
  }
  pod->scheduling_gates.clear();  // the answer is for the pod after its gates are removed
  if (auto checked = check_priority(question, priority, pod->priority_or_zero()); !checked)
    return std::unexpected(checked.error());
  if (auto checked = check_claims(question, objects); !checked) return std::unexpected(checked.error());
  return pod;
}

Result<void> set_weight(const StrategyWeight& strategy, const FieldPath& path, framework::Profile& profile) {
  const auto& [name, weight] = strategy;
  const auto score = std::ranges::find(profile.scores, name, &framework::Profile::ScoreEntry::name);
  if (score != profile.scores.end()) {
    score->weight = weight;
    return {};
  }
  std::string known;
  for (const auto& each : profile.scores) known += (known.empty() ? "" : ", ") + each.name;
  return invalid((path / "name")
                     .said(fmt::format("unknown strategy \"{}\" of profile \"{}\" (known: {})", name,
                                       profile.scheduler_name, known)));
}

void remove_disabled(const std::vector<StrategyWeight>& strategies, framework::Profile& profile) {
  for (const auto& [name, weight] : strategies) {
    if (weight > 0) continue;
    std::erase_if(profile.scores, [&](const auto& each) { return each.name == name; });
    std::erase_if(profile.pre_scores, [&](const auto& each) { return each.name == name; });
  }
}

Result<framework::Profile> profile_for(const Question& question, const api::Pod& pod,
                                       const config::Config& config) {
  framework::Profile profile = *config.profile(pod.scheduler_name);
  Problems unknown;
  for (std::size_t i = 0; i < question.strategies.size(); ++i) {
    const auto path = (question.paths.spec / "strategies")[i];
    if (auto set = set_weight(question.strategies[i], path, profile); !set) unknown.add_all(set.error());
  }
  if (unknown) return std::unexpected(unknown.error_in_line());
  remove_disabled(question.strategies, profile);
  if (!pod.node_name.empty()) return kubelet_profile(std::move(profile));
  return profile;
}

framework::Profile kubelet_profile(framework::Profile profile) {
  using namespace framework::names;
  static constexpr std::array kChecked = {kNodeName, kNodeAffinity, kNodePorts, kNodeResourcesFit};
  const auto is_skipped = [](const auto& entry) {
    return std::ranges::find(kChecked, entry.name) == kChecked.end();
  };
  std::erase_if(profile.pre_filters, is_skipped);
  std::erase_if(profile.filters, is_skipped);
  profile.scores.clear();
  profile.pre_scores.clear();
  profile.post_filters.clear();
  profile.reserves.clear();
  profile.permits.clear();
  profile.pre_binds.clear();
  profile.post_binds.clear();
  profile.has_extenders = false;
  return profile;
}

namespace {

// Without a reason, its kind is missing in a dump.
std::string unread_template(const std::string& name, const std::string& ns,
                            const api::AdmissionObjects& objects) {
  const auto why = objects.unread_claim_templates.find(name);
  return fmt::format("it is not known whether namespace {} has ResourceClaimTemplate \"{}\": {}", ns, name,
                     why != objects.unread_claim_templates.end()
                         ? why->second
                         : "the dump does not have this kind of object");
}

// The level that restricts the pods of the namespace; empty: none, or it is not known.
std::string pod_security_of(const std::string& ns, const cluster::Snapshot& fork) {
  const auto* found = fork.objects().find<api::Namespace>("", ns);
  const auto* level = found ? found->meta.labels.find("pod-security.kubernetes.io/enforce") : nullptr;
  return level && (*level == "baseline" || *level == "restricted") ? std::string(*level) : std::string();
}

}  // namespace

std::string missing_claim(const Subject& subject, const api::AdmissionObjects& objects) {
  const auto& ns = subject.pod.meta.namespace_;
  for (const auto& claim : subject.pod.resource_claims) {
    if (claim.claim_name && objects.refused_claims.contains(*claim.claim_name))
      return fmt::format("claim {}: the API server refuses ResourceClaim \"{}\": {}", claim.name,
                         *claim.claim_name, kNoAdminAccess);
    const auto& name = claim.template_name;
    if (!name || objects.claim_templates.contains(*name) || subject.pod.claim_name(claim)) continue;
    const auto missing =
        objects.refused_claim_templates.contains(*name)
            ? fmt::format("the API server refuses the claim of ResourceClaimTemplate \"{}\": {}", *name,
                          kNoAdminAccess)
        : objects.no_claim_templates.contains(*name)
            ? fmt::format("namespace {} has no ResourceClaimTemplate \"{}\"", ns, *name)
            : unread_template(*name, ns, objects);
    return fmt::format("claim {}: {}", claim.name, missing);
  }
  return {};
}

bool lacks_claim(const framework::Decision& decision, const api::AdmissionObjects& objects) {
  const auto has = [&](const std::optional<framework::Verdict>& verdict) {
    return verdict && std::ranges::any_of(verdict->reasons, [&](const framework::Reason& reason) {
             using enum framework::ReasonCode;
             return reason.code == resource_claim_not_created ||
                    (reason.code == resource_claim_not_found && !objects.refused_claims.empty());
           });
  };
  return has(decision.pre_enqueue) || has(decision.pre_filter);
}

std::vector<std::string> not_modelled(const Question& question, const framework::Profile& profile,
                                      const Answered& answered, const api::AdmissionObjects& objects) {
  PODIUM_CHECK(question.subject, question.meta.name);
  const auto& subject = *question.subject;
  std::vector<std::string> out;
  if (profile.has_extenders) out.emplace_back("HTTP extenders");
  if (!subject.pod.node_name.empty()) out.emplace_back("the scheduler (a pod with spec.nodeName skips it)");
  const bool names_profile = !question.profile.empty() || !question.scheduler_name.empty();
  if (subject.names_scheduler && !names_profile && subject.pod.scheduler_name != profile.scheduler_name)
    out.push_back(fmt::format("scheduler {} (evaluated with profile {})",
                              cut(subject.pod.scheduler_name, kNameBytes),
                              cut(profile.scheduler_name, kNameBytes)));
  for (const auto& words : volumes_not_modelled(question, answered)) out.push_back(words);
  if (answered.victims > 0)
    out.push_back(fmt::format(
        "the time until {} gone",
        podium::counted(answered.victims, "pod that it has evicted is", "pods that it has evicted are")));
  auto attached = attached_twice(subject.pod, answered.rows, answered.start, answered.fork, answered.overlap,
                                 answered.budget);
  if (!attached.empty()) out.push_back(std::move(attached));
  if (auto words = other_systems(subject, answered.rows, answered.fork); !words.empty())
    out.push_back(std::move(words));
  if (asks_unknown_admin_access(question, objects, answered.fork))
    out.push_back(fmt::format("the label of namespace {} that claims with adminAccess need",
                              subject.pod.meta.namespace_));
  if (!subject.pod.scheduling_gates.empty() && subject.pod.node_name.empty())
    out.emplace_back("scheduling gates");
  if (subject.is_stored) return out;
  out.emplace_back("admission webhooks and policies");
  if (auto level = pod_security_of(subject.pod.meta.namespace_, answered.start); !level.empty())
    out.push_back(fmt::format("PodSecurity {} (the namespace enforces it)", level));
  if (!objects.limit_ranges) out.emplace_back("LimitRange");
  if (!objects.quotas) out.emplace_back("ResourceQuota");
  const auto is_unread = [&](const PlacedPods& pods) {
    const auto& name = pods.subject->pod.runtime_class;
    return !name.empty() && !objects.runtime_classes.contains(name);
  };
  if (std::ranges::any_of(placed_pods(question), is_unread)) out.emplace_back("RuntimeClass");
  return out;
}

}  // namespace podium::explain
