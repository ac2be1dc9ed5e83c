// What-ifs about many replicas: a Deployment's pods, placed one after the other on 5,000 nodes.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "explain/answer/answer.h"
#include "scheduler/config/load.h"

namespace podium {
namespace {

cluster::Snapshot make_nodes(std::size_t count) {
  cluster::Snapshot snapshot;
  for (std::size_t i = 0; i < count; ++i) {
    auto node = std::make_shared<api::Node>();
    node->meta.name = node->meta.uid = fmt::format("node-{:06}", i);
    node->meta.labels = {{"kubernetes.io/hostname", node->meta.name},
                         {"topology.kubernetes.io/zone", fmt::format("zone-{}", i % 3)}};
    node->capacity = node->allocatable = {{"cpu", api::Quantity::from_units(16)},
                                          {"memory", api::Quantity::from_units(std::int64_t{64} << 30)},
                                          {"pods", api::Quantity::from_units(110)}};
    snapshot.set_node(std::move(node));
  }
  return snapshot;
}

std::string report_about(std::string_view pod_spec) {
  return fmt::format(R"({{"metadata": {{"name": "ask", "namespace": "default", "uid": "u"}},
    "spec": {{"dryRun": true, "template": {{"apiVersion": "apps/v1", "kind": "Deployment",
      "metadata": {{"name": "web"}}, "spec": {{"replicas": 10000, "selector": {{"matchLabels": {{"app": "web"}}}},
        "template": {{"metadata": {{"labels": {{"app": "web"}}}}, "spec": {{{} "containers": [{{"name": "main",
          "image": "app", "resources": {{"requests": {{"cpu": "250m", "memory": "512Mi"}}}}}}]}}}}}}}}}}}})",
                     pod_spec);
}

constexpr const char* kZoneSpread = R"("topologySpreadConstraints": [{"maxSkew": 1,
  "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
  "labelSelector": {"matchLabels": {"app": "web"}}}],)";
constexpr const char* kPreferredAntiAffinity = R"("affinity": {"podAntiAffinity":
  {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": {
    "topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}}}]}},)";
constexpr const char* kRequiredAffinity = R"("affinity": {"podAffinity":
  {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "topology.kubernetes.io/zone",
    "labelSelector": {"matchLabels": {"app": "web"}}}]}},)";

void what_if_of_10000_replicas(benchmark::State& state, const char* pod_spec) {
  const auto nodes = make_nodes(static_cast<std::size_t>(state.range(0)));
  const auto config = config::load("", "default").value();
  const auto text = report_about(pod_spec);
  const auto question =
      explain::read_question(explain::scan_report(text).value(), std::chrono::seconds(600)).value();
  std::size_t fitting = 0;
  for (auto _ : state) fitting = explain::answer(question, nodes, config).answer->fitting;
  state.counters["fitting"] = static_cast<double>(fitting);
}
BENCHMARK_CAPTURE(what_if_of_10000_replicas, plain, "")
    ->Arg(5000)
    ->Arg(100000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(what_if_of_10000_replicas, zone_spread, kZoneSpread)
    ->Arg(5000)
    ->Arg(100000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(what_if_of_10000_replicas, preferred_anti_affinity, kPreferredAntiAffinity)
    ->Arg(5000)
    ->Arg(100000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(what_if_of_10000_replicas, required_affinity, kRequiredAffinity)
    ->Arg(5000)
    ->Arg(100000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podium
