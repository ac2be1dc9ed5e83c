#include "explain/workload/rolling_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/text/json_view.h"
#include "api/values/decimal.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

constexpr std::int64_t kMost = 1'000'000'000;
constexpr RollingUpdate::Bound kNone{.number = 0, .is_percent = false},
    kOne{.number = 1, .is_percent = false};

RollingUpdate::Bound bound_at(const json::value& workload, std::string_view pointer,
                              RollingUpdate::Bound or_else = {}) {
  const auto* found = api::find_at(workload, pointer);
  if (!found) return or_else;
  if (found->is_int64()) {
    return {.number = static_cast<std::int32_t>(std::clamp<std::int64_t>(found->get_int64(), 0, kMost)),
            .is_percent = false};
  }
  const auto* text = found->if_string();
  const auto share = text ? api::percentage(std::string_view(*text)) : std::nullopt;
  if (!share || *share < 0 || !std::in_range<std::int32_t>(*share)) return {};
  return {.number = static_cast<std::int32_t>(*share), .is_percent = true};
}

constexpr std::string_view kPartition = "/spec/updateStrategy/rollingUpdate/partition";

// Returns 0 if the field is absent or invalid.
std::int64_t count_at(const json::value& workload, std::string_view pointer) {
  return std::clamp<std::int64_t>(api::integer_at(workload, pointer).value_or(0), 0, kMost);
}

std::int32_t amount(const RollingUpdate::Bound& bound, std::int32_t replicas, bool rounds_up) {
  if (!bound.is_percent) return bound.number;
  const auto hundredths = std::int64_t{bound.number} * replicas + (rounds_up ? 99 : 0);
  return static_cast<std::int32_t>(std::min(hundredths / 100, kMost));
}

}  // namespace

RollingUpdate::Steps RollingUpdate::steps(std::int32_t replicas) const {
  Steps steps{.surge = amount(max_surge, replicas, true),
              .unavailable = std::min(amount(max_unavailable, replicas, rounds_up), replicas)};
  // With neither, the controller could not begin.
  if (steps.surge == 0 && steps.unavailable == 0) steps.unavailable = 1;
  return steps;
}

std::optional<RollingUpdate> read_rolling_update(const json::value& deployment) {
  if (api::text_at(deployment, "/spec/strategy/type") == "Recreate") return std::nullopt;
  return RollingUpdate{
      .max_surge = bound_at(deployment, "/spec/strategy/rollingUpdate/maxSurge"),
      .max_unavailable = bound_at(deployment, "/spec/strategy/rollingUpdate/maxUnavailable")};
}

std::optional<RollingUpdate> read_daemon_update(const json::value& daemon_set) {
  if (api::text_at(daemon_set, "/spec/updateStrategy/type") == "OnDelete") return std::nullopt;
  return RollingUpdate{
      .max_surge = bound_at(daemon_set, "/spec/updateStrategy/rollingUpdate/maxSurge", kNone),
      .max_unavailable = bound_at(daemon_set, "/spec/updateStrategy/rollingUpdate/maxUnavailable", kOne),
      .rounds_up = true};
}

std::optional<RollingUpdate> read_stateful_update(const json::value& stateful_set) {
  if (api::text_at(stateful_set, "/spec/updateStrategy/type") == "OnDelete") return std::nullopt;
  return RollingUpdate{
      .max_surge = kNone,
      .max_unavailable = bound_at(stateful_set, "/spec/updateStrategy/rollingUpdate/maxUnavailable", kOne),
      .partition = static_cast<std::int32_t>(count_at(stateful_set, kPartition))};
}

std::string kept_template(const json::value& workload) {
  const auto kind = api::text_at(workload, "/kind");
  if (kind == "ReplicaSet" || kind == "ReplicationController")
    return fmt::format("a {} does not replace its pods: they keep their template", kind);
  if (kind == "Deployment" && api::is_true_at(workload, "/spec/paused"))
    return "the Deployment is paused: until it is resumed, its pods keep their template, "
           "and new ones get that too";
  if (kind != "StatefulSet" && kind != "DaemonSet") return {};
  if (api::text_at(workload, "/spec/updateStrategy/type") == "OnDelete")
    return "the updateStrategy is OnDelete: a pod keeps its template until it is deleted";
  const auto partition = count_at(workload, kPartition);
  if (kind == "DaemonSet" || partition == 0) return {};
  // The controller counts from the first ordinal.
  const auto first = count_at(workload, "/spec/ordinals/start");
  return fmt::format("the partition is {}: pods with {} keep their template", partition,
                     first == 0 ? "a lower ordinal" : fmt::format("an ordinal below {}", first + partition));
}

}  // namespace podium::explain
