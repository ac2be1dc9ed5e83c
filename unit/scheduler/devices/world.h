// World: slices, classes and claims in memory, and what the allocator makes of them as text.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/values/node.h"
#include "scheduler/devices/allocator.h"

namespace podium::devices {

inline constexpr const char* kDriver = "gpu.example.com";

inline api::WrittenQuantity amount(const std::string& text) { return {*api::Quantity::parse(text), text}; }

inline api::Device device(std::string name, api::ByName<api::DeviceAttribute> attributes = {}) {
  api::Device made;
  made.name = std::move(name);
  made.attributes = std::move(attributes);
  return made;
}

inline api::Device shared_device(std::string name, const std::string& memory) {
  auto made = device(std::move(name));
  made.allow_multiple_allocations = true;
  made.capacity = {{"memory", {.value = amount(memory)}}};
  return made;
}

// A slice for the node "n1", the only one of its pool.
inline api::ResourceSlice slice(std::string name, std::vector<api::Device> devices) {
  api::ResourceSlice made;
  made.meta.name = std::move(name);
  made.driver = kDriver;
  made.pool = {.name = "pool", .generation = 1, .slice_count = 1};
  made.nodes.name = "n1";
  made.devices = std::move(devices);
  return made;
}

inline api::DeviceRequest request(std::string name, std::int64_t count = 1,
                                  std::vector<std::string> selectors = {}) {
  api::DeviceRequest made;
  made.name = std::move(name);
  made.exactly.emplace();
  made.exactly->device_class = "gpu";
  made.exactly->count = count;
  made.exactly->selectors = std::move(selectors);
  return made;
}

inline api::DeviceRequest all_of(std::string name) {
  auto made = request(std::move(name));
  made.exactly->mode = api::ExactRequest::Mode::all;
  return made;
}

inline api::ResourceClaim claim(std::string name, std::vector<api::DeviceRequest> requests) {
  api::ResourceClaim made;
  made.meta.namespace_ = "default";
  made.meta.name = std::move(name);
  made.spec.requests = std::move(requests);
  return made;
}

// A result that has the whole device of the pool "pool".
inline api::AllocatedDevice taken(std::string device) {
  return {.request = "r", .driver = kDriver, .pool = "pool", .device = std::move(device)};
}

inline api::DeviceTaintRule taint_rule(std::string name, std::optional<api::DeviceTaintSelector> selector) {
  api::DeviceTaintRule made;
  made.meta.name = std::move(name);
  made.selector = std::move(selector);
  made.taint = {"sick", "", api::DeviceTaintEffect::no_schedule};
  return made;
}

struct World {
  DeviceFeatures features;
  std::vector<api::ResourceSlice> slices;
  std::map<std::string, api::DeviceClass, std::less<>> classes = {{"gpu", with_name("gpu")}};
  std::vector<api::AllocatedDevice> in_use;
  std::vector<api::ResourceClaim> claims;
  api::Labels labels;  // of the node
  std::vector<api::DeviceTaintRule> rules;
  std::int64_t steps = 1'000'000;

  static api::DeviceClass with_name(std::string name) {
    api::DeviceClass made;
    made.meta.name = std::move(name);
    return made;
  }

  // "claim: request=device request=device; claim: …", "none", "invalid", "error: …" or "out of steps".
  std::string on(const std::string& node) const { return text(ask(node)); }
  // "claim/request: 3 match, 1 in use, 1 tainted, 0 too small" of each request, for these nodes' devices; and
  // " by a b" for the rules that taint. `free`: also "; of 4 at most 1 free on n1".
  std::vector<std::string> tally(const std::vector<std::string>& nodes, bool free = false) const {
    Tally tally(StepBudget{steps});
    with_allocator([&](Allocator& allocator) {
      for (const auto& name : nodes) allocator.tally(node_named(name, labels), tally);
    });
    std::vector<std::string> lines;
    for (const auto& [of, name, matched, in_use, tainted, too_small, by, wanted, most, where] :
         std::move(tally).take()) {
      lines.push_back(fmt::format("{}/{}: {} match, {} in use, {} tainted, {} too small", of, name, matched,
                                  in_use, tainted, too_small));
      if (!by.empty()) lines.back() += fmt::format(" by {}", fmt::join(by, " "));
      if (free) lines.back() += fmt::format("; of {} at most {} free on {}", wanted, most, where);
    }
    return lines;
  }
  // What is written to the claims on this node.
  std::vector<api::Allocation> allocations(const std::string& node) const {
    std::vector<api::Allocation> found;
    ask(node, &found);
    return found;
  }

 private:
  static api::Node node_named(const std::string& name, const api::Labels& labels) {
    api::Node node;
    node.meta.name = name;
    node.meta.labels = labels;
    return node;
  }

  void with_allocator(const std::function<void(Allocator&)>& use) const {
    std::vector<std::shared_ptr<const api::ResourceSlice>> listed;
    for (const auto& each : slices) listed.push_back(std::make_shared<const api::ResourceSlice>(each));
    std::vector<std::shared_ptr<const api::ResourceClaim>> wanted;
    for (const auto& each : claims) wanted.push_back(std::make_shared<const api::ResourceClaim>(each));
    const Inventory inventory(listed, features);
    cluster::DevicesInUse allocated;
    allocated.add({.results = in_use});
    Selectors selectors;
    const auto find_class = [&](std::string_view class_name) -> const api::DeviceClass* {
      const auto at = classes.find(class_name);
      return at == classes.end() ? nullptr : &at->second;
    };
    cluster::TaintRules taints;
    for (const auto& rule : rules)
      taints.changed(nullptr, std::make_shared<const api::DeviceTaintRule>(rule), [](const auto&) {});
    Allocator allocator(wanted, {inventory, allocated, selectors, find_class, &taints});
    use(allocator);
  }

  AllocationOutcome ask(const std::string& name, std::vector<api::Allocation>* allocations = nullptr) const {
    AllocationOutcome outcome;
    with_allocator([&](Allocator& allocator) { outcome = ask(allocator, name, allocations); });
    return outcome;
  }
  AllocationOutcome ask(Allocator& allocator, const std::string& name,
                        std::vector<api::Allocation>* allocations) const {
    StepBudget left{steps};
    auto outcome = allocator.allocate(node_named(name, labels), left);
    if (const auto* solution = std::get_if<Solution>(&outcome)) {
      auto made = allocator.allocations(*solution, name, [] { return "share"; });
      text_of_solution_ = {};
      for (std::size_t i = 0; i < made.size(); ++i) {
        text_of_solution_ += fmt::format("{}{}:", i ? "; " : "", claims[i].meta.name);
        for (const auto& result : made[i].results) {
          text_of_solution_ += fmt::format(" {}={}", result.request, result.device);
        }
      }
      if (allocations) *allocations = std::move(made);
    }
    return outcome;
  }
  std::string text(const AllocationOutcome& outcome) const {
    if (std::holds_alternative<Solution>(outcome)) return text_of_solution_;
    if (const auto* none = std::get_if<NoFit>(&outcome)) return none->invalid_pools ? "invalid" : "none";
    if (const auto* failure = std::get_if<Failure>(&outcome)) return "error: " + failure->message;
    return "out of steps";
  }

  mutable std::string text_of_solution_;
};

}  // namespace podium::devices
