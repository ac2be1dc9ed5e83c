// Claims and classes for the tests of DynamicResources, and a search for devices with scripted answers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/plugins/dynamic_resources/dynamic_resources.h"
#include "unit/scheduler/plugins/ask.h"

namespace podium::plugins::test {

inline api::ResourceClaim claim_named(const std::string& name, const std::string& version = "1") {
  api::ResourceClaim claim;
  claim.meta.namespace_ = "default";
  claim.meta.name = name;
  claim.meta.uid = "uid-" + name;
  claim.meta.resource_version = version;
  return claim;
}

// One request "r" for a device of the class.
inline api::ResourceClaim claim_of_class(const std::string& name, const std::string& device_class) {
  auto claim = claim_named(name);
  api::ExactRequest exactly;
  exactly.device_class = device_class;
  claim.spec.requests = {{"r", exactly, {}}};
  return claim;
}

// One request "r" with an alternative for each class: "r/0", "r/1", …
inline api::ResourceClaim claim_of_any(const std::string& name, const std::vector<std::string>& classes) {
  auto claim = claim_named(name);
  auto& request = claim.spec.requests.emplace_back();
  request.name = "r";
  for (std::size_t i = 0; i < classes.size(); ++i) {
    request.first_available.push_back({std::to_string(i), {}});
    request.first_available.back().request.device_class = classes[i];
  }
  return claim;
}

inline api::Allocation allocation_of(const std::string& request, const std::string& device) {
  api::Allocation allocation;
  allocation.results = {{.request = request, .driver = "d", .pool = "p", .device = device}};
  return allocation;
}
inline std::vector<api::NodeSelectorTerm> on_node(const std::string& node) {
  api::NodeSelectorTerm term;
  term.match_fields = {podium::test::in("metadata.name", {node})};
  return {term};
}

inline api::DeviceClass class_named(const std::string& name) {
  api::DeviceClass kind;
  kind.meta.name = name;
  return kind;
}

// Asks for these claims by name.
inline api::Pod pod_with(const std::vector<std::string>& claims) {
  api::Pod made = pod("p");
  for (const auto& name : claims) made.resource_claims.push_back({"c-" + name, name, std::nullopt});
  return made;
}

// What the search says of each node; one that is not named has no devices.
struct DevicesOfNode : DevicesFound {
  std::vector<api::Allocation> allocations{};
};
using Devices = std::map<std::string, DevicesOfNode>;

inline DevicesOfNode found(std::vector<api::Allocation> allocations) {
  return {{DevicesFound::End::found, {}}, std::move(allocations)};
}

class FakeSearch final : public DeviceSearch {
 public:
  FakeSearch(const Snapshot& snapshot, const Devices& devices) : snapshot_(snapshot), devices_(devices) {}
  DevicesFound at(cluster::Row row) const override {
    return of_node(row);  // NOLINT(cppcoreguidelines-slicing): the allocations have their own function
  }
  std::vector<api::Allocation> allocations(cluster::Row row) const override {
    return of_node(row).allocations;
  }
  void tally(cluster::Row, devices::Tally& to) const override {
    static const api::Device kDevice;
    to.name(0, "c", "r", 1);
    to.count(0, kDevice, false, devices::Tally::Device::in_use);
  }

 private:
  DevicesOfNode of_node(cluster::Row row) const {
    const auto it = devices_.find(std::string(snapshot_.node_name(row)));
    return it == devices_.end() ? DevicesOfNode() : it->second;
  }

  const Snapshot& snapshot_;
  const Devices& devices_;
};

// Keeps a reference to the devices. `asked` gets the names of the claims of each search.
inline std::shared_ptr<const DynamicResources> plugin_with(const Devices& devices,
                                                           std::vector<std::string>* asked = nullptr) {
  return std::make_shared<const DynamicResources>(
      [&devices, asked](const Snapshot& snapshot, std::vector<ClaimPtr> claims) {
        for (const auto& claim : claims) {
          if (asked) asked->push_back(claim->meta.name);
        }
        return std::make_unique<FakeSearch>(snapshot, devices);
      });
}

// Nodes "a" and "b" of zones with their names, and these objects.
template <typename... Objects>
Snapshot devices_of(const Objects&... objects) {
  auto snapshot = snapshot_of({node("a").zone("a"), node("b").zone("b")});
  (snapshot.objects().set(podium::test::share(objects)), ...);
  return snapshot;
}

}  // namespace podium::plugins::test
