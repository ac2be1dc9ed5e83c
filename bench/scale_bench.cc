// A cluster larger than any API server holds, in memory: what it costs to load, to keep, and to decide on.
//
//   build/release/bench/scale_bench [NODES [PODS]]     default: 1,000,000 nodes and 5,000,000 placed pods
//
// Each object is JSON that is decoded as one from the API server is. Prints a Markdown table: CPU time and
// resident memory after each step, and what each object costs.
#include <fmt/format.h>

#include <unistd.h>
#include <boost/json/parse.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "api/decode/decode.h"
#include "base/check.h"
#include "explain/answer/answer.h"
#include "scheduler/config/load.h"
#include "scheduler/framework/decision.h"
#include "scheduler/framework/evaluation_memo.h"
#include "scheduler/framework/placement.h"

namespace podium {
namespace {

constexpr std::size_t kPodsOfAnApplication = 100;
constexpr std::size_t kZones = 100;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double resident_mib() {
  std::ifstream file("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  file >> size >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

std::string node_name(std::size_t i) { return fmt::format("node-{:07}", i); }

std::string node_json(std::size_t i) {
  return fmt::format(R"({{"metadata": {{"name": "{0}", "uid": "n-{1}", "resourceVersion": "{1}", "labels": {{
    "kubernetes.io/hostname": "{0}", "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
    "topology.kubernetes.io/region": "r{2}", "topology.kubernetes.io/zone": "z{3}",
    "node.kubernetes.io/instance-type": "m{4}"}}}},
  "spec": {{"providerID": "cloud:///{0}"}},
  "status": {{"capacity": {{"cpu": "32", "memory": "128Gi", "pods": "110"}},
    "allocatable": {{"cpu": "31500m", "memory": "120Gi", "pods": "110"}},
    "images": [{{"names": ["registry.example/app-{5}:v1"], "sizeBytes": 80000000}},
      {{"names": ["registry.example/agent:v2"], "sizeBytes": 40000000}}]}}}})",
                     node_name(i), i, i % 4, i % kZones, i % 7, i % 1000);
}

std::string pod_json(std::size_t i, std::string_view node) {
  const auto app = i / kPodsOfAnApplication;
  return fmt::format(R"({{"metadata": {{"name": "app-{0}-6b7f9-{1}", "namespace": "team-{2}", "uid": "p-{1}",
    "resourceVersion": "{1}", "creationTimestamp": "2026-11-01T10:00:00Z",
    "labels": {{"app": "app-{0}", "pod-template-hash": "6b7f9"}},
    "ownerReferences": [{{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "app-{0}-6b7f9", "uid": "r-{0}",
      "controller": true}}]}},
  "spec": {{{3}"schedulerName": "default-scheduler", "priority": 0, "serviceAccountName": "default",
    "containers": [{{"name": "main", "image": "registry.example/app-{4}:v1", "resources": {{
      "requests": {{"cpu": "{5}m", "memory": "512Mi"}}, "limits": {{"memory": "1Gi"}}}}}}],
    "tolerations": [{{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute",
        "tolerationSeconds": 300}},
      {{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute",
        "tolerationSeconds": 300}}]}},
  "status": {{"phase": "{6}"}}}})",
                     app, i, app % 1000, node.empty() ? "" : fmt::format(R"("nodeName": "{}", )", node),
                     app % 1000, 250 * (1 + app % 4), node.empty() ? "Pending" : "Running");
}

cluster::PodInfoPtr read_pod(const std::string& text) {
  auto pod = api::decode_pod(boost::json::parse(text));
  PODIUM_CHECK(pod.has_value());
  return cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(*pod)));
}

// Prints a line for what was done since the last one. `count`: how often; with_memory: also bytes for each.
class Table {
 public:
  Table() {
    std::puts("| step | CPU | for each | resident MiB | bytes for each |\n|---|---:|---:|---:|---:|");
  }
  void row(std::string_view step, std::size_t count, bool with_memory = false) {
    const auto cpu = cpu_seconds() - cpu_, mib = resident_mib();
    const auto bytes =
        with_memory ? fmt::format("{:.0f}", (mib - mib_) * (1 << 20) / static_cast<double>(count)) : "";
    fmt::print("| {} | {:.2f} s | {} | {:.0f} | {} |\n", step, cpu,
               for_each(cpu / static_cast<double>(count)), mib, bytes);
    std::fflush(stdout);
    cpu_ = cpu_seconds(), mib_ = mib;
  }

