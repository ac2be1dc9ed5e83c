#include "explain/workload/scale.h"

#include <algorithm>

#include "api/text/json_view.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

constexpr std::int64_t kMostScaled = 1'000'000'000;

std::string group_name(const std::string& api_version) {
  const auto slash = api_version.find('/');
  return slash == std::string::npos ? std::string() : api_version.substr(0, slash);
}

bool scales(const json::value& autoscaler, const json::value& workload, const std::string& ns) {
  const auto target = [&](const char* field) {
    return api::text_at(autoscaler, std::string("/spec/scaleTargetRef/") + field);
  };
  const auto of = api::text_at(autoscaler, "/metadata/namespace");
  return (of.empty() || of == ns) && target("kind") == api::text_at(workload, "/kind") &&
         target("name") == api::text_at(workload, "/metadata/name") &&
         group_name(target("apiVersion")) == group_name(api::text_at(workload, "/apiVersion"));
}

std::int32_t count_at(const json::value& autoscaler, const char* pointer, std::int32_t or_else) {
  const auto count = api::integer_at(autoscaler, pointer).value_or(or_else);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(count, 1, kMostScaled));
}

}  // namespace

std::int32_t Autoscaler::replicas(std::int32_t of_workload) const {
  return of_workload == 0 ? 0 : std::clamp(of_workload, least, most);
}

std::optional<Autoscaler> autoscaler_of(const json::value& workload, const std::string& ns,
                                        const std::vector<json::value>& autoscalers) {
  for (const auto& each : autoscalers) {
    if (!scales(each, workload, ns)) continue;
    const auto least = count_at(each, "/spec/minReplicas", 1);
    return Autoscaler{.name = api::text_at(each, "/metadata/name"),
                      .least = least,
                      .most = std::max(least, count_at(each, "/spec/maxReplicas", least))};
  }
  return std::nullopt;
}

bool has_no_replicas(const json::value& workload) {
  const bool is_job = api::text_at(workload, "/kind") == "Job";
  return api::integer_at(workload, is_job ? "/spec/parallelism" : "/spec/replicas") == 0;
}

bool is_suspended(const json::value& workload, bool is_new) {
  const bool is_paused = is_new && api::text_at(workload, "/kind") == "Deployment";
  return api::is_true_at(workload, is_paused ? "/spec/paused" : "/spec/suspend");
}

bool has_ended(const json::value& workload) {
  const auto* conditions = api::find_at(workload, "/status/conditions");
  if (api::text_at(workload, "/kind") != "Job" || !conditions || !conditions->is_array()) return false;
  return std::ranges::any_of(conditions->get_array(), [](const json::value& condition) {
    const auto type = api::text_at(condition, "/type");
    return (type == "Complete" || type == "Failed") && api::text_at(condition, "/status") == "True";
  });
}

std::string suspended_words(const json::value& workload) {
  return api::text_at(workload, "/kind") == "Deployment" ? "is paused" : "is suspended";
}

}  // namespace podium::explain
