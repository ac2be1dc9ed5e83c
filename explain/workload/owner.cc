#include "explain/workload/owner.h"

#include <chrono>
#include <string_view>

#include "api/decode/decode.h"
#include "api/values/decimal.h"
#include "api/values/meta.h"

namespace podium::explain {
namespace {

// The name before "-SUFFIX"; nullopt: it does not end so.
std::optional<std::string> without_suffix(std::string_view name, std::string_view suffix) {
  if (suffix.empty() || !name.ends_with(suffix)) return std::nullopt;
  name.remove_suffix(suffix.size());
  if (name.size() < 2 || !name.ends_with('-')) return std::nullopt;
  return std::string(name.substr(0, name.size() - 1));
}

// Whether this is the minute of a schedule whose pod was created then. A Job may start late, or be retried.
bool is_minute_before(std::string_view text, Wall created) {
  constexpr std::chrono::minutes kLate = std::chrono::days(7);
  const auto minute = api::whole_number(text);
  if (!minute) return false;
  const auto then = std::chrono::floor<std::chrono::minutes>(created.time_since_epoch());
  const std::chrono::minutes scheduled(*minute);
  return scheduled <= then && then - scheduled <= kLate;
}

}  // namespace

Owner workload_of(const api::ObjectMeta& pod, const OwnerAbove& above) {
  const auto* controller = pod.controller();
  if (!controller) return {};
  const Owner direct{controller->kind, controller->name};
  if (direct.kind != "ReplicaSet" && direct.kind != "Job") return direct;
  if (auto known = above ? above(direct) : std::nullopt) return std::move(*known);
  if (direct.kind == "ReplicaSet") {
    const auto* hash = pod.labels.find("pod-template-hash");
    auto name = hash ? without_suffix(direct.name, *hash) : std::nullopt;
    return name ? Owner{"Deployment", std::move(*name)} : direct;
  }
  const std::string_view job = direct.name;
  const auto minute = job.substr(job.rfind('-') + 1);
  if (!pod.created || !is_minute_before(minute, *pod.created)) return direct;
  auto name = without_suffix(job, minute);
  return name ? Owner{"CronJob", std::move(*name)} : direct;
}

Owners owners_of(const boost::json::value& object) {
  const auto meta = api::decode_meta(object);
  const auto* controller = meta ? meta->controller() : nullptr;
  return controller ? Owners{{controller->kind, controller->name}, workload_of(*meta)} : Owners();
}

}  // namespace podium::explain