 private:
  static std::string for_each(double seconds) {
    return seconds < 1e-3 ? fmt::format("{:.1f} µs", seconds * 1e6) : fmt::format("{:.2f} ms", seconds * 1e3);
  }
  double cpu_ = cpu_seconds(), mib_ = resident_mib();
};

// Decides on pods that differ only in their names, and places each.
void decide(Table& table, std::string_view what, std::size_t app, std::size_t count,
            const framework::Profile& profile, cluster::Snapshot& snapshot, std::size_t placed,
            bool with_memo) {
  framework::EvaluationMemo memo;
  std::optional<framework::EvaluationMemo::Use> use;
  if (with_memo) use.emplace(memo);
  for (std::size_t i = 0; i < count; ++i) {
    const auto pod = read_pod(pod_json(placed + app * kPodsOfAnApplication + i, ""));
    const auto decision = framework::evaluate(*pod, snapshot, profile);
    PODIUM_CHECK(decision.fits());
    PODIUM_CHECK(!framework::place(pod, *decision.choice, profile, snapshot));
    if (i == 0 && with_memo) table.row(fmt::format("{}: the first", what), 1);
  }
  table.row(what, with_memo ? count - 1 : count);
}

explain::Question read_question(std::string_view spec) {
  const auto text = fmt::format(
      R"({{"metadata": {{"name": "ask", "namespace": "team-0", "uid": "u"}}, "spec": {}}})", spec);
  auto question = explain::read_question(explain::scan_report(text).value(), std::chrono::seconds(600));
  PODIUM_CHECK(question.has_value(), question.error().message);
  return std::move(*question);
}

int run(std::size_t nodes, std::size_t pods) {
  Table table;
  cluster::Snapshot snapshot;
  for (std::size_t i = 0; i < nodes; ++i)
    snapshot.set_node(
        std::make_shared<const api::Node>(api::decode_node(boost::json::parse(node_json(i))).value()));
  table.row(fmt::format("load {} nodes", nodes), nodes, true);
  // A step that has no common divisor with the number of nodes spreads an application over the cluster.
  for (std::size_t i = 0; i < pods; ++i) snapshot.add_pod(read_pod(pod_json(i, node_name(i * 7919 % nodes))));
  table.row(fmt::format("load {} placed pods", pods), pods, true);

  const auto config = config::load("", "default").value();
  const auto& profile = *config.profiles.front();
  for (std::size_t i = 0; i < 100; ++i) {
    [[maybe_unused]] const cluster::Snapshot fork = snapshot;  // NOLINT: the copy is what is measured
  }
  table.row("fork the snapshot", 100);
  decide(table, "a decision without a memo", 1, 20, profile, snapshot, pods, false);
  decide(table, "a decision about an equal pod", 2, 1000, profile, snapshot, pods, true);

  const auto replicas =
      read_question(R"({"dryRun": true, "template": {"apiVersion": "apps/v1", "kind": "Deployment",
    "metadata": {"name": "web"}, "spec": {"replicas": 1000, "selector": {"matchLabels": {"app": "web"}},
      "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "app",
        "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}}}]}}}}})");
  PODIUM_CHECK(explain::answer(replicas, snapshot, config).answer->fitting == 1000);
  table.row("a what-if of 1,000 replicas", 1);
  const auto drain = read_question(fmt::format(
      R"({{"dryRun": true, "template": {{"apiVersion": "v1", "kind": "Pod", "spec": {{"containers": [{{"name": "none", "image": "none"}}]}}}},
        "changes": [{{"type": "DrainNode", "nodeName": "{}"}}]}})",
      node_name(nodes / 2)));
  PODIUM_CHECK(explain::answer(drain, snapshot, config).answer.has_value());
  table.row("a what-if of a drain", 1);
  return 0;
}

std::optional<std::size_t> read_count(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0) return std::nullopt;
  return value;
}

}  // namespace
}  // namespace podium

int main(int argc, char** argv) {
  const auto nodes = argc > 1 ? podium::read_count(argv[1]) : 1'000'000;
  const auto pods = argc > 2 ? podium::read_count(argv[2]) : nodes.value_or(0) * 5;
  if (argc > 3 || !nodes || !pods) {
    std::fputs("usage: scale_bench [NODES [PODS]]\n", stderr);
    return 2;
  }
  return podium::run(*nodes, *pods);
}
