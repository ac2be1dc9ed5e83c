#include "app/kubectl/ask_namespace.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <functional>
#include <optional>
#include <tuple>

#include "api/text/json_view.h"
#include "api/values/quantity.h"
#include "app/kubectl/command_output.h"
#include "app/kubectl/manifest.h"
#include "app/kubectl/question_spec.h"
#include "app/kubectl/targets.h"
#include "app/kubectl/waiting_pods.h"
#include "app/render/namespace_capacity.h"
#include "app/render/pending.h"
#include "app/render/report.h"
#include "app/render/what_if.h"
#include "app/render/workload.h"
#include "base/ascii.h"
#include "explain/question/question_limits.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostWorkloads = 16;  // each is a question

// A pod of the API server's rules: what is not overcommitted needs a limit too.
Result<json::object> pod_with(const std::string& requests) {
  json::object asks, limits;
  for (const auto pair : split(requests, ",")) {
    const auto equals = pair.find('=');
    const auto amount = equals == pair.npos ? Result<api::Quantity>(invalid(""))
                                            : api::Quantity::parse(pair.substr(equals + 1));
    if (equals == 0 || !amount || amount->is_negative())
      return invalid(
          fmt::format("--requests: \"{}\" is not RESOURCE=AMOUNT, such as cpu=500m,memory=1Gi", pair));
    const auto name = pair.substr(0, equals);
    if (asks.contains(name))
      return invalid(fmt::format("--requests: \"{}\": {} is given twice", requests, name));
    asks[name] = pair.substr(equals + 1);
    if (name.find('/') != name.npos || name.starts_with("hugepages-")) limits[name] = asks[name];
  }
  json::object container{
      {"name", "pod"},
      {"image", "none"},
      {"resources", json::object{{"requests", std::move(asks)}, {"limits", std::move(limits)}}}};
  json::array containers;
  containers.push_back(std::move(container));
  return json::object{{"spec", json::object{{"containers", std::move(containers)}}}};
}

struct AskedNamespace {
  std::string name;
  json::object spec;
  std::optional<render::Replicas> replicas = {};
  bool is_about_more = false;
  std::size_t own_waiting = 0;
};

// Whether the pod is one of those that wait for a node in an answer.
bool waits(const json::value& pod) {
  const auto waiting = render::read_waiting_pod(pod);
  return waiting && waiting->gates.empty() && api::text_at(pod, "/status/nominatedNodeName").empty();
}

// The next pod of a workload. Pods that exist stay where they are: they may be on nodes that would not take
// them now. nullopt: it is not known without its claims, or the question would be too large.
std::optional<json::value> next_pod(const json::value& workload, const std::vector<json::value>& own,
                                    const std::string& ns) {
  if (api::find_at(workload, "/spec/volumeClaimTemplates")) return std::nullopt;
  const auto pod = pod_of(workload, ns);
  if (!pod) return std::nullopt;
  auto next = template_of(*pod, *pod);
  // The ReplicaSet's label, which rules may use to select one revision.
  const auto created = [](const json::value& each) {
    return api::text_at(each, "/metadata/creationTimestamp");
  };
  if (const auto newest = std::ranges::max_element(own, {}, created); newest != own.end()) {
    auto& labels = next.at("metadata").as_object()["labels"];
    if (!labels.is_object()) labels.emplace_object();
    if (auto hash = api::text_at(*newest, "/metadata/labels/pod-template-hash"); !hash.empty())
      labels.get_object()["pod-template-hash"] = std::move(hash);
  }
  if (json::serialize(next).size() > explain::kTemplateBytes) return std::nullopt;
  return next;
}

AskedNamespace asked_of(const api::PodMaker& maker, const json::value& workload,
                        const std::vector<json::value>& own, const std::string& ns) {
  const auto name = api::text_at(workload, "/metadata/name");
  const auto replicas = *render::replicas_of(maker.kind, workload, own);
  AskedNamespace out{.name = fmt::format("{}/{}", maker.short_name, name),
                     .spec = {{"dryRun", true}, {"room", true}},
                     .replicas = replicas};
  if (auto next = next_pod(workload, own, ns)) {
    out.is_about_more = true;
    out.own_waiting = static_cast<std::size_t>(std::ranges::count_if(own, waits));
    out.spec["template"] = std::move(*next);
    return out;
  }
  out.spec["workloadRef"] = {{"kind", maker.kind}, {"name", name}};
  // A workload that is scaled down is asked about its first pod.
  if (replicas.wanted == 0) out.spec["replicas"] = 1;
  return out;
}

