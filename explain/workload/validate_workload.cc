#include "explain/workload/validate_workload.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/text/json_view.h"
#include "api/validate/validate.h"
#include "base/ascii.h"
#include "base/problems.h"
#include "explain/workload/time_zones.h"
#include "explain/workload/validate_claim.h"
#include "explain/workload/validate_job.h"
#include "explain/workload/validate_pod_spec.h"
#include "explain/workload/validate_schedule.h"
#include "explain/workload/validate_strategy.h"

namespace podium::explain {
namespace {

namespace json = boost::json;
using Kind = Subject::Kind;

constexpr std::size_t kLongestCronJob = 52;      // its Jobs have eleven characters more, and 63 at most
constexpr std::size_t kLongestStatefulSet = 61;  // a dash and a hash of one to ten digits follow in a label

bool is_job(Kind kind) { return kind == Kind::job || kind == Kind::cron_job; }

bool has_items(const json::value& value, std::string_view pointer) {
  const auto* found = api::find_at(value, pointer);
  return found && ((found->is_array() && !found->get_array().empty()) ||
                   (found->is_object() && !found->get_object().empty()));
}

void check_not_negative(const json::value& value, std::string_view field, const FieldPath& path,
                        Problems& problems) {
  const auto number = api::integer_at(value, fmt::format("/{}", field));
  if (number && *number < 0) problems.invalid(path / field, *number, kNegativeError);
}

// Upstream validates a Deployment's template as that of its ReplicaSet.
std::string_view owner_of_template(Kind kind) {
  return to_string(kind == Kind::deployment ? Kind::replica_set : kind);
}

void check_restart_policy(const json::value& pod_template, const json::value& spec, Kind kind,
                          const FieldPath& path, Problems& problems) {
  const auto given = api::text_at(pod_template, "/spec/restartPolicy");
  const std::string_view policy = given.empty() ? "Always" : std::string_view(given);
  const auto at = path / "spec.restartPolicy";
  const bool may_end = policy == "OnFailure" || policy == "Never";
  if (kind == Kind::pod) {
    if (!may_end && policy != "Always") problems.not_supported(at, policy, {"Always", "OnFailure", "Never"});
  } else if (!is_job(kind)) {
    if (policy != "Always") problems.not_supported(at, policy, {"Always"});
  } else if (policy == "Always") {
    problems.add(at, R"(Required value: valid values: "OnFailure", "Never")");
  } else if (!may_end) {
    problems.not_supported(at, policy, {"OnFailure", "Never"});
  } else if (policy != "Never" && api::find_at(spec, "/podFailurePolicy")) {
    problems.add(
        at,
        fmt::format(R"(Invalid value: "{}": only "Never" is supported when podFailurePolicy is specified)",
                    policy));
  }
}

void check_deadline(const json::value& pod_template, Kind kind, const FieldPath& path, Problems& problems) {
  const auto seconds = api::integer_at(pod_template, "/spec/activeDeadlineSeconds");
  if (!seconds) return;
  const auto at = path / "spec.activeDeadlineSeconds";
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (*seconds < 1 || *seconds > kMost)
    problems.invalid(at, *seconds, fmt::format("must be between 1 and {}, inclusive", kMost));
  if (kind != Kind::pod && !is_job(kind))
    problems.forbidden(at,
                       fmt::format("activeDeadlineSeconds in {} is not Supported", owner_of_template(kind)));
}

void check_spec_of(const json::value& pod, Kind kind, const FieldPath& path, Problems& problems,
                   const std::vector<std::string>& claimed = {}) {
  const auto* spec = api::find_at(pod, "/spec");
  if (!spec) return;
  check_pod_spec(*spec, path / "spec", problems, claimed);
  if (kind != Kind::stateful_set) check_host_name(*spec, path / "spec", problems);
}

// The names of a StatefulSet's claim templates: each becomes a volume of the pod.
std::vector<std::string> claimed_volumes(const json::value& spec, Kind kind) {
  std::vector<std::string> out;
  const auto* claims = api::find_at(spec, "/volumeClaimTemplates");
  if (kind != Kind::stateful_set || !claims || !claims->is_array()) return out;
  for (const auto& claim : claims->get_array()) out.push_back(api::text_at(claim, "/metadata/name"));
  return out;
}

// `spec`: that of the workload or Job, or null.
void check_template(const json::value& pod_template, const json::value& spec, Kind kind,
                    const FieldPath& path, Problems& problems) {
  check_deadline(pod_template, kind, path, problems);
  check_spec_of(pod_template, kind, path, problems, claimed_volumes(spec, kind));
  check_restart_policy(pod_template, spec, kind, path, problems);
  if (has_items(pod_template, "/spec/ephemeralContainers"))
    problems.forbidden(path / "spec.ephemeralContainers", "ephemeral containers not allowed in pod template");
}

void check_pod(const json::value& pod, const FieldPath& path, Problems& problems) {
  check_deadline(pod, Kind::pod, path, problems);
  check_spec_of(pod, Kind::pod, path, problems);
  check_restart_policy(pod, nullptr, Kind::pod, path, problems);
  if (has_items(pod, "/spec/ephemeralContainers"))
    problems.forbidden(path / "spec.ephemeralContainers", "cannot be set on create");
  if (!api::text_at(pod, "/spec/nodeName").empty() && has_items(pod, "/spec/schedulingGates"))
    problems.forbidden(path / "spec.nodeName", api::kGatedNodeError);
}

// Source: validateTimeZone, Go's time.LoadLocation.
void check_time_zone(const json::value& spec, const FieldPath& path, Problems& problems) {
  const auto* given = api::find_at(spec, "/timeZone");
  if (!given || !given->is_string()) return;
  const std::string zone(given->get_string());
  const auto at = path / "timeZone";
  const auto refuse = [&](std::string_view why) { problems.invalid(at, zone, why); };
  if (zone.empty()) return refuse("timeZone must be nil or non-empty string");
  if (equal_fold(zone, "local"))
    refuse("timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  if (zone != "Local" && !is_time_zone(zone)) refuse(fmt::format("unknown time zone {}", zone));
}

void check_cron_job(const json::value& spec, const FieldPath& path, Problems& problems) {
  const auto schedule = api::text_at(spec, "/schedule");
  if (schedule.empty())
    problems.required(path / "schedule");
  else if (const auto error = schedule_error(schedule); !error.empty())
    problems.invalid(path / "schedule", schedule, error);
  const auto policy = api::text_at(spec, "/concurrencyPolicy");
  if (!policy.empty() && policy != "Allow" && policy != "Forbid" && policy != "Replace")
    problems.not_supported(path / "concurrencyPolicy", policy, {"Allow", "Forbid", "Replace"});
  check_time_zone(spec, path, problems);
  for (const auto* field :
       {"startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"})
    check_not_negative(spec, field, path, problems);
}

void check_stateful_set(const json::value& spec, const FieldPath& path, Problems& problems) {
  const auto policy = api::text_at(spec, "/podManagementPolicy");
  if (!policy.empty() && policy != "OrderedReady" && policy != "Parallel")
    problems.invalid(path / "podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'");
  check_stateful_set_strategy(spec, path, problems);
  if (const auto service = api::text_at(spec, "/serviceName");
      !service.empty() && !api::is_dns_label(service))
    problems.invalid(path / "serviceName", service, api::kDnsLabelError);
  const auto* claims = api::find_at(spec, "/volumeClaimTemplates");
  for (std::size_t i = 0; claims && claims->is_array() && i < claims->get_array().size(); ++i)
    check_claim_spec(claims->get_array()[i], (path / "volumeClaimTemplates")[i], problems);
  for (const auto* field : {"whenDeleted", "whenScaled"}) {
    const auto then = api::text_at(spec, fmt::format("/persistentVolumeClaimRetentionPolicy/{}", field));
    if (!then.empty() && then != "Retain" && then != "Delete")
      problems.not_supported(path / "persistentVolumeClaimRetentionPolicy" / field, then,
                             {"Retain", "Delete"});
  }
}

// A Deployment has 600 seconds, unless it says otherwise.
void check_progress(const json::value& spec, const FieldPath& path, Problems& problems) {
  check_not_negative(spec, "progressDeadlineSeconds", path, problems);
  const auto deadline = api::integer_at(spec, "/progressDeadlineSeconds").value_or(600);
  if (deadline <= api::integer_at(spec, "/minReadySeconds").value_or(0))
    problems.invalid(path / "progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
}

void check_name(const std::string& name, Kind kind, const FieldPath& path, Problems& problems) {
  if (name.empty()) return;  // reported where it is read
  const bool is_label = kind == Kind::stateful_set;
  if (is_label ? !api::is_dns_label(name) : !api::is_dns_subdomain(name))
    problems.invalid(path, name, is_label ? api::kDnsLabelError : api::kSubdomainError);
  if (kind == Kind::stateful_set && name.size() > kLongestStatefulSet && name.size() <= 63)
    problems.add(path,
                 fmt::format("the API server accepts the StatefulSet and refuses its pods: their label "
                             "controller-revision-hash is this name of {} characters, a dash and a hash, and "
                             "may have 63 characters",
                             name.size()));
  if (kind == Kind::cron_job && name.size() > kLongestCronJob)
    problems.invalid(path, name, fmt::format("must be no more than {} characters", kLongestCronJob));
}

void check_selector(const json::value& value, Kind kind, const FieldPath& path, Problems& problems) {
  const auto* selector = api::find_at(value, "/spec/selector");
  if (!selector || !selector->is_object()) return;  // reported where it is read
  if (kind == Kind::replication_controller) {
    for (const auto& [key, wanted] : selector->get_object()) {
      const auto* labels = api::find_at(value, "/spec/template/metadata/labels");
      const auto* label = labels && labels->is_object() ? labels->get_object().if_contains(key) : nullptr;
      if (label && *label == wanted) continue;
      return problems.add(path / "spec.template.metadata.labels",
                          "Invalid value: `selector` does not match template `labels`");
    }
    return;
  }
  if (is_job(kind) || has_items(*selector, "/matchLabels") || has_items(*selector, "/matchExpressions"))
    return;
  const char* of_kind = kind == Kind::stateful_set ? "statefulset"
                        : kind == Kind::daemon_set ? "daemonset"
                                                   : "deployment";
  problems.add(path / "spec.selector",
               fmt::format("Invalid value: {{}}: empty selector is invalid for {}", of_kind));
}

}  // namespace

Result<void> validate_workload(const json::value& value, Kind kind, const FieldPath& path) {
  Problems problems;
  check_name(api::text_at(value, "/metadata/name"), kind, path / "metadata.name", problems);
  if (kind == Kind::pod) {
    check_pod(value, path, problems);
    return problems.result_in_line();
  }
  const auto* spec = api::find_at(value, "/spec");
  if (!spec) return problems.result_in_line();  // reported where it is read
  auto at = path / "spec";
  if (kind == Kind::cron_job) {
    check_cron_job(*spec, at, problems);
    spec = api::find_at(*spec, "/jobTemplate/spec");
    at = at / "jobTemplate.spec";
    if (!spec) return problems.result_in_line();
  }
  if (is_job(kind)) {
    check_job_spec(*spec, at, problems);
    if (kind == Kind::job)
      check_job_name(api::text_at(value, "/metadata/name"), *spec, path / "metadata.name", problems);
  } else {
    check_not_negative(*spec, "replicas", at, problems);
    check_not_negative(*spec, "minReadySeconds", at, problems);
    if (kind == Kind::deployment || kind == Kind::daemon_set)
      check_not_negative(*spec, "revisionHistoryLimit", at, problems);
    if (const auto* ordinals = api::find_at(*spec, "/ordinals"))
      check_not_negative(*ordinals, "start", at / "ordinals", problems);
  }
  check_selector(value, kind, path, problems);
  if (kind == Kind::deployment) {
    check_deployment_strategy(*spec, at, problems);
    check_progress(*spec, at, problems);
  }
  if (kind == Kind::stateful_set) check_stateful_set(*spec, at, problems);
  if (kind == Kind::daemon_set) check_daemon_set_strategy(*spec, at, problems);
  if (const auto* pod_template = api::find_at(*spec, "/template"))
    check_template(*pod_template, *spec, kind, at / "template", problems);
  return problems.result_in_line();
}

Result<void> validate_template(const json::value& value, const FieldPath& path) {
  Problems problems;
  check_template(value, nullptr, Kind::pod, path, problems);
  return problems.result_in_line();
}

}  // namespace podium::explain
