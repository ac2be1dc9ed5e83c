// Resource requests of pods and allocatable amounts of nodes, summed as kube-scheduler sums them.
//
// Source: component-helpers resource.PodRequests and pkg/scheduler/framework/types.go. All sums saturate.
// Threads: pure functions on values.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/values/node.h"
#include "scheduler/cluster/cow.h"

namespace podium::api {
struct Pod;
}

namespace podium::cluster {

// Amounts by name, sorted. Copies share one list, since a pod's can be long and is kept in several sums.
class ScalarAmounts {
 public:
  using Entry = std::pair<std::string, std::int64_t>;

  ScalarAmounts() = default;
  ScalarAmounts(std::initializer_list<Entry> entries) : ScalarAmounts(std::vector<Entry>(entries)) {}
  explicit ScalarAmounts(std::vector<Entry> entries) {  // in any order
    if (!entries.empty()) entries_ = Cow(sorted(std::move(entries)));
  }

  bool empty() const { return entries_->empty(); }
  std::size_t size() const { return entries_->size(); }
  auto begin() const { return entries_->begin(); }
  auto end() const { return entries_->end(); }
  bool operator==(const ScalarAmounts& other) const {
    return entries_.is(other.entries_) || *entries_ == *other.entries_;
  }

 private:
  static std::vector<Entry> sorted(std::vector<Entry> entries);

  Cow<std::vector<Entry>> entries_;
};

struct Resources {
  std::int64_t milli_cpu = 0, memory = 0, ephemeral_storage = 0;  // thousandths of a core, bytes, bytes
  // Extended resources, hugepages-*, *kubernetes.io/* and attachable-volumes-*: sorted by name, whole units.
  ScalarAmounts scalars;

  std::int64_t scalar(std::string_view name) const;  // 0 if absent
  // cpu, memory, ephemeral-storage or a scalar, by its API name; 0 if absent.
  std::int64_t get(std::string_view name) const;
  bool operator==(const Resources&) const = default;
};

bool is_scalar_resource(std::string_view name);  // stored in Resources::scalars
// A valid domain/name, not of *kubernetes.io and without the quota prefix "requests.".
bool is_extended_resource(std::string_view name);

std::int64_t saturating_add(std::int64_t a, std::int64_t b);
// Wraps around as in Go: a sum of requests can be far below zero if an API server accepts that.
constexpr std::int64_t wrapping_minus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

// The rules for a pod's requests, by feature gate. Defaults as upstream.
struct RequestRules {
  bool pod_level = true;         // spec.resources
  bool pod_level_resize = true;  // status.resources and status.allocatedResources of a running pod
  bool operator==(const RequestRules&) const = default;
};

// The rules of pod_requests().
struct RequestOptions {
  // Placed pods: also count the resources that the kubelet has granted (in-place resize).
  bool use_status = false;
  // Scores count a container without a cpu or memory request as 100m and 200Mi. With pod-level requests, only
  // a resource that neither they, nor a container, nor the overhead requests gets the default.
  bool non_zero = false;
  bool ignore_pod_level = false;  // NodeResourcesFit's score of the pending pod; or RequestRules
  bool ignore_pod_level_resize = false;
};
Resources pod_requests(const api::Pod&, const RequestOptions&);
// False: `use_status` makes no difference to the pod's requests.
bool status_counts(const api::Pod&);

// An allocatable or capacity list; "pods" is not part of it.
Resources to_resources(const api::ResourceList&);
std::int64_t allowed_pods(const api::Node&);  // its allocatable "pods"

}  // namespace podium::cluster
