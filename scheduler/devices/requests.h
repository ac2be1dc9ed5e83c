// Requests: the requests of a pod's claims, prepared for the search.
//
// Role: looks up classes and expressions once; finds the faults that do not depend on a node.
// Owner: a Search. Threads: one. Errors: upstream's texts, returned where upstream would find them.
// Source: dynamic-resource-allocation/structured/internal/incubating allocator_incubating.go.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/devices/allocator.h"
#include "scheduler/devices/constraints.h"

namespace podium::devices {

inline constexpr std::size_t kMaxResults = 32;  // of one claim; resource/v1 AllocationResultsMaxSize

// The location of a device: indices in the pools of a node, a pool's slices and a slice's devices.
struct Location {
  std::uint32_t pool = 0, slice = 0, device = 0;
  auto operator<=>(const Location&) const = default;
};

// A request without subrequests, or a subrequest.
struct WantedDevices {
  const api::ExactRequest* asked = nullptr;
  std::string_view name, parent;  // parent: the request's name, if this is a subrequest
  const api::DeviceClass* device_class = nullptr;
  // The class's selectors first. Copies for a claim that the pod names again share them.
  std::shared_ptr<const std::vector<std::shared_ptr<const Expression>>> selectors;
  std::string fault;  // empty: none

  // On the current node.
  std::size_t devices = 0;    // the number that it needs
  std::vector<Location> all;  // of allocationMode All: the devices
  // Set when the search has run out of devices for the request: an upper bound of its choices while earlier
  // requests keep their devices. In the order of the search.
  bool has_candidates = false;
  std::vector<Location> candidates;
  // The rule of a large group that the request does not tolerate; null: none.
  boost::unordered_flat_map<const cluster::TaintRules::Group*, const api::DeviceTaintRule*> known_groups;
  // The cached results of the last slice.
  const SliceDevices* slice = nullptr;
  std::vector<std::shared_ptr<Matches>> matches;

  bool wants_all() const { return asked->mode == api::ExactRequest::Mode::all; }
  RequestName request_name() const {
    return parent.empty() ? RequestName{name, {}} : RequestName{parent, name};
  }
  std::string full_name() const;  // "request" or "request/subrequest"
};

struct WantedClaim {
  const api::ResourceClaim* claim = nullptr;
  std::vector<std::vector<WantedDevices>> requests;  // of a request its subrequests, or itself
  std::vector<Constraint> constraints;
  std::string fault;  // of the constraints

  std::string text() const;  // "namespace/name"
};

WantedClaim prepare_claim(const api::ResourceClaim& claim, const Supply& supply);

}  // namespace podium::devices
