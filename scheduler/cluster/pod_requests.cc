#include "scheduler/cluster/pod_requests.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "api/values/node.h"
#include "api/values/pod.h"
#include "api/values/resource_names.h"
#include "api/values/resource_sum.h"
#include "base/text_hash.h"

namespace podium::cluster {
namespace {

using Amounts = api::ResourceSum;

constexpr api::Quantity kDefaultCpu = api::Quantity::from_milli(100);
constexpr api::Quantity kDefaultMemory = api::Quantity::from_units(200 * 1024 * 1024);

struct Defaults {
  bool cpu = false, memory = false;
};

bool has_pod_level_requests(const api::Pod& pod) {
  return std::ranges::any_of(pod.pod_requests,
                             [](const auto& r) { return api::is_supported_pod_level_resource(r.first); });
}

// The kubelet has refused the resize, so the spec does not count.
bool resize_infeasible(const api::Pod& pod) {
  const auto* condition = pod.condition("PodResizePending");
  return condition && condition->reason == "Infeasible";
}

// The statuses of a pod's containers by name; of several with one name, the first. Empty: they do not count.
class Statuses {
 public:
  Statuses(const api::Pod& pod, bool use_status) {
    if (!use_status) return;
    for (const auto* statuses : {&pod.container_statuses, &pod.init_container_statuses})
      for (const auto& status : *statuses) add(status);
  }
  bool empty() const { return few_.empty() && by_name_.empty(); }
  const api::ContainerStatus* of(std::string_view container) const {
    if (!by_name_.empty()) {
      const auto it = by_name_.find(container);
      return it == by_name_.end() ? nullptr : it->second;
    }
    const auto name_of = [](const auto* status) -> std::string_view { return status->name; };
    const auto it = std::ranges::find(few_, container, name_of);
    return it == few_.end() ? nullptr : *it;
  }

 private:
  static constexpr std::size_t kLinearSearch = 16;

  void add(const api::ContainerStatus& status) {
    if (by_name_.empty() && few_.size() < kLinearSearch) {
      few_.push_back(&status);
      return;
    }
    if (by_name_.empty()) {
      for (const auto* known : few_) by_name_.try_emplace(known->name, known);
    }
    by_name_.try_emplace(status.name, &status);
  }

