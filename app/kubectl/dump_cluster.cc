#include "app/kubectl/dump_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "api/decode/dump_kinds.h"
#include "api/decode/pod_makers.h"
#include "api/text/json_view.h"
#include "api/validate/selector_text.h"
#include "app/kubectl/connection_flags.h"
#include "app/kubectl/question_spec.h"
#include "app/kubectl/targets.h"
#include "app/offline/dump.h"
#include "app/offline/quota_status.h"
#include "app/render/pending.h"
#include "app/render/text.h"
#include "base/check.h"
#include "explain/report/json.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

std::string_view kind_of(const client::Resource& resource) {
  for (const auto& maker : api::pod_makers()) {
    if (maker.plural == resource.plural && maker.group == resource.group) return maker.kind;
  }
  for (const auto& kind : api::dump_kinds()) {
    if (kind.plural == resource.plural && kind.group == resource.group) return kind.kind;
  }
  // podium dump has none; a dump that a user has made may have them.
  if (resource.plural == "events" && resource.group.empty()) return "Event";
  return {};
}

// "spec.nodeName=,status.phase=Pending", with equality only; an absent field is empty.
bool matches(const json::value& object, std::string_view selector) {
  while (!selector.empty()) {
    const auto part = selector.substr(0, selector.find(','));
    selector.remove_prefix(std::min(selector.size(), part.size() + 1));
    const auto equals = part.find('=');
    auto path = "/" + std::string(part.substr(0, equals));
    std::ranges::replace(path, '.', '/');
    if (equals == part.npos || api::text_at(object, path) != part.substr(equals + 1)) return false;
  }
  return true;
}

bool is_in(const json::value& object, const std::string& ns) {
  return ns.empty() || api::text_at(object, "/metadata/namespace") == ns;
}

// With the usage that the dump's objects have, if no controller has counted it.
json::value with_status(json::value object, const std::vector<api::ResourceQuota>& quotas) {
  const auto found = std::ranges::find_if(quotas, [&](const api::ResourceQuota& quota) {
    return quota.meta.name == api::text_at(object, "/metadata/name") && is_in(object, quota.meta.namespace_);
  });
  if (found == quotas.end() || api::find_at(object, "/status/used")) return object;
  object.as_object()["status"] = offline::status_of(*found);
  return object;
}

// A dump may be of anybody.
void warn(std::string_view text) { std::cerr << "warning: " << render::printable(text) << '\n'; }

Error forbidden(std::string_view object, std::string_view why) {
  return {.kind = Error::Kind::status,
          .message = fmt::format("the API server refuses {}: {}", object, why),
          .status = {.code = 403, .reason = "Forbidden"}};
}

Error not_found(const client::Resource& resource, const std::string& name) {
  return {.kind = Error::Kind::status,
          .message = fmt::format("--cluster has no {} \"{}\"", resource.plural, name),
          .status = {.code = 404, .reason = "NotFound"}};
}

}  // namespace

Result<std::unique_ptr<Cluster>> DumpCluster::open(const ConnectionFlags& connection) {
  const auto& flags_of_server = connection.config_flags;
  const bool names_server = !connection.kubeconfig.empty() || !flags_of_server.context.empty() ||
                            !flags_of_server.user.empty() || !flags_of_server.server.empty() ||
                            !flags_of_server.token.empty() || !flags_of_server.impersonate.user.empty();
  if (names_server)
    return invalid(
        "--cluster: reads files; it cannot be combined with --context, --kubeconfig, --user, --server, "
        "--token or --as. For a cluster of the kubeconfig use --context");
  const auto ns = connection.ns.empty() ? std::string("default") : connection.ns;
  const auto timeout = parse_timeout(connection.request_timeout);
  if (!timeout) return std::unexpected(timeout.error());
  auto dump = offline::Dump::read(
      {.cluster = connection.dump, .config = connection.config, .ns = ns, .timeout = *timeout});
  if (!dump) return std::unexpected(dump.error());
  for (const auto& warning : dump->warnings()) warn(warning);
  std::string flags;
  for (const auto& file : connection.dump) flags += " --cluster " + file;
  if (!connection.config.empty()) flags += " --config " + connection.config;
  return std::make_unique<DumpCluster>(std::move(*dump), ns, std::move(flags));
}

DumpCluster::DumpCluster(offline::Dump dump, std::string ns, std::string hint_flags)
    : dump_(std::make_unique<const offline::Dump>(std::move(dump))),
      ns_(std::move(ns)),
      hint_flags_(std::move(hint_flags)) {}

DumpCluster::~DumpCluster() = default;

