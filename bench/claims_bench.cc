// One decision about a pod with a resource claim: 5,000 nodes with 8 devices each.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "api/values/device.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/load.h"
#include "scheduler/framework/decision.h"

namespace podium {
namespace {

constexpr const char* kGpu = "gpu.example.com";

api::Quantity quantity(const char* text) { return *api::Quantity::parse(text); }

std::shared_ptr<api::ResourceSlice> make_slice(std::string node) {
  auto slice = std::make_shared<api::ResourceSlice>();
  slice->meta.name = "gpus-of-" + node;
  slice->driver = kGpu;
  slice->pool = {.name = node, .generation = 1, .slice_count = 1};
  slice->nodes.name = std::move(node);
  for (int d = 0; d < 8; ++d) {
    auto& device = slice->devices.emplace_back();
    device.name = fmt::format("gpu-{}", d);
    device.attributes = {{"model", std::string("H100")}};
    device.capacity = {{"memory", {.value = {quantity("80Gi"), "80Gi"}}}};
  }
  return slice;
}

// A claim that asks for this many devices.
std::shared_ptr<api::ResourceClaim> make_claim(std::string name, std::int64_t devices) {
  auto claim = std::make_shared<api::ResourceClaim>();
  claim->meta.namespace_ = "default";
  claim->meta.uid = claim->meta.name = std::move(name);
  auto& request = claim->spec.requests.emplace_back();
  request.name = "gpus";
  request.exactly.emplace();
  request.exactly->device_class = "gpu";
  request.exactly->count = devices;
  request.exactly->selectors = {"device.attributes['gpu.example.com'].model == 'H100'"};
  return claim;
}

void use_two(cluster::Snapshot& snapshot, int node, const char* first) {
  auto used = make_claim(fmt::format("used-{}", node), 2);
  auto& results = used->status.allocation.emplace().results;
  for (const auto* device : {first, "gpu-3"})
    results.push_back({.driver = kGpu, .pool = fmt::format("node-{:06}", node), .device = device});
  snapshot.objects().set(std::shared_ptr<const api::ResourceClaim>(std::move(used)));
}

// Every node has two devices in use.
cluster::Snapshot make_cluster(int nodes) {
  cluster::Snapshot snapshot;
  auto& objects = snapshot.objects();
  auto device_class = std::make_shared<api::DeviceClass>();
  device_class->meta.name = "gpu";
  device_class->selectors = {"device.driver == 'gpu.example.com'"};
  objects.set(std::shared_ptr<const api::DeviceClass>(std::move(device_class)));
  for (int i = 0; i < nodes; ++i) {
    auto node = std::make_shared<api::Node>();
    node->meta.name = node->meta.uid = fmt::format("node-{:06}", i);
    node->capacity = node->allocatable = {
        {"cpu", quantity("16")}, {"memory", quantity("64Gi")}, {"pods", quantity("110")}};
    objects.set(std::shared_ptr<const api::ResourceSlice>(make_slice(node->meta.name)));
    use_two(snapshot, i, "gpu-0");
    snapshot.set_node(std::move(node));
  }
  return snapshot;
}

enum class UseBetween : bool { same, another };

// With a change: between the decisions another device of a node comes into use.
void decide_with_claim(benchmark::State& state, UseBetween between) {
  const auto config = config::load("", "");
  auto snapshot = make_cluster(5000);
  snapshot.objects().set(std::shared_ptr<const api::ResourceClaim>(make_claim("wanted", state.range(0))));
  auto pod = std::make_shared<api::Pod>();
  pod->meta.namespace_ = "default";
  pod->meta.name = pod->meta.uid = "pending";
  if (state.range(0) > 0) pod->resource_claims.push_back({.name = "gpus", .claim_name = "wanted"});
  pod->containers.emplace_back().name = "main";
  const auto info = cluster::make_pod_info(std::move(pod));
  const auto& profile = *config->profiles.front();
  auto decision = framework::evaluate(*info, snapshot, profile);  // evaluates the expressions
  int changes = 0;
  for (auto _ : state) {
    ++changes;
    if (between == UseBetween::another) use_two(snapshot, changes % 5000, changes % 2 ? "gpu-0" : "gpu-1");
    decision = framework::evaluate(*info, snapshot, profile);
  }
  state.counters["fits"] = decision.choice ? 1 : 0;
}
// No claim; one device; six, which are free; seven, which no node has.
BENCHMARK_CAPTURE(decide_with_claim, again, UseBetween::same)
    ->Arg(0)
    ->Arg(1)
    ->Arg(6)
    ->Arg(7)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(decide_with_claim, after_a_change, UseBetween::another)
    ->Arg(1)
    ->Arg(6)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podium
