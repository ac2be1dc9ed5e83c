#include "simulate/cluster/devices.h"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <utility>
#include <vector>

#include "base/time.h"
#include "simulate/cluster/cluster.h"
#include "simulate/server/resource_claims.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kDeviceNamespaces[] = {"shop", "batch"};
constexpr const char* kNodeDriver = "driver";

Key slice_of(const std::string& node, std::uint64_t part) {
  return {"resourceslices", "", fmt::format("{}-gpu-{}", node, part)};
}

json::value device_class() {
  return json::parse(
      R"({"metadata":{},"spec":{"selectors":[{"cel":{"expression":"device.driver == 'gpu.example.com'"}}]}})");
}

}  // namespace

Devices::Devices(Store& store, Agenda& agenda, Dice dice, DeviceConditions* conditions)
    : store_(store),
      agenda_(agenda),
      dice_(dice),
      conditions_(conditions),
      pace_(dice_.between(200ms, 3s)),
      pods_(3 + dice_.below(8)),
      claims_(1 + dice_.below(4)) {
  store_.on_commit([this](const Commit& commit) { committed(commit); });
}

void Devices::begin() {
  store_.create({"deviceclasses", "", "gpu"}, device_class(), kPeople);
  for (const auto& node : store_.all("nodes")) {
    const auto name = text_at(node->value, "/metadata/name");
    // The first node has a device in each life.
    hardware_[name].count = name == "n0" ? 1 + dice_.below(3) : dice_.below(4);
    publish(name);
  }
  for (std::uint64_t i = 0; i < claims_; ++i) make_claim();
  for (std::uint64_t i = 0; i < pods_ / 2; ++i) make_pod();
  act();
}

void Devices::act() {
  if (resting_) return;
  one_act();
  agenda_.after(dice_.between(pace_ / 4, pace_ * 2), [this] { act(); });
}

void Devices::one_act() {
  const auto which = dice_.below(100);
  if (which < 45) return make_pod();
  if (which < 60) return delete_pod();
  if (which < 75) return make_claim();
  if (which < 90) return change_hardware();
  const auto claim = any(kClaims, "c");
  if (!claim) return;
  const auto key = key_of(kClaims, claim->value);
  if (which < 95) return touch(key, uid_of(claim->value));
  remove_finally(store_, key, agenda_.clock().wall(), kPeople);
}

StoredPtr Devices::any(std::string_view plural, std::string_view prefix) {
  std::vector<StoredPtr> some;
  for (const auto& one : store_.all(plural)) {
    if (text_at(one->value, "/metadata/name").starts_with(prefix)) some.push_back(one);
  }
  return some.empty() ? nullptr : some[dice_.below(some.size())];
}

// --- people ---

void Devices::make_claim() {
  const auto ns = kDeviceNamespaces[dice_.below(2)];
  const Key key{std::string(kClaims), std::string(ns), fmt::format("c{}", dice_.below(claims_))};
  const auto count = dice_.one_in(4) ? 2 : 1;
  if (store_.find(key)) return;
  store_.create(key,
                json::parse(fmt::format(R"({{"metadata":{{}},"spec":{{"devices":{{"requests":[{{"name":"gpu",
        "exactly":{{"deviceClassName":"gpu","allocationMode":"ExactCount","count":{}}}}}]}}}},"status":{{}}}})",
                                        count)),
                kPeople);
}

// A third has a claim from a template, a third one that others share, the rest both.
void Devices::make_pod() {
  const auto ns = kDeviceNamespaces[dice_.below(2)];
  const Key key{"pods", std::string(ns), fmt::format("d{}", dice_.below(pods_))};
  const auto cpu = 100 * (1 + dice_.below(6));
  const int priority = dice_.one_in(6) ? 1000 : 0;
  const auto kind = dice_.below(3);
  std::string claims;
  if (kind != 0) claims = fmt::format(R"({{"name":"own","resourceClaimName":"c{}"}})", dice_.below(claims_));
  if (kind == 2) claims += ',';
  if (kind != 1)
    claims +=
        fmt::format(R"({{"name":"made","resourceClaimTemplateName":"{}"}})", dice_.one_in(4) ? "two" : "one");
  if (store_.find(key)) return;
  store_.create(key,
                json::parse(fmt::format(R"({{"metadata":{{"labels":{{"app":"{}"}}}},"spec":{{"priority":{},
        "schedulerName":"default-scheduler","resourceClaims":[{}],"containers":[{{"name":"main","image":"app",
        "resources":{{"requests":{{"cpu":"{}m"}}}}}}]}},"status":{{"phase":"Pending"}}}})",
                                        key.name, priority, claims, cpu)),
                kPeople);
}

void Devices::delete_pod() {
  const auto pod = any("pods", "d");
  if (!pod || is_leaving(pod->value)) return;
  const auto key = key_of("pods", pod->value);
  if (text_at(pod->value, "/spec/nodeName").empty() || dice_.one_in(8)) return store_.remove(key, kPeople);
  auto leaving = pod->value;
  leaving.as_object()["metadata"].as_object()["deletionTimestamp"] =
      format_time(agenda_.clock().wall() + 30s);
  store_.update(key, std::move(leaving), kPeople);
}

// Somebody else's write of a claim: podium's next one meets a conflict.
void Devices::touch(const Key& claim, const std::string& uid) {
  const auto there = store_.find(claim);
  if (!there || uid_of(there->value) != uid) return;
  auto touched = there->value;
  auto& annotations = touched.as_object()["metadata"].as_object()["annotations"];
  if (!annotations.is_object()) annotations = json::object();
  annotations.as_object()["example.com/seen"] = std::to_string(store_.version());
  store_.update(claim, std::move(touched), kPeople);
}

