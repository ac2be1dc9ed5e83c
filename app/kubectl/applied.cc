#include "app/kubectl/applied.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "api/admission/admission.h"
#include "api/decode/decode.h"
#include "api/text/json_view.h"
#include "app/kubectl/targets.h"
#include "app/render/text.h"
#include "explain/question/question_limits.h"
#include "explain/workload/scale.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

constexpr std::string_view kPriorityClass = "PriorityClass", kScaler = "HorizontalPodAutoscaler",
                           kNamespace = "Namespace";

// Null: the API server has no number of replicas for the kind, or sets another one.
const api::PodMaker* scaled_maker(const json::value& workload) {
  const auto* maker = api::pod_maker(api::text_at(workload, "/apiVersion"), api::text_at(workload, "/kind"));
  return maker && maker->is_scaled ? maker : nullptr;
}

// The engine counts pods.
bool is_pod(const api::PodMaker& maker) { return maker.pod_template.empty(); }

void count_object(const api::PodMaker& maker, std::vector<api::ResourceQuota>& quotas) {
  const auto name = api::object_count(maker.plural, maker.group);
  for (auto& quota : quotas) {
    if (!quota.scopes.empty() || !api::find_resource(quota.used, name)) continue;
    for (auto& [resource, used] : quota.used.write()) {
      if (resource == name) used = used + api::Quantity::from_units(1);
    }
  }
}

}  // namespace

void Applied::add(const std::vector<FileObject>& objects) {
  for (const auto& object : objects) {
    const auto kind = api::text_at(object.value, "/kind");
    if (kind == kPriorityClass || kind == kScaler || kind == kNamespace) objects_.push_back(object.value);
  }
}

api::PodAdmission Applied::admission() const {
  api::Manifests::List<api::PriorityClass> classes;
  const auto add = [&classes](const json::value& object) {
    if (auto read = api::decode_priority_class(object))
      classes.push_back(std::make_shared<const api::PriorityClass>(std::move(*read)));
  };
  if (const auto listed = cluster_.list(client::resource::priority_classes, "", {}))
    std::ranges::for_each(*listed, add);
  for (const auto& object : objects_) {
    if (api::text_at(object, "/kind") == kPriorityClass) add(object);
  }
  return api::PodAdmission(std::move(classes));
}

// The Job of the file with the status that it has in the cluster; nullopt: it is not a Job of the cluster.
std::optional<json::value> Applied::begun(const json::value& job, const std::string& ns) const {
  const auto* maker = api::pod_maker(api::text_at(job, "/apiVersion"), api::text_at(job, "/kind"));
  if (!maker || maker->kind != "Job") return std::nullopt;
  const auto stored = cluster_.get(resource_of(*maker), ns, api::text_at(job, "/metadata/name"));
  const auto* status = stored ? api::find_at(*stored, "/status") : nullptr;
  if (!status) return std::nullopt;
  auto out = job;
  out.as_object()["status"] = *status;
  return out;
}

bool Applied::has_ended(const json::value& workload, const std::string& ns) const {
  const auto job = begun(workload, ns);
  return job && explain::has_ended(*job);
}

// Pods of an existing Job that have ended are not created again.
std::string Applied::set_left(json::value& job, const std::string& ns) const {
  const auto known = begun(job, ns);
  if (!known) return {};
  const auto& begun = *known;
  auto unbegun = job;
  unbegun.as_object().erase("status");
  const auto left = explain::pods_of_job(begun);
  if (left <= 0 || left >= explain::pods_of_job(unbegun)) return {};
  job.as_object()["spec"].as_object()["parallelism"] = left;
  return fmt::format(
      "The Job exists and pods of it have ended: this is the answer for the {} that it needs at "
      "a time.\n",
      left);
}

std::string Applied::set_replicas(json::value& workload, const std::string& ns, bool is_new) const {
  if (!is_new && api::text_at(workload, "/kind") == "Job") return set_left(workload, ns);
  const auto* maker = scaled_maker(workload);
  if (!maker) return {};
  const auto given = api::integer_at(workload, "/spec/replicas");
  auto count = given.value_or(1);
  if (!given && !is_new) {
    if (const auto stored = cluster_.get(resource_of(*maker), ns, api::text_at(workload, "/metadata/name")))
      count = api::integer_at(*stored, "/spec/replicas").value_or(1);
  }
  if (count < 0 || count > explain::kMostReplicas) return {};
  const auto scaler = explain::autoscaler_of(workload, ns, autoscalers(ns));
  const auto scaled = scaler ? scaler->replicas(static_cast<std::int32_t>(count)) : count;
  if (scaled == given.value_or(1)) return {};
  workload.as_object()["spec"].as_object()["replicas"] = scaled;
  if (scaled == count)
    return fmt::format("The file has no replicas: this is the answer for the {} that it has now.\n", scaled);
  return fmt::format("HorizontalPodAutoscaler {} keeps {} to {} replicas: this is the answer for {}.\n",
                     render::printable(scaler->name), scaler->least, scaler->most, scaled);
}

// Those of the files precede those of the cluster.
const std::vector<json::value>& Applied::autoscalers(const std::string& ns) const {
  static const client::Resource kScalers{"autoscaling", "v2", "horizontalpodautoscalers"};
  const auto [found, is_new] = autoscalers_.try_emplace(ns);
  auto& out = found->second;
  if (!is_new) return out;
  for (const auto& object : objects_) {
    if (api::text_at(object, "/kind") == kScaler) out.push_back(object);
  }
  if (const auto listed = cluster_.list(kScalers, ns, {}))
    out.insert(out.end(), listed->begin(), listed->end());
  return out;
}

bool Applied::creates_namespace(const std::string& ns) const {
  return std::ranges::any_of(objects_, [&](const json::value& object) {
    return api::text_at(object, "/kind") == kNamespace && api::text_at(object, "/metadata/name") == ns;
  });
}

bool Applied::lacks_namespace(const std::string& ns) const {
  if (ns == "default" || ns == "kube-system") return false;  // each cluster has them
  const bool is_dump = !cluster_.hint_flags().empty();
  return is_dump && !creates_namespace(ns) && !no_namespace(cluster_, ns).empty();
}

std::vector<api::ResourceQuota>& ObjectQuotas::quotas_of(const std::string& ns) {
  static const client::Resource kQuotas{"", "v1", "resourcequotas"};
  const auto [known, is_new] = quotas_.try_emplace(ns);
  if (!is_new) return known->second;
  if (const auto listed = cluster_.list(kQuotas, ns, {})) {
    for (const auto& object : *listed) {
      if (auto quota = api::decode_resource_quota(object)) known->second.push_back(std::move(*quota));
    }
  }
  return known->second;
}

std::string ObjectQuotas::take(const FileObject& object, const std::string& ns) {
  const auto& maker = *object.maker;
  auto& quotas = quotas_of(ns);
  if (quotas.empty() || is_pod(maker)) return {};
  const auto name = api::text_at(object.value, "/metadata/name");
  if (!name.empty() && cluster_.get(resource_of(maker), ns, name)) return {};
  for (const auto& quota : quotas) {
    if (auto why = api::object_refusal(quota, maker.plural, maker.group); !why.empty()) return why;
  }
  count_object(maker, quotas);
  // Its controller creates one.
  if (maker.kind == "Deployment") count_object(*api::pod_maker("apps/v1", "ReplicaSet"), quotas);
  return {};
}

}  // namespace podium::kubectl
