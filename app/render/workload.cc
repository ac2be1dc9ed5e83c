#include "app/render/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "api/decode/pod_makers.h"
#include "api/text/json_view.h"
#include "api/values/quantity.h"
#include "app/render/amounts.h"
#include "app/render/fixes.h"
#include "app/render/object_text.h"
#include "app/render/why.h"
#include "app/render/words.h"
#include "explain/report/reason_words.h"
#include "explain/workload/scale.h"

namespace podium::render {
namespace {

namespace json = boost::json;

struct Counts {
  std::size_t alive = 0, running = 0, placed = 0, succeeded = 0, failed = 0;
  std::size_t terminating = 0;  // which its controller no longer counts
};

bool is_terminating(const json::value& pod) {
  return api::find_at(pod, "/metadata/deletionTimestamp") != nullptr;
}

Counts counts_of(const std::vector<json::value>& pods) {
  Counts out;
  for (const auto& pod : pods) {
    const auto phase = string_at(pod, "/status/phase");
    if (phase == "Succeeded") ++out.succeeded;
    if (phase == "Failed") ++out.failed;
    if (phase == "Succeeded" || phase == "Failed") continue;
    if (is_terminating(pod)) {
      ++out.terminating;
      continue;
    }
    ++out.alive;
    if (string_at(pod, "/spec/nodeName").empty()) continue;
    ++out.placed;
    if (phase == "Running") ++out.running;
  }
  return out;
}

// ", 2 terminate"; empty: none does.
std::string terminating_words(std::string_view before, const Counts& counts) {
  if (counts.terminating == 0) return {};
  return fmt::format("{}{} {}", before, counts.terminating,
                     counts.terminating == 1 ? "terminates" : "terminate");
}

// "78 of 400 pods run, 2 start, 322 wait".
std::string states(const Counts& counts, std::size_t waiting) {
  // A handwritten dump may have no phases.
  const auto running = counts.running > 0 ? counts.running : counts.placed;
  auto out = fmt::format("{} of {}", running, counted(counts.alive, "pod runs", "pods run"));
  if (counts.placed > running) out += fmt::format(", {} {}", counts.placed - running, "start");
  out += fmt::format(", {} {}", waiting, waiting == 1 ? "waits" : "wait");
  return out + terminating_words(", ", counts);
}

// "54 nodes  too little cpu free: asks 3, closest memory-01 (250m short)", else the reason's words.
std::string short_of(const explain::ReportRejection& rejection, const json::object& requests) {
  const auto missing = shortfall_words(rejection);
  if (!rejection.shortfall || rejection.shortfall->least.empty() || has_none(rejection))
    return rejection_words(rejection) + (missing.empty() ? "" : "; " + missing);
  const auto& [resource, least, node, without, similar] = *rejection.shortfall;
  auto out = fmt::format("too little {} free", resource);
  if (without > 0 && without < rejection.nodes) out += fmt::format(", {} have none", without);
  if (resource == "pods") return out = "already run their maximum number of pods";
  std::vector<std::string> parts;
  if (const auto* asked = requests.if_contains(resource); asked && asked->is_string()) {
    const auto quantity = api::Quantity::parse(asked->get_string());
    if (quantity) parts.push_back("asks " + exact(resource, *quantity));
  }
  const auto lacks = fmt::format("{} short", rounded_up(resource, least));
  parts.push_back(node.empty() ? lacks : fmt::format("closest {} ({})", node, lacks));
  return fmt::format("{}: {}", out, fmt::join(parts, ", "));
}

std::string one_reason(const WaitingGroup& group, const Options& options) {
  const auto& rejections = group.report->status.rejections;
  std::vector<Cells> rows;
  for (const auto& rejection : rejections) {
    if (is_of_the_node(rejection)) continue;
    rows.push_back({explain::is_of_pod(rejection.code) ? "all" : counted(rejection.nodes, "node"),
                    short_of(rejection, group.requests)});
  }
  if (auto others = cannot_anyway(rejections); !others.empty()) rows.push_back(std::move(others));
  if (rows.empty()) return fmt::format("  {}\n", group.blocked_by);
  constexpr std::size_t kWords = 1, kLeast = 24;
  return table(rows, {Align::right, Align::left}, 2, {options.columns, {{kWords, kLeast}}}) +
         selector_table(rejections, options);
}

std::string waits_for(const std::vector<WaitingGroup>& groups, const Options& options) {
  std::optional<Wall> since;
  for (const auto& group : groups) {
    if (group.since && (!since || *group.since < *since)) since = group.since;
  }
  if (!since || options.now < *since) return {};
  return fmt::format(" ({})", age(std::chrono::duration_cast<std::chrono::seconds>(options.now - *since)));
}

std::size_t missing_of(const std::optional<Replicas>& replicas) {
  return replicas ? replicas->wanted - std::min(replicas->wanted, replicas->existing) : 0;
}

// "the other 4 are not created: exceeded quota: q".
std::string not_created(std::size_t missing, const std::string& reason) {
  return fmt::format("the other {} not created{}{}", missing == 1 ? "one is" : fmt::format("{} are", missing),
                     reason.empty() ? "" : ": ", reason);
}

// "4 pods have succeeded, 1 has failed"; empty: none has ended.
std::string ended(const Counts& counts) {
  std::vector<std::string> parts;
  if (counts.succeeded > 0)
    parts.push_back(counted(counts.succeeded, "pod has succeeded", "pods have succeeded"));
  if (counts.failed > 0) parts.push_back(counted(counts.failed, "pod has failed", "pods have failed"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string no_pods(const Counts& counts, const std::optional<Replicas>& replicas,
                    const std::string& reason) {
  const auto past = ended(counts);
  if (!replicas || replicas->wanted == 0) {
    const auto why = replicas ? replicas->why_none : std::string();
    const auto words = fmt::format("{}{}{}", why, why.empty() || past.empty() ? "" : "; ", past);
    return fmt::format(" has no pods{}{}{}.\n",
                       words.empty()  ? ""
                       : past.empty() ? ": "
                                      : " that run: ",
                       words, terminating_words("; ", counts));
  }
  return fmt::format(
      ": {} created{}{}{}\n",
      replicas->wanted == 1 ? "its pod is not" : fmt::format("none of its {} pods is", replicas->wanted),
      terminating_words("; ", counts), reason.empty() ? "" : ": " + reason, reason.empty() ? "." : "");
}

// A number of an object; nullopt: it is not set.
std::optional<std::size_t> number_at(const json::value& object, std::string_view path) {
  const auto* value = api::find_at(object, path);
  if (!value || !value->is_int64()) return std::nullopt;
  return static_cast<std::size_t>(std::max<std::int64_t>(0, value->get_int64()));
}

bool has_condition(const json::value& workload, std::string_view type) {
  return std::ranges::any_of(list_at(workload, "/status/conditions"), [&](const json::value& condition) {
    return string_at(condition, "/type") == type && string_at(condition, "/status") == "True";
  });
}

// The controller of the Job leaves it to the one that it names.
std::string manager_of(const json::value& job) {
  const auto manager = string_at(job, "/spec/managedBy");
  return manager == "kubernetes.io/job-controller" ? std::string() : std::string(manager);
}

Replicas replicas_of_job(const json::value& job) {
  if (has_condition(job, "Complete")) return {.why_none = "it is complete"};
  if (has_condition(job, "Failed")) return {.why_none = "it has failed"};
  const auto* suspend = api::find_at(job, "/spec/suspend");
  if (suspend && *suspend == json::value(true)) return {.why_none = "it is suspended"};
  if (const auto manager = manager_of(job); !manager.empty())
    return {.why_none = fmt::format("{} manages it, not the Job controller", manager)};
  if (number_at(job, "/spec/parallelism") == 0U) return {.why_none = "its parallelism is 0"};
  return {.wanted = static_cast<std::size_t>(explain::pods_of_job(job))};
}

std::optional<Replicas> wanted_of(std::string_view kind, const json::value& workload) {
  if (kind == "Job") return replicas_of_job(workload);
  if (kind == "CronJob")
    return explain::is_suspended(workload, false) ? std::optional(Replicas{.why_none = "it is suspended"})
                                                  : std::nullopt;
  if (kind == "DaemonSet") {
    const auto wanted = number_at(workload, "/status/desiredNumberScheduled");
    if (!wanted) return std::nullopt;  // its controller has not counted the nodes
    return Replicas{.wanted = *wanted, .why_none = "it selects no node of the cluster"};
  }
  const auto makers = api::pod_makers();
  const auto maker = std::ranges::find(makers, kind, &api::PodMaker::kind);
  if (maker == makers.end() || !maker->is_scaled) return std::nullopt;
  return Replicas{.wanted = number_at(workload, "/spec/replicas").value_or(1),
                  .why_none = "it is scaled to 0 replicas"};
}

}  // namespace

std::optional<Replicas> replicas_of(std::string_view kind, const json::value& workload,
                                    const std::vector<json::value>& pods) {
  auto out = wanted_of(kind, workload);
  if (!out) return out;
  const auto counts = counts_of(pods);
  out->existing = counts.alive;
  out->placed = counts.placed;
  return out;
}

namespace {

// A handwritten dump may have no phase, or no conditions.
bool is_unready(const json::value& pod) {
  const auto phase = string_at(pod, "/status/phase");
  const auto conditions = list_at(pod, "/status/conditions");
  if (phase.empty() || phase == "Succeeded" || phase == "Failed") return false;
  if (phase == "Running" && conditions.empty()) return false;
  return std::ranges::none_of(conditions, [](const json::value& condition) {
    return string_at(condition, "/type") == "Ready" && string_at(condition, "/status") == "True";
  });
}

}  // namespace

std::string why_not_created(const json::value& workload, const std::vector<json::value>& pods,
                            bool has_waiting) {
  for (const auto& condition : list_at(workload, "/status/conditions")) {
    const auto type = string_at(condition, "/type"), status = string_at(condition, "/status");
    // A quota may also refuse the ReplicaSet of an update.
    const bool is_of_set = type == "Progressing" && status == "False" &&
                           string_at(condition, "/reason") == "ReplicaSetCreateError";
    if ((type == "ReplicaFailure" && status == "True") || is_of_set) return string_at(condition, "/message");
  }
  // A Deployment that is paused may still be scaled, but its controller creates no ReplicaSet.
  const auto* paused = api::find_at(workload, "/spec/paused");
  const bool has_none = api::find_at(workload, "/status/replicas") == nullptr;
  if (paused && *paused == json::value(true) && has_none) return "its rollout is paused.";
  // A handwritten dump may lack the default.
  const bool is_set = string_at(workload, "/kind") == "StatefulSet";
  const bool one_by_one = is_set && string_at(workload, "/spec/podManagementPolicy") != "Parallel";
  if (!one_by_one) return {};
  constexpr const char* kOneByOne = "each is created once the one before it is ready";
  if (has_waiting) return fmt::format("{}.", kOneByOne);
  const auto holds_up = std::ranges::find_if(
      pods, [](const json::value& pod) { return is_terminating(pod) || is_unready(pod); });
  if (holds_up == pods.end()) return {};
  return fmt::format("{}, and {} {}.", kOneByOne, string_at(*holds_up, "/metadata/name"),
                     is_terminating(*holds_up) ? "terminates" : "is not ready");
}

std::string workload_why(const std::string& workload, const std::vector<json::value>& pods,
                         const std::optional<Replicas>& replicas, const std::string& reason,
                         const std::vector<WaitingGroup>& groups, const Options& options) {
  const auto counts = counts_of(pods);
  const auto name = options.style.bold(workload);
  if (counts.alive == 0) return name + no_pods(counts, replicas, reason);
  std::size_t waiting = 0;
  for (const auto& group : groups) waiting += group.count;
  const auto missing = missing_of(replicas);
  if (waiting == 0 && missing > 0)
    return fmt::format("{}: {} of {} pods {} placed{}; {}{}\n", name, counts.alive, replicas->wanted,
                       counts.alive == 1 ? "is" : "are", terminating_words(", ", counts),
                       not_created(missing, reason), reason.empty() ? "." : "");
  // As many pods as replicas, but the update cannot create its own.
  const auto of_update =
      missing == 0 && !reason.empty() ? fmt::format("Pods of its update are not created: {}\n", reason) : "";
  if (waiting == 0)
    return fmt::format("{}: {} placed{}.\n", name,
                       counts.alive == 1 ? "its pod is" : fmt::format("all {} pods are", counts.alive),
                       terminating_words(", ", counts)) +
           of_update;
  const bool has_one_reason = groups.size() == 1;
  auto out = fmt::format("{}: {}{}{}.\n", name, states(counts, waiting),
                         has_one_reason && waiting > 1 ? ", all for the same reason" : "",
                         waits_for(groups, options));
  if (missing > 0)
    out += fmt::format("{} of {} pods exist; {}{}\n", counts.alive, replicas->wanted,
                       not_created(missing, reason), reason.empty() ? "." : "");
  out += of_update;
  const auto* report = has_one_reason && groups.front().report ? &*groups.front().report : nullptr;
  // In a dump, a pod that waits may fit.
  if (report && !report->status.preemption && report->status.outcome != "Fits" &&
      !report->status.rejections.empty())
    return out + one_reason(groups.front(), options);
  if (has_one_reason && !groups.front().would_go.empty())
    return out + fmt::format("{} now: {}.\n", waiting == 1 ? "It fits" : "They fit", groups.front().would_go);
  if (has_one_reason) return out + fmt::format("  {}\n", groups.front().blocked_by);
  return out + pending_rows(groups, options);
}

std::string workload_next(const std::string& subject, const std::string& ns,
                          const std::vector<json::value>& pods, const Options& options) {
  constexpr std::size_t kMostNodes = 5;
  std::map<std::string, std::size_t> counts;
  std::string first;
  for (const auto& pod : pods) {
    const auto node = string_at(pod, "/spec/nodeName"), phase = string_at(pod, "/status/phase");
    if (node.empty() || phase == "Succeeded" || phase == "Failed") continue;
    if (is_terminating(pod)) continue;
    ++counts[node];
    if (first.empty()) first = string_at(pod, "/metadata/name");
  }
  std::vector<std::string> nodes;
  for (const auto& [node, count] : counts) nodes.push_back(fmt::format("{} {}", node, count));
  auto out = nodes.empty() ? std::string() : fmt::format("Nodes: {}.\n", listed(nodes, kMostNodes));
  if (options.program.empty()) return out;
  const auto command = [&](std::string_view verb, const std::string& what) {
    return fmt::format("{} {} {} -n {}{}\n", options.program, verb, what, ns, options.flags);
  };
  if (!first.empty()) out += "Why is one of them there? " + command("why", first);
  return out + (first.empty() ? "Would they fit? " : "Would they fit again? ") + command("whatif", subject);
}

std::string fixes_in_line(const Report& report, const Options& options, const std::string& before) {
  constexpr std::size_t kMost = 3;
  const auto& answer = answer_of(report);
  if (explain::running(answer) >= answer.asked) return {};
  if (answer.fixes.empty()) return answer.no_fix_helps ? before + no_fix_words(answer) : std::string();
  std::vector<std::string> parts;
  const auto running = explain::running(answer);
  std::string of_quota;
  for (const auto& fix : answer.fixes) {
    if (parts.size() == kMost) break;
    const bool by_quota = !fix.quota.empty();
    const auto runs = by_quota ? std::min(fix.fitting, fix.quota_allows) : fix.fitting;
    const auto more = runs - std::min(runs, running);
    if (by_quota && more == 0) {
      of_quota = fix.quota;
      continue;
    }
    const auto all = runs >= answer.asked;
    parts.push_back(
        fmt::format("{} → {}{}", short_fix(fix),
                    all ? (answer.asked == 1 ? "it runs" : fmt::format("all {} run", answer.asked))
                        : fmt::format("{}{} more {}", fix.may_be_more && !by_quota ? "at least " : "", more,
                                      more == 1 ? "runs" : "run"),
                    by_quota ? fmt::format(", and quota {} allows no more", fix.quota) : ""));
  }
  if (parts.empty())
    return fmt::format("{}A change that makes room on nodes would not help: quota {} allows no more.\n",
                       before, of_quota);
  return wrapped(fmt::format("{}Would help: {}", before, fmt::join(parts, "; ")), options.columns);
}

}  // namespace podium::render
