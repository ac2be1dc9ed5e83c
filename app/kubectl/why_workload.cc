#include "app/kubectl/why_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <set>
#include <string>

#include "api/text/json_view.h"
#include "app/kubectl/object_events.h"
#include "app/kubectl/reports.h"
#include "app/kubectl/waiting_pods.h"
#include "app/render/pending.h"
#include "app/render/what_if.h"
#include "app/render/why.h"
#include "app/render/workload.h"
#include "client/request_errors.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

// "deploy/web"
std::string subject_of(const Target& target) {
  return std::string(target.maker->short_name) + "/" + target.name;
}

// True if a question's workloadRef can name it.
bool can_be_named(const Target& target) {
  return target.maker->kind != "CronJob" && target.maker->kind != "ReplicationController";
}

// The answer about all replicas, without the pods that exist. nullopt: refused, or the user may not ask.
std::optional<render::Report> answer_about(Cluster& cluster, const Target& target, bool fixes) {
  json::object spec{{"dryRun", true}, {"workloadRef", {{"kind", target.maker->kind}, {"name", target.name}}}};
  if (fixes) spec["fixes"] = true;
  const auto answered = cluster.ask(target.ns, std::move(spec), false);
  if (!answered) return std::nullopt;
  auto report = render::read_report(*answered);
  if (explain::refusal_of(report)) return std::nullopt;
  return report;
}

// The quotas that do not allow all replicas. A user without the right to ask does not see them.
std::string exceeded_quotas(Cluster& cluster, const Target& target) {
  if (!can_be_named(target)) return {};
  const auto report = answer_about(cluster, target, false);
  if (!report) return {};
  const auto lines = render::exceeded_quota_lines(*report);
  return lines.empty() ? lines : lines + render::note_lines(render::answer_of(*report));
}

// The user does not find the requests in the template. `said`: the notes of the answer, which may have it.
std::string set_by_limit_range(const std::vector<json::value>& pods,
                               const std::vector<render::WaitingGroup>& groups, const std::string& said) {
  std::string out;
  for (const auto& group : groups) {
    const auto pod = std::ranges::find_if(pods, [&](const json::value& each) {
      return group.report && api::text_at(each, "/metadata/name") == group.names.front();
    });
    if (pod == pods.end()) continue;
    const auto line = limit_range_line(*pod, *group.report);
    if (!out.contains(line) && !said.contains(line)) out += line;
  }
  return out;
}

// Whether the pods are of several templates of a Deployment.
bool is_being_updated(const std::vector<json::value>& pods) {
  std::set<std::string> templates;
  for (const auto& pod : pods) {
    const auto phase = api::text_at(pod, "/status/phase");
    if (phase != "Succeeded" && phase != "Failed")
      templates.insert(api::text_at(pod, "/metadata/labels/pod-template-hash"));
  }
  return templates.size() > 1;
}

constexpr const char* kWithoutOldPods =
    "This assumes that the pods of earlier templates are gone. To see whether the rolling update would get "
    "stuck with the change: whatif -f with the changed file.\n";

// Asks podium which changes let more of its pods fit. A user without the right to ask gets the command.
std::string what_helps(Cluster& cluster, const Target& target, const std::vector<json::value>& pods,
                       const std::vector<render::WaitingGroup>& groups, const render::Options& options) {
  const bool may_help = std::ranges::any_of(groups, [](const render::WaitingGroup& group) {
    return group.report && group.report->status.outcome != "Fits" && !group.report->status.preemption &&
           !render::is_pods_own_fault(*group.report);
  });
  if (!may_help) return {};
  const auto hint = render::what_would_help(subject_of(target), target.ns, options);
  if (!can_be_named(target)) return hint;
  const auto report = answer_about(cluster, target, true);
  if (!report) return hint;
  const auto& answer = render::answer_of(*report);
  if (answer.fitting < answer.asked) {
    const auto fixes = render::fixes_in_line(*report, options);
    if (fixes.empty() || answer.fixes.empty()) return fixes;
    return fixes + (is_being_updated(pods) ? kWithoutOldPods : "") + render::note_lines(answer);
  }
  // All replicas fit in place of the existing pods, so the hint is about one that waits next to them.
  return fmt::format("Without the pods that it has now, {} would fit.\n",
                     answer.asked == 1 ? "its replica" : fmt::format("all {} replicas", answer.asked)) +
         render::note_lines(answer) +
         render::what_would_help("pod/" + groups.front().names.front(), target.ns, options);
}

}  // namespace

CommandOutput why_workload(const CLI::App& command, Cluster& cluster, const Target& target,
                           const Output& output, const render::Options& options) {
  const auto object = cluster.get(resource_of(*target.maker), target.ns, target.name);
  if (!object) {
    auto out = failed(command, without_object(object.error(), target.ns, target));
    if (client::object_is_gone(object.error())) out.err += did_you_mean(cluster, target.ns, target);
    return out;
  }
  const auto pods = pods_of(cluster, target, target.ns);
  if (!pods) return failed(command, pods.error());
  const auto waiting = waiting_groups(cluster, target.ns, *pods);
  if (!waiting) return failed(command, waiting.error());
  return answered(command, output, render::pending_document(waiting->groups), pod_names(*waiting), [&] {
    const auto name = target.ns + "/" + target.name;
    const auto replicas = render::replicas_of(target.maker->kind, *object, *pods);
    const bool lacks_pods = replicas && replicas->existing < replicas->wanted;
    auto reason = render::why_not_created(*object, *pods, lacks_pods && !waiting->groups.empty());
    if (lacks_pods && reason.empty())
      reason = creation_failure(cluster, target.ns, target.maker->kind, *object);
    auto words = render::workload_why(name, *pods, replicas, reason, waiting->groups, options);
    if (lacks_pods && reason.empty()) words += exceeded_quotas(cluster, target);
    if (waiting->groups.empty())
      return words + render::workload_next(subject_of(target), target.ns, *pods, options);
    const auto helps = what_helps(cluster, target, *pods, waiting->groups, options);
    return words + set_by_limit_range(*pods, waiting->groups, helps) + helps;
  });
}

}  // namespace podium::kubectl