// The workloads of the namespace, those with the most replicas first.
Result<std::vector<AskedNamespace>> workloads_of(Cluster& cluster) {
  const auto pods = pods_by_workload(cluster, cluster.ns());
  if (!pods) return std::unexpected(pods.error());
  std::vector<AskedNamespace> out;
  static const std::vector<json::value> kNone;
  for (const auto& maker : api::pod_makers()) {
    if (maker.kind != "Deployment" && maker.kind != "StatefulSet") continue;
    const auto listed = cluster.list(resource_of(maker), cluster.ns(), {});
    if (!listed) return std::unexpected(listed.error());
    for (auto object : *listed) {
      object.as_object()["kind"] = maker.kind;
      const auto own = pods->find(fmt::format("{}/{}", maker.kind, api::text_at(object, "/metadata/name")));
      out.push_back(asked_of(maker, object, own == pods->end() ? kNone : own->second, cluster.ns()));
    }
  }
  std::ranges::stable_sort(out, std::ranges::greater(),
                           [](const AskedNamespace& each) { return each.replicas->wanted; });
  return out;
}

Result<std::vector<AskedNamespace>> questions(const std::vector<RequestedPod>& pods, Cluster& cluster) {
  std::vector<AskedNamespace> out;
  for (const auto& [name, pod] : pods)
    out.push_back({.name = name, .spec = {{"dryRun", true}, {"template", pod}, {"room", true}}});
  if (!pods.empty()) return out;
  return workloads_of(cluster);
}

}  // namespace

std::vector<RequestedPod> requested_pods(const std::vector<std::string>& requests, Problems& problems) {
  std::vector<RequestedPod> out;
  for (const auto& each : requests) {
    if (auto pod = problems.value_of(pod_with(each))) out.push_back({each, std::move(*pod)});
  }
  return out;
}

int ask_namespace(const CLI::App& command, const Output& output, const std::vector<RequestedPod>& pods,
                  const std::string& profile, Cluster& cluster) {
  if (const auto missing = no_namespace(cluster, cluster.ns()); !missing.empty())
    return print({.err = missing, .code = 1});
  auto asked = questions(pods, cluster);
  if (!asked) return fail_with(command, asked.error());
  render::NamespaceCapacity capacity{.ns = cluster.ns(), .workloads_total = asked->size()};
  if (asked->size() > kMostWorkloads) asked->resize(kMostWorkloads);
  std::vector<json::value> reports;
  std::vector<std::string> names;
  for (auto& [name, spec, replicas, is_about_more, own_waiting] : *asked) {
    if (cluster.interrupted()) break;
    if (!profile.empty()) spec["profile"] = profile;
    auto answered = cluster.ask(cluster.ns(), std::move(spec), false);
    if (!answered) return fail_with(command, answered.error());
    auto report = render::read_report(*answered);
    if (const auto* refusal = explain::refusal_of(report)) {
      if (const auto error = flags_error(report.status.findings, 0)) return fail_with(command, *error);
      if (!replicas)
        return fail_with(command, invalid(fmt::format("--requests: \"{}\": {}", name, *refusal)).error());
    }
    capacity.rooms.push_back({name, replicas, std::move(report), is_about_more, own_waiting});
    names.push_back(name);
    reports.push_back(std::move(*answered));
  }
  // A user who may not list quotas sees those that count the pods.
  static const client::Resource kQuotas("", "v1", "resourcequotas");
  if (auto quotas = cluster.list(kQuotas, cluster.ns(), {})) capacity.quotas = std::move(*quotas);
  const auto printed = print(answered(command, output, as_list(std::move(reports)), names, [&] {
    return render::namespace_capacity_table(capacity, render_options(output, program_of(command)));
  }));
  return printed ? printed : render::namespace_capacity_exit_code(capacity);
}

}  // namespace podium::kubectl
