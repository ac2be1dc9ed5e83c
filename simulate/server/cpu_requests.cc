#include "simulate/server/cpu_requests.h"

#include <algorithm>
#include <string>

namespace podium::simulate {
namespace {

constexpr std::string_view kPending = "PodResizePending";

std::int64_t milli(const json::value& object, std::string_view pointer) {
  const auto text = text_at(object, pointer);
  return text.empty() ? 0 : std::stoll(text);
}

std::int64_t cpu_in_use(const json::value& pod) {
  return milli(pod, "/status/containerStatuses/0/resources/requests/cpu");
}

const json::value* resize_pending(const json::value& pod) {
  const auto* conditions = find_at(pod, "/status/conditions");
  if (!conditions || !conditions->is_array()) return nullptr;
  const auto& all = conditions->get_array();
  const auto it =
      std::ranges::find_if(all, [](const json::value& one) { return text_at(one, "/type") == kPending; });
  return it == all.end() ? nullptr : &*it;
}

json::object& container_status(json::value& pod) {
  auto& statuses = pod.as_object()["status"].as_object()["containerStatuses"];
  if (!statuses.is_array()) statuses = json::array{{{"name", "main"}}};
  return statuses.get_array().front().as_object();
}

json::object cpu_list(std::int64_t cpu) { return {{"cpu", std::to_string(cpu) + "m"}}; }

}  // namespace

std::int64_t requested_cpu(const json::value& pod) {
  return milli(pod, "/spec/containers/0/resources/requests/cpu");
}

std::int64_t allocated_cpu(const json::value& pod) {
  return milli(pod, "/status/containerStatuses/0/allocatedResources/cpu");
}

std::int64_t granted_cpu(const json::value& pod) { return std::max(allocated_cpu(pod), cpu_in_use(pod)); }

std::int64_t counted_cpu(const json::value& pod) {
  if (text_at(pod, "/spec/nodeName").empty()) return requested_cpu(pod);
  const auto* pending = resize_pending(pod);
  const bool is_refused = pending && text_at(*pending, "/reason") == "Infeasible";
  return is_refused ? granted_cpu(pod) : std::max(requested_cpu(pod), granted_cpu(pod));
}

std::int64_t allocatable_cpu(const json::value& node) {
  return 1000 * std::stoll(text_at(node, "/status/allocatable/cpu"));
}

std::int64_t allocatable_pods(const json::value& node) {
  return std::stoll(text_at(node, "/status/allocatable/pods"));
}

void set_requested_cpu(json::value& pod, std::int64_t cpu) {
  auto& container = pod.as_object()["spec"].as_object()["containers"].as_array().front().as_object();
  container["resources"].as_object()["requests"] = cpu_list(cpu);
}

void set_allocated_cpu(json::value& pod, std::int64_t cpu) {
  container_status(pod)["allocatedResources"] = cpu_list(cpu);
}

void set_cpu_in_use(json::value& pod, std::int64_t cpu) {
  container_status(pod)["resources"] = json::object{{"requests", cpu_list(cpu)}};
}

void set_resize_pending(json::value& pod, std::string_view reason) {
  if (reason.empty() && !resize_pending(pod)) return;
  auto& conditions = pod.as_object()["status"].as_object()["conditions"];
  if (!conditions.is_array()) conditions = json::array();
  auto& all = conditions.get_array();
  const auto it =
      std::ranges::find_if(all, [](const json::value& one) { return text_at(one, "/type") == kPending; });
  if (it != all.end()) all.erase(it);
  if (!reason.empty()) all.push_back({{"type", kPending}, {"status", "True"}, {"reason", reason}});
}

}  // namespace podium::simulate
