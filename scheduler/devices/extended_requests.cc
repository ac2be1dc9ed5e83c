#include "scheduler/devices/extended_requests.h"

#include <algorithm>
#include <optional>
#include <set>

#include "scheduler/cluster/resources.h"
#include "scheduler/devices/requests.h"

namespace podium::devices {
namespace {

using Mapping = api::PodExtendedResourceClaim::Mapping;

// The requests of one extended resource.
class OneResource {
 public:
  OneResource(const std::vector<const api::Container*>& containers, std::string resource,
              std::string device_class)
      : containers_(containers), resource_(std::move(resource)), class_(std::move(device_class)) {
    kept_.resize(containers.size());
  }

  // Adds a long-lived container: a sidecar or one of the pod's containers.
  void add_long_lived(std::size_t index) { kept_[index] = request_of(index, {}, long_lived_); }
  // Adds an init container, after all long-lived ones.
  void add_short_lived(std::size_t index) {
    auto own = request_of(index, std::span(kept_).subspan(index), short_lived_);
    if (!own) return;
    own_.insert(own->name);
    if (!largest_ || largest_->exactly->count < own->exactly->count) largest_ = std::move(own);
  }

  void move_to(ExtendedRequests& out) && {
    if (largest_) {
      for (auto& mapping : short_lived_) {
        if (own_.contains(mapping.request)) mapping.request = largest_->name;
      }
      out.requests.push_back(std::move(*largest_));
    }
    for (auto& request : kept_) {
      if (request) out.requests.push_back(std::move(*request));
    }
    std::ranges::move(long_lived_, std::back_inserter(out.mappings));
    std::ranges::move(short_lived_, std::back_inserter(out.mappings));
  }

 private:
  using Requests = std::vector<std::optional<api::DeviceRequest>>;

  // The request of the container beyond the `reusable` requests. nullopt: nothing.
  std::optional<api::DeviceRequest> request_of(std::size_t index,
                                               std::span<const std::optional<api::DeviceRequest>> reusable,
                                               std::vector<Mapping>& mappings) const {
    const auto& container = *containers_[index];
    const auto wanted =
        std::ranges::lower_bound(container.requests, resource_, {}, &api::ResourceList::value_type::first);
    if (wanted == container.requests.end() || wanted->first != resource_) return std::nullopt;
    const auto count = wanted->second.value();
    if (count == 0 || api::Quantity::from_units(count) != wanted->second) return std::nullopt;
    std::int64_t reused = 0;
    std::size_t others = 0;
    for (const auto& other : reusable) {
      if (!other) continue;
      // A claim with more requests cannot be allocated, and containers × init containers are many.
      if (++others > kMaxResults) break;
      reused = cluster::saturating_add(reused, other->exactly->count);
      mappings.push_back({container.name, resource_, other->name});
      if (reused >= count) return std::nullopt;
    }
    api::DeviceRequest request;
    request.name = "container-" + std::to_string(index) + "-request-" +
                   std::to_string(wanted - container.requests.begin());
    request.exactly.emplace();
    request.exactly->device_class = class_;
    request.exactly->count = count - reused;
    mappings.push_back({container.name, resource_, request.name});
    return request;
  }

  const std::vector<const api::Container*>& containers_;
  std::string resource_, class_;
  Requests kept_;  // by container
  std::optional<api::DeviceRequest> largest_;
  std::set<std::string, std::less<>> own_;  // the names of the init containers' requests
  std::vector<Mapping> long_lived_, short_lived_;
};

}  // namespace

ExtendedRequests extended_requests(const api::Pod& pod, std::span<const std::string> resources,
                                   const std::function<std::string(std::string_view)>& class_of) {
  std::vector<const api::Container*> containers;
  std::vector<std::size_t> long_lived, short_lived;
  for (const auto& container : pod.init_containers) {
    (container.restart_always ? long_lived : short_lived).push_back(containers.size());
    containers.push_back(&container);
  }
  for (const auto& container : pod.containers) {
    long_lived.push_back(containers.size());
    containers.push_back(&container);
  }

  ExtendedRequests out;
  for (const auto& resource : resources) {
    OneResource one(containers, resource, class_of(resource));
    for (const auto index : long_lived) one.add_long_lived(index);
    for (const auto index : short_lived) one.add_short_lived(index);
    std::move(one).move_to(out);
  }
  std::ranges::sort(out.requests, {}, &api::DeviceRequest::name);
  return out;
}

}  // namespace podium::devices
