// Devices for one claim on all nodes: 5,000 nodes with 8 devices each.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "api/values/node.h"
#include "scheduler/devices/allocator.h"

namespace podium::devices {
namespace {

constexpr const char* kGpu = "gpu.example.com";

struct Supplied {
  std::vector<std::shared_ptr<const api::ResourceSlice>> slices;
  std::vector<api::Node> nodes;
  std::shared_ptr<api::ResourceClaim> claim = std::make_shared<api::ResourceClaim>();
  api::DeviceClass device_class;
  cluster::DevicesInUse allocated;
};

// A slice for each node; on every second node two devices are in use.
Supplied supply(int nodes, std::int64_t count) {
  Supplied made;
  for (int i = 0; i < nodes; ++i) {
    auto slice = std::make_shared<api::ResourceSlice>();
    slice->meta.name = fmt::format("slice-{:06}", i);
    slice->driver = kGpu;
    slice->pool = {.name = fmt::format("node-{:06}", i), .generation = 1, .slice_count = 1};
    slice->nodes.name = slice->pool.name;
    for (int d = 0; d < 8; ++d) {
      api::Device device;
      device.name = fmt::format("gpu-{}", d);
      device.attributes = {{"index", std::int64_t{d}}, {"model", std::string("H100")}};
      device.capacity = {{"memory", {.value = {*api::Quantity::parse("80Gi"), "80Gi"}}}};
      slice->devices.push_back(std::move(device));
    }
    made.slices.push_back(slice);
    made.nodes.emplace_back().meta.name = slice->pool.name;
    if (i % 2 || count == 8) continue;
    made.allocated.add({.results = {{.driver = kGpu, .pool = slice->pool.name, .device = "gpu-0"},
                                    {.driver = kGpu, .pool = slice->pool.name, .device = "gpu-3"}}});
  }
  made.device_class.meta.name = "gpu";
  made.device_class.selectors = {"device.driver == 'gpu.example.com'"};
  auto& request = made.claim->spec.requests.emplace_back();
  request.name = "gpu";
  request.exactly.emplace();
  request.exactly->device_class = "gpu";
  request.exactly->count = count;
  request.exactly->selectors = {"device.attributes['gpu.example.com'].model == 'H100'"};
  return made;
}

// Asks every node; "feasible" of them fit.
void allocate_everywhere(benchmark::State& state) {
  const auto made = supply(static_cast<int>(state.range(0)), state.range(1));
  const Inventory inventory(made.slices, {});
  Selectors selectors;
  const auto find_class = [&](std::string_view) { return &made.device_class; };
  std::size_t feasible = 0;
  const auto once = [&] {
    feasible = 0;
    StepBudget steps;
    Allocator allocator({made.claim}, {inventory, made.allocated, selectors, find_class});
    for (const auto& node : made.nodes) {
      feasible += std::holds_alternative<Solution>(allocator.allocate(node, steps));
    }
  };
  once();  // evaluates the expressions, which is done again only if they or a slice change
  for (auto _ : state) once();
  state.counters["feasible"] = static_cast<double>(feasible);
}
BENCHMARK(allocate_everywhere)->Args({5000, 1})->Args({5000, 8})->Unit(benchmark::kMillisecond);

// The same with expressions that were never evaluated.
void allocate_first_time(benchmark::State& state) {
  const auto made = supply(static_cast<int>(state.range(0)), state.range(1));
  const auto find_class = [&](std::string_view) { return &made.device_class; };
  for (auto _ : state) {
    state.PauseTiming();
    const Inventory inventory(made.slices, {});
    Selectors selectors;
    StepBudget steps;
    Allocator allocator({made.claim}, {inventory, made.allocated, selectors, find_class});
    state.ResumeTiming();
    for (const auto& node : made.nodes) benchmark::DoNotOptimize(allocator.allocate(node, steps));
  }
}
BENCHMARK(allocate_first_time)->Args({5000, 1})->Args({5000, 8})->Unit(benchmark::kMillisecond);

// One slice of all has changed.
void renew_inventory(benchmark::State& state) {
  const auto made = supply(static_cast<int>(state.range(0)), 1);
  const Inventory before(made.slices, {});
  for (auto _ : state) benchmark::DoNotOptimize(Inventory(made.slices, {}, &before).pools().size());
}
BENCHMARK(renew_inventory)->Arg(5000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podium::devices

BENCHMARK_MAIN();