  boost::container::small_vector<const api::ContainerStatus*, kLinearSearch> few_;
  boost::unordered_flat_map<std::string_view, const api::ContainerStatus*, TextHash> by_name_;
};

// A pod's requests as its spec has them, as the kubelet has allocated them, and as they run. Each is a sum of
// its own.
enum class View { spec, allocated, running };

// A container without a status counts with its spec, unless the resize is infeasible.
const api::ResourceList& requests_of(const api::Container& container, const api::ContainerStatus* status,
                                     View view, bool infeasible) {
  static const api::ResourceList nothing;
  if (view == View::running && status && status->resources && !status->resources->empty())
    return *status->resources;
  if (view != View::spec && status && !status->allocated.empty()) return status->allocated;
  return view != View::spec && infeasible ? nothing : container.requests;
}

Amounts with_defaults(const api::ResourceList& requests, Defaults defaults) {
  Amounts amounts(requests);
  if (defaults.cpu && !amounts.has(Resources::kCpu)) amounts.set(Resources::kCpu, kDefaultCpu);
  if (defaults.memory && !amounts.has(Resources::kMemory)) amounts.set(Resources::kMemory, kDefaultMemory);
  return amounts;
}

// The maximum of what runs at the same time (containers and sidecars) and of the peak of initialisation: an
// init container runs next to the sidecars listed before it.
Amounts sum_of_containers(const api::Pod& pod, const Statuses& statuses, Defaults defaults, View view,
                          bool infeasible) {
  const auto amounts_of = [&](const api::Container& container) {
    const auto* status = view == View::spec ? nullptr : statuses.of(container.name);
    return with_defaults(requests_of(container, status, view, infeasible), defaults);
  };
  Amounts sum;
  for (const auto& container : pod.containers) sum.add(amounts_of(container));

  api::Initialisation initialisation;
  for (const auto& container : pod.init_containers) {
    auto amounts = amounts_of(container);
    if (container.restart_always) {
      sum.add(amounts);
      initialisation.add_sidecar(amounts);
    } else {
      initialisation.add(amounts);
    }
  }
  sum.max(initialisation.peak());
  return sum;
}

// The maximum of the three views, by resource. The spec of an infeasible resize does not count. A status of
// the pod replaces those of its containers.
// Source: component-helpers/resource AggregateContainerRequests.
Amounts sum_of_views(const api::Pod& pod, const RequestOptions& options, Defaults defaults) {
  const Statuses statuses(pod, options.use_status);
  const bool infeasible = options.use_status && resize_infeasible(pod);
  const auto sum_of = [&](View view) { return sum_of_containers(pod, statuses, defaults, view, infeasible); };
  auto sum = infeasible ? Amounts() : sum_of(View::spec);
  if (!options.use_status) return sum;
  if (!options.ignore_pod_level_resize && !pod.status_pod_allocated.empty() && pod.status_pod_requests &&
      !pod.status_pod_requests->empty()) {
    sum.max(Amounts(pod.status_pod_allocated));
    sum.max(Amounts(*pod.status_pod_requests));
  } else if (infeasible || !statuses.empty()) {
    sum.max(sum_of(View::allocated));
    sum.max(sum_of(View::running));
  }
  return sum;
}

// Source: component-helpers/resource PodRequests.
Amounts sum_of_pod(const api::Pod& pod, const RequestOptions& options, Defaults defaults) {
  auto sum = sum_of_views(pod, options, defaults);
  if (!options.ignore_pod_level && has_pod_level_requests(pod)) {
    const bool resized = options.use_status && !options.ignore_pod_level_resize && pod.status_pod_requests;
    auto level = resized && resize_infeasible(pod) ? Amounts() : Amounts(pod.pod_requests);
    if (resized) {
      level.max(Amounts(*pod.status_pod_requests));
      level.max(Amounts(pod.status_pod_allocated));
    }
    for (const auto& [name, amount] : level) {
      if (api::is_supported_pod_level_resource(name)) sum.set(name, amount);
    }
  }
  sum.add(Amounts(pod.overhead));
  return sum;
}

template <typename List>
Resources round_up(const List& list) {
  Resources out;
  std::vector<ScalarAmounts::Entry> scalars;
  for (const auto& [name, amount] : list) {
    if (name == Resources::kCpu) {
      out.milli_cpu = saturating_add(out.milli_cpu, amount.milli_value());
    } else if (name == Resources::kMemory) {
      out.memory = saturating_add(out.memory, amount.value());
    } else if (name == Resources::kEphemeralStorage) {
      out.ephemeral_storage = saturating_add(out.ephemeral_storage, amount.value());
    } else if (is_scalar_resource(name)) {
      scalars.emplace_back(name, amount.value());
    }
  }
  out.scalars = ScalarAmounts(std::move(scalars));
  return out;
}

}  // namespace

bool status_counts(const api::Pod& pod) {
  return !pod.container_statuses.empty() || !pod.init_container_statuses.empty() || pod.status_pod_requests ||
         resize_infeasible(pod);
}

Resources pod_requests(const api::Pod& pod, const RequestOptions& options) {
  Defaults defaults;
  if (options.non_zero) {
    defaults = {.cpu = true, .memory = true};
    if (!options.ignore_pod_level && has_pod_level_requests(pod)) {
      auto requested = sum_of_pod(pod, options, {});
      defaults = {.cpu = !requested.has(Resources::kCpu), .memory = !requested.has(Resources::kMemory)};
    }
  }
  return round_up(sum_of_pod(pod, options, defaults));
}

// The API server refuses negative amounts. A dump may have some.
Resources to_resources(const api::ResourceList& list) {
  auto out = round_up(list);
  for (auto* amount : {&out.milli_cpu, &out.memory, &out.ephemeral_storage})
    *amount = std::max<std::int64_t>(0, *amount);
  if (std::ranges::none_of(out.scalars, [](const auto& entry) { return entry.second < 0; })) return out;
  std::vector<ScalarAmounts::Entry> scalars(out.scalars.begin(), out.scalars.end());
  for (auto& [_, amount] : scalars) amount = std::max<std::int64_t>(0, amount);
  out.scalars = ScalarAmounts(std::move(scalars));
  return out;
}

std::int64_t allowed_pods(const api::Node& node) {
  const auto* pods = api::find_resource(node.allocatable, "pods");
  return pods ? pods->value() : 0;
}

}  // namespace podium::cluster