Result<json::value> DumpCluster::get(const client::Resource& resource, const std::string& ns,
                                     const std::string& name) {
  if (const auto* object = dump_->find(resource.group, kind_of(resource), ns, name)) return *object;
  // If a dump lacks this kind, the namespace may still exist.
  if (resource.plural == "namespaces" && dump_->objects("", "Namespace").empty()) return json::object();
  return std::unexpected(not_found(resource, name));
}

Result<std::vector<json::value>> DumpCluster::list(const client::Resource& resource, const std::string& ns,
                                                   const client::ListOptions& options) {
  const auto labels = api::parse_selector(options.label_selector);
  if (!labels) return std::unexpected(labels.error());
  std::vector<json::value> out;
  for (const auto& object : dump_->objects(resource.group, kind_of(resource))) {
    if (is_in(object, ns) && matches(object, options.field_selector) &&
        labels->matches(api::labels_of(object)))
      out.push_back(resource.plural == "resourcequotas" ? with_status(object, dump_->quotas()) : object);
  }
  return out;
}

// The engine admits the pod as the API server would.
AdmittedPod DumpCluster::dry_run_pod(const std::string& ns, const json::value& pod) {
  if (auto why = terminating(ns); !why.empty())
    return {.pod = std::unexpected(forbidden("such a pod", why)), .refused = true};
  return {.pod = pod};
}

std::string DumpCluster::terminating(const std::string& ns) {
  const auto found = get(client::resource::namespaces, "", ns);
  if (!found || api::text_at(*found, "/metadata/deletionTimestamp").empty()) return {};
  return fmt::format("unable to create new content in namespace {} because it is being terminated", ns);
}

Result<bool> DumpCluster::dry_run(const std::string& ns, const json::value& object) {
  const auto* maker = api::pod_maker(api::text_at(object, "/apiVersion"), api::text_at(object, "/kind"));
  const auto name = api::text_at(object, "/metadata/name");
  if (!maker || get(resource_of(*maker), ns, name)) return maker != nullptr;
  auto why = terminating(ns);
  for (const auto& quota : dump_->quotas()) {
    if (why.empty() && quota.meta.namespace_ == ns)
      why = api::object_refusal(quota, maker->plural, maker->group);
  }
  if (why.empty()) return false;
  return std::unexpected(forbidden(fmt::format("{} {}", maker->kind, name), why));
}

json::value DumpCluster::answered(const std::string& ns, const std::string& name, json::object spec) {
  api::ObjectMeta meta;
  meta.namespace_ = ns;
  meta.name = meta.uid = name;
  meta.generation = 1;
  const auto answer = dump_->answer(meta, spec);
  for (const auto& line : answer.missing) {
    if (said_.insert(line).second) warn(line);
  }
  auto report = question_object(ns, name, std::move(spec), true);
  auto& object = report.as_object();
  auto& metadata = object["metadata"].as_object();
  metadata["uid"] = meta.uid;
  metadata["generation"] = meta.generation;
  object["status"] = explain::to_json(answer.status);
  return report;
}

Result<json::value> DumpCluster::ask(const std::string& ns, json::object spec, bool keep) {
  PODIUM_CHECK(!keep, ns);  // refused before
  return answered(ns, "whatif", std::move(spec));
}

Result<std::optional<json::value>> DumpCluster::decide(const json::value& pod) {
  const auto waiting = render::read_waiting_pod(pod);
  if (!waiting || !waiting->gates.empty()) return std::nullopt;
  json::object about{{"name", api::text_at(pod, "/metadata/name")}};
  if (auto uid = api::text_at(pod, "/metadata/uid"); !uid.empty()) about["uid"] = std::move(uid);
  return std::optional(answered(api::text_at(pod, "/metadata/namespace"), api::text_at(pod, "/metadata/name"),
                                {{"dryRun", true}, {"podRef", std::move(about)}}));
}

Result<std::optional<json::value>> DumpCluster::decision(const std::string& ns, const std::string& pod,
                                                         const std::string&) {
  const auto found = get(client::resource::pods, ns, pod);
  if (!found) return std::nullopt;
  return decide(*found);
}

Result<std::vector<json::value>> DumpCluster::unplaced_decisions(const std::string& ns) {
  std::vector<json::value> out;
  for (const auto& pod : dump_->objects("", "Pod")) {
    if (!is_in(pod, ns)) continue;
    auto report = decide(pod);
    if (!report) return std::unexpected(report.error());
    if (*report) out.push_back(std::move(**report));
  }
  return out;
}

}  // namespace podium::kubectl
