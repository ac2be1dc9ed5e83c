// A what-if about many replicas: a Deployment's pods, placed one after the other on 5,000 nodes.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "controller/what_if/answer.h"

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

constexpr std::string_view kReport = R"({"metadata": {"name": "ask", "namespace": "default", "uid": "u"},
  "spec": {"dryRun": true, "template": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
    "spec": {"replicas": 10000, "selector": {"matchLabels": {"app": "web"}},
      "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "app",
        "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}}}]}}}}}})";

void what_if_of_10000_replicas(benchmark::State& state) {
  const auto nodes = make_nodes(static_cast<std::size_t>(state.range(0)));
  const auto config = config::load("", "default").value();
  const auto question =
      controller::read_question(controller::scan_report(kReport).value(), std::chrono::seconds(600)).value();
  std::size_t fitting = 0;
  for (auto _ : state) fitting = controller::answer(question, nodes, config).answer->fitting;
  state.counters["fitting"] = static_cast<double>(fitting);
}
BENCHMARK(what_if_of_10000_replicas)->Arg(5000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podium
