#include "api/decode/decode_workload.h"

#include <algorithm>

#include "api/decode/decode.h"
#include "api/decode/decode_parts.h"
#include "api/decode/decode_reader.h"
#include "api/values/decimal.h"

namespace podium::api {
namespace {

using detail::Field;

std::optional<LabelSelector> read_map_selector(Field field) {
  if (!field) return std::nullopt;
  LabelSelector selector;
  field.into(selector.match_labels);
  return selector;
}

std::optional<LabelSelector> read_selector(Field spec, Workload::Kind kind) {
  const auto selector = spec["selector"];
  switch (kind) {
    case Workload::Kind::service:
      return read_map_selector(selector);
    case Workload::Kind::replication_controller:
      // The API defaults an empty selector to the labels of the template.
      return read_map_selector(selector.size() > 0 ? selector : spec["template"]["metadata"]["labels"]);
    case Workload::Kind::replica_set:
    case Workload::Kind::stateful_set:
      break;
  }
  if (!selector) return std::nullopt;
  return detail::read_label_selector(selector);
}

// A number of pods, or a share of them: "50%". nullopt: neither.
std::optional<PodDisruptionBudget::Amount> read_amount(Field field) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const auto text = field.json();
  const auto share = percentage(text), number = share ? share : whole_number(text);
  if (!number) return std::nullopt;
  return PodDisruptionBudget::Amount{.value = std::clamp<std::int64_t>(*number, 0, share ? 100 : kMost),
                                     .is_percent = share.has_value()};
}

}  // namespace

Result<Workload> decode_workload(const boost::json::value& value, Workload::Kind kind) {
  detail::Reader reader(value);
  const auto root = reader.root();
  Workload workload;
  workload.meta = detail::read_meta(root["metadata"], detail::Annotations::left_out);
  workload.kind = kind;
  workload.selector = read_selector(root["spec"], kind);
  return reader.finish(std::move(workload));
}

Result<PriorityClass> decode_priority_class(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  PriorityClass priority_class;
  priority_class.meta = detail::read_meta(root["metadata"], detail::Annotations::left_out);
  root["value"].into(priority_class.value);
  root["globalDefault"].into(priority_class.global_default);
  if (const auto policy = root["preemptionPolicy"]) priority_class.preempt_never = policy.text() == "Never";
  return reader.finish(std::move(priority_class));
}

Result<PodDisruptionBudget> decode_pod_disruption_budget(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  PodDisruptionBudget budget;
  budget.meta = detail::read_meta(root["metadata"], detail::Annotations::left_out);
  if (const auto selector = root["spec"]["selector"]) budget.selector = detail::read_label_selector(selector);
  if (const auto policy = root["spec"]["unhealthyPodEvictionPolicy"])
    budget.evicts_unhealthy = policy.text() == "AlwaysAllow";
  budget.min_available = read_amount(root["spec"]["minAvailable"]);
  budget.max_unavailable = read_amount(root["spec"]["maxUnavailable"]);
  const auto status = root["status"];
  budget.is_counted = static_cast<bool>(status["disruptionsAllowed"]);
  status["disruptionsAllowed"].into(budget.disruptions_allowed);
  status["currentHealthy"].into(budget.current_healthy);
  status["desiredHealthy"].into(budget.desired_healthy);
  status["disruptedPods"].members(
      [&](std::string_view name, Field) { budget.disrupted_pods.emplace_back(name); });
  return reader.finish(std::move(budget));
}

Result<LimitRange> decode_limit_range(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  LimitRange range;
  range.meta = detail::read_meta(root["metadata"], detail::Annotations::left_out);
  root["spec"]["limits"].list(range.items, [](Field field) {
    LimitRange::Item item;
    field["type"].into(item.type);
    field["min"].into(item.min);
    field["max"].into(item.max);
    field["default"].into(item.limits);
    field["defaultRequest"].into(item.requests);
    field["maxLimitRequestRatio"].into(item.max_ratio);
    return item;
  });
  return reader.finish(std::move(range));
}

Result<RuntimeClass> decode_runtime_class(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  RuntimeClass made;
  made.meta = detail::read_meta(root["metadata"], detail::Annotations::left_out);
  if (const auto overhead = root["overhead"]) overhead["podFixed"].into(made.overhead.emplace());
  root["scheduling"]["nodeSelector"].into(made.node_selector);
  root["scheduling"]["tolerations"].list(made.tolerations, detail::read_toleration);
  return reader.finish(std::move(made));
}

}  // namespace podium::api
