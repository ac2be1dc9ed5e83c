#include "scheduler/cluster/pod_info.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "api/values/node.h"
#include "base/text_hash.h"
#include "scheduler/cluster/pod_class.h"
#include "scheduler/cluster/pod_requests.h"

namespace podium::cluster {
namespace {

constexpr std::string_view kAnyAddress = "0.0.0.0";

auto place_of(const HostPort& port) { return std::tie(port.port, port.protocol, port.ip); }

void append_host_ports(const std::vector<api::ContainerPort>& ports, std::vector<HostPort>& out) {
  for (const auto& port : ports) {
    if (port.host_port <= 0) continue;
    out.push_back({.ip = port.host_ip.empty() ? std::string(kAnyAddress) : port.host_ip,
                   .protocol = port.protocol.empty() ? "TCP" : port.protocol,
                   .port = port.host_port});
  }
}

RequestOptions options_for(const RequestRules& rules, bool placed) {
  return {.use_status = placed,
          .ignore_pod_level = !rules.pod_level,
          .ignore_pod_level_resize = !rules.pod_level_resize};
}

void count_requests(PodInfo& info, const api::Pod& pod, bool placed) {
  auto options = options_for(info.rules, placed);
  info.requests = pod_requests(pod, options);
  options.non_zero = true;
  const auto non_zero = pod_requests(pod, options);
  info.non_zero_milli_cpu = non_zero.milli_cpu;
  info.non_zero_memory = non_zero.memory;
}

}  // namespace

std::vector<HostPort> host_ports(const api::Pod& pod) {
  std::vector<HostPort> out;
  for (const auto& container : pod.init_containers) {
    if (container.restart_always) append_host_ports(container.ports, out);
  }
  for (const auto& container : pod.containers) append_host_ports(container.ports, out);
  if (out.size() > 1) std::ranges::sort(out, {}, place_of);
  return out;
}

bool contains(std::span<const HostPort> ports, const HostPort& port) {
  return std::ranges::binary_search(ports, place_of(port), {}, place_of);
}

bool conflicts(std::span<const HostPort> ports, const HostPort& other) {
  const auto number_of = [](const HostPort& port) { return std::tie(port.port, port.protocol); };
  const auto same = std::ranges::equal_range(ports, number_of(other), {}, number_of);
  if (same.empty()) return false;
  const auto has = [&](std::string_view address) {
    const auto address_of = [](const HostPort& port) -> std::string_view { return port.ip; };
    return std::ranges::binary_search(same, address, {}, address_of);
  };
  return other.ip == kAnyAddress || has(other.ip) || has(kAnyAddress);
}

PodInfoPtr make_pod_info(api::PodPtr pod, const RequestRules& rules) {
  const bool placed = !pod->node_name.empty();
  auto info = std::make_shared<PodInfo>();
  info->rules = rules;
  count_requests(*info, *pod, placed);
  info->score_requests = pod_requests(*pod, {.non_zero = true, .ignore_pod_level = true});
  if (info->score_requests.scalars == info->requests.scalars)
    info->score_requests.scalars = info->requests.scalars;  // keeps one list
  info->host_ports = host_ports(*pod);
  info->priority = pod->priority_or_zero();
  info->uid_hash = stable_hash(pod->meta.uid);
  info->status_may_count = pod->node_name.empty() && status_counts(*pod);
  info->class_hash = pod_class_hash(*pod);
  info->pod = std::move(pod);
  return info;
}

Resources placed_requests(const PodInfo& pod) {
  const bool differs = pod.status_may_count && pod->node_name.empty() && status_counts(*pod);
  return differs ? pod_requests(*pod, options_for(pod.rules, true)) : pod.requests;
}

PodInfoPtr make_placed(const PodInfo& pod, std::string_view node, const api::Labels* node_labels) {
  auto placed = std::make_shared<api::Pod>(*pod);
  auto info = std::make_shared<PodInfo>(pod);
  placed->node_name = node;
  if (node_labels) {
    for (const auto key : {api::label::zone, api::label::region}) {
      if (const auto* value = node_labels->find(key)) placed->meta.labels.set(std::string(key), *value);
    }
    info->class_hash = pod_class_hash(*placed);
  }
  if (status_counts(*placed)) count_requests(*info, *placed, true);
  info->pod = std::move(placed);
  return info;
}

}  // namespace podium::cluster
