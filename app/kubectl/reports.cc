#include "app/kubectl/reports.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/decode/decode.h"
#include "api/text/json_view.h"
#include "api/values/static_pod.h"
#include "app/kubectl/manifest.h"
#include "app/kubectl/named_nodes.h"
#include "app/render/pending.h"
#include "app/render/report.h"
#include "app/render/text.h"
#include "app/render/why.h"
#include "controller/report/report_requests.h"
#include "explain/answer/notes.h"
#include "explain/report/report_labels.h"
#include "explain/workload/pod_end.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

bool is_about(const json::value& object, const std::string& pod, const std::string& uid) {
  const auto report = render::read_report(object);
  return !report.is_question && report.pod == pod && (uid.empty() || report.pod_uid == uid);
}

// The names that the report may have if the pod's name was taken. Without a UID: the matching names in the
// namespace, from the reports' metadata, which is a tenth of their size.
Result<std::vector<std::string>> other_names(Cluster& cluster, const std::string& ns, const std::string& pod,
                                             const std::string& uid) {
  if (!uid.empty()) return std::vector{controller::suffixed(pod, uid)};
  client::ListOptions decisions;
  decisions.label_selector = explain::decisions_selector();
  decisions.metadata_only = true;
  const auto listed = cluster.list(client::resource::scheduling_reports, ns, decisions);
  if (!listed) return std::unexpected(listed.error());
  const auto like = controller::suffixed(pod, "");
  const auto stem = like.substr(0, like.rfind('-') + 1);
  std::vector<std::string> names;
  for (const auto& object : *listed) {
    auto name = api::text_at(object, "/metadata/name");
    if (name.size() == like.size() && name.starts_with(stem)) names.push_back(std::move(name));
  }
  return names;
}

// Both may be cut.
bool says_the_same(std::string_view condition, std::string_view report) {
  return condition.starts_with(report) || report.starts_with(condition);
}

}  // namespace

Result<std::optional<json::value>> find_report(Cluster& cluster, const std::string& ns,
                                               const std::string& pod, const std::string& uid) {
  const auto& reports = client::resource::scheduling_reports;
  auto named = cluster.get(reports, ns, pod);
  if (named && is_about(*named, pod, uid)) return std::optional<json::value>(std::move(*named));
  if (!named && !client::object_is_gone(named.error())) return std::unexpected(std::move(named.error()));
  // A question or an earlier pod of that name has taken the name.
  const auto names = other_names(cluster, ns, pod, uid);
  if (!names) return std::unexpected(names.error());
  for (const auto& name : *names) {
    auto other = cluster.get(reports, ns, name);
    if (other && is_about(*other, pod, uid)) return std::optional<json::value>(std::move(*other));
    if (!other && !client::object_is_gone(other.error())) return std::unexpected(std::move(other.error()));
  }
  return std::optional<json::value>();
}

NewestDecision newest_decision(Cluster& cluster, const json::value& pod, json::value report) {
  const auto waiting = render::read_waiting_pod(pod);
  const auto read = render::read_report(report);
  const bool has_failed =
      read.status.outcome == explain::kUnschedulable || read.status.outcome == explain::kFailed;
  if (!waiting || !waiting->gates.empty() || waiting->message.empty() || !has_failed ||
      says_the_same(waiting->message, read.status.message))
    return {std::move(report), {}};
  auto remembered = cluster.remembered(waiting->ns, waiting->name, waiting->uid);
  if (!remembered || !*remembered) return {std::move(report), waiting->message};
  const bool is_newer = render::read_report(**remembered).status.decided_at > read.status.decided_at;
  return {is_newer ? std::move(**remembered) : std::move(report), {}};
}

std::string end_of_pod(const json::value& pod) { return render::printable(explain::end_of_pod(pod)); }