// Right after podium's first write of a claim, and before its next one arrives.
void Devices::claim_committed(const Commit& commit) {
  if (resting_ || !is_engine(commit.by)) return;
  const bool first = !find_at(commit.after->value, "/status/allocation");
  if (!first || !dice_.one_in(3)) return;
  const bool deletes = dice_.one_in(4);
  const auto uid = uid_of(commit.after->value);
  agenda_.after(dice_.between(0us, 5ms), [this, key = commit.key, uid, deletes] {
    const auto there = store_.find(key);
    if (!there || uid_of(there->value) != uid) return;
    if (!deletes) return touch(key, uid);
    remove_finally(store_, key, agenda_.clock().wall(), kPeople);
  });
}

// --- drivers ---

void Devices::change_hardware() {
  const auto node = any("nodes", "n");
  if (!node) return;
  const auto name = text_at(node->value, "/metadata/name");
  auto& hardware = hardware_[name];
  const auto which = dice_.below(5), device = dice_.below(4);
  if (which == 4) return change_rule(name);
  if (which == 0) hardware.count = dice_.below(4);
  if (which == 1) hardware.split = !hardware.split;
  if (which == 2) hardware.tainted.insert(device);
  if (which == 3) hardware.tainted.clear();
  publish(name);
}

// A rule for a node's devices, for one of them, or for one on every node; or a rule that selects none.
void Devices::change_rule(const std::string& node) {
  const Key key{std::string(kTaintRules), "", fmt::format("r{}", dice_.below(3))};
  const auto there = store_.find(key);
  if (there && dice_.one_in(2)) return store_.remove(key, kPeople);
  const auto device = fmt::format("gpu-{}", dice_.below(4));
  json::object selector, taint{{"key", "broken"}, {"effect", "NoSchedule"}}, spec;
  const auto kind = dice_.below(4);
  if (kind < 2) selector["pool"] = node;
  if (kind == 1 || kind == 2) selector["device"] = device;
  if (kind == 2) selector["driver"] = kDriver;
  if (kind < 3) spec["deviceSelector"] = std::move(selector);
  if (const auto effect = dice_.below(4); effect < 2) taint["effect"] = effect == 0 ? "NoExecute" : "None";
  spec["taint"] = std::move(taint);
  auto rule = there ? there->value : json::value(json::object{{"metadata", json::object()}});
  rule.as_object()["spec"] = std::move(spec);
  if (there)
    store_.update(key, std::move(rule), kPeople);
  else
    store_.create(key, std::move(rule), kPeople);
}

// The slices of the next generation, one after the other.
void Devices::publish(const std::string& node) {
  auto& hardware = hardware_[node];
  const auto generation = ++hardware.generation;
  write_slice(node, 0, generation);
  agenda_.after(dice_.between(0us, dice_.one_in(4) ? 3s : 10ms),
                [this, node, generation] { write_slice(node, 1, generation); });
}

void Devices::write_slice(const std::string& node, std::uint64_t part, std::uint64_t generation) {
  const auto& hardware = hardware_[node];
  const auto key = slice_of(node, part);
  const auto there = store_.find(key);
  const auto of = store_.find({"nodes", "", node});
  if (!of || hardware.generation != generation) return;
  const std::uint64_t parts = hardware.split ? 2 : 1;
  if (part >= parts) {
    if (there) store_.remove(key, kNodeDriver);
    return;
  }
  std::string devices;
  for (std::uint64_t i = part; i < hardware.count; i += parts) {
    const auto* taints =
        hardware.tainted.contains(i) ? R"(,"taints":[{"key":"worn","effect":"NoSchedule"}])" : "";
    const auto conditions = conditions_ ? conditions_->of_device(node, i) : std::string_view();
    devices += fmt::format(R"({}{{"name":"gpu-{}"{}{}}})", devices.empty() ? "" : ",", i, taints, conditions);
  }
  auto slice = json::parse(fmt::format(
      R"({{"metadata":{{"name":"{}"}},"spec":{{"driver":"{}","nodeName":"{}","pool":{{"name":"{}","generation":{},
      "resourceSliceCount":{}}},"devices":[{}]}}}})",
      key.name, kDriver, node, node, generation, parts, devices));
  if (!there) {
    store_.create(key, std::move(slice), kNodeDriver);
    return;
  }
  auto changed = there->value;
  changed.as_object()["spec"] = slice.at("spec");
  store_.update(key, std::move(changed), kNodeDriver);
}

void Devices::committed(const Commit& commit) {
  if (commit.key.plural == kClaims && commit.type == Commit::Type::modified) return claim_committed(commit);
  if (commit.key.plural != "nodes" || commit.type == Commit::Type::modified) return;
  const auto node = commit.key.name;
  if (!hardware_.contains(node)) return;  // before begin()
  if (commit.type == Commit::Type::added) {
    agenda_.after(dice_.between(10ms, 3s), [this, node] { publish(node); });
    return;
  }
  // The garbage collector deletes the slices of a deleted node.
  agenda_.after(dice_.between(10ms, 3s), [this, node] {
    if (store_.find({"nodes", "", node})) return;
    for (std::uint64_t part = 0; part < 2; ++part) {
      if (store_.find(slice_of(node, part))) store_.remove(slice_of(node, part), kNodeDriver);
    }
  });
}

}  // namespace podium::simulate