std::string said_by_pod(const json::value& pod, const std::string& ns, const std::string& name,
                        const std::string& program, const std::string& hint_flags) {
  const auto subject = ns + "/" + name;
  if (const auto waiting = render::read_waiting_pod(pod); waiting && !waiting->gates.empty()) {
    const render::Options options{.program = program, .flags = hint_flags};
    return render::gated(subject, waiting->gates) +
           render::without_gates(waiting->gates.size(), ns, name, options);
  }
  const auto node = render::printable(api::text_at(pod, "/spec/nodeName"));
  if (const auto end = end_of_pod(pod); !end.empty())
    return fmt::format("{} {}; {}.\n", subject, node.empty() ? "never had a node" : "was on " + node, end);
  const auto decoded = api::decode_pod(pod);
  if (node.empty() || !decoded || !api::is_static(*decoded)) return {};
  return fmt::format(
      "{} is a static pod of {}: its kubelet runs it there, and no scheduler decides about it.\n", subject,
      node);
}

std::string said_by_node(Cluster& cluster, const json::value& pod, const std::string& ns,
                         const std::string& name) {
  const auto node = api::text_at(pod, "/spec/nodeName");
  const auto decoded = api::decode_pod(pod);
  if (node.empty() || !decoded) return {};
  const auto missing = missing_nodes({node}, cluster).lines;
  // The API server sets the condition when a scheduler binds the pod, and the kubelet of the node soon after.
  const bool was_given = decoded->phase == "Pending" && !decoded->condition("PodScheduled");
  if (missing.empty() && !was_given) return {};
  auto out =
      fmt::format("{}/{} {} {}{}.\n", ns, name, was_given ? "was created with spec.nodeName" : "was on",
                  render::printable(node), was_given ? ": no scheduler has decided about it" : "");
  for (const auto& line : missing)
    out += fmt::format("{}{} The garbage collector of pods deletes it.\n", render::capitalized(line),
                       line.ends_with('?') ? "" : ".");
  return out;
}

std::string limit_range_line(const json::value& pod, const render::Report& report) {
  const auto meta = api::decode_meta(pod);
  if (!meta) return {};
  const auto note = explain::limit_range_note(*meta, report.status.rejections);
  return note.empty() ? "" : fmt::format("Note: {}\n", render::printable(note));
}

std::string said_by_scheduler(const json::value& pod, const std::string& ns, const std::string& name) {
  const auto waiting = render::read_waiting_pod(pod);
  if (!waiting || waiting->message.empty()) return {};
  const auto nominated = waiting->nominated.empty()
                             ? std::string()
                             : fmt::format("It is nominated to {}.\n", render::printable(waiting->nominated));
  return fmt::format("{}/{} is pending. podium has no report of this pod. Scheduler \"{}\" says: {}\n{}", ns,
                     name, render::printable(waiting->scheduler), render::printable(waiting->message),
                     nominated);
}

std::string no_report(const std::optional<json::value>& pod, const std::string& ns, const std::string& name,
                      const std::string& program, const std::string& hint_flags) {
  if (!pod)
    return fmt::format("There is no pod {0}/{1}, and podium has no report of such a pod.\n", ns, name);
  const auto subject = ns + "/" + name;
  const auto waiting = render::read_waiting_pod(*pod);
  const auto scheduler = render::printable(api::text_at(*pod, "/spec/schedulerName"));
  const render::Options options{.program = program, .flags = hint_flags};
  const auto ask = render::where_now(ns, name, options);
  if (auto said = said_by_pod(*pod, ns, name, program, hint_flags); !said.empty()) return said;
  if (!waiting) {
    const auto node = render::printable(api::text_at(*pod, "/spec/nodeName"));
    if (!hint_flags.empty() && api::find_at(*pod, "/metadata/deletionTimestamp"))
      return fmt::format("{} is on {}, and terminates. A dump does not say why.\n", subject, node);
    if (!hint_flags.empty())
      return fmt::format("{} is on {}. A dump does not say why.\n{}", subject, node, ask);
    return fmt::format(
        "{} is on {}. podium has no report of this pod. Its scheduler is \"{}\". If that is podium, "
        "the report has expired, was deleted or was evicted for newer ones, "
        "or reports of such pods are switched off.\n{}",
        subject, node, scheduler, ask);
  }
  if (waiting->message.empty()) {
    return fmt::format("{} is pending, and no scheduler has tried it yet: is there one named \"{}\"?\n{}",
                       subject, scheduler, ask);
  }
  return said_by_scheduler(*pod, ns, name) + ask;
}

}  // namespace podium::kubectl
