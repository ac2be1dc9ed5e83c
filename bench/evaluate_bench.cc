// One decision in memory, with the default profile and every node scored.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <new>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/load.h"
#include "scheduler/framework/decision.h"
#include "scheduler/framework/evaluation_memo.h"
#include "scheduler/framework/placement.h"

std::size_t allocated = 0;  // bytes, ever

// The linker passes the calls of operator new here (CMakeLists.txt), whichever allocator is linked.
extern "C" void* __real__Znwm(std::size_t size);
extern "C" void* __wrap__Znwm(std::size_t size) {
  allocated += size;
  return __real__Znwm(size);
}

namespace podium {
namespace {

using cluster::Snapshot;

api::ResourceList resources(const char* cpu, const char* memory, const char* pods = nullptr) {
  api::ResourceList list{{"cpu", *api::Quantity::parse(cpu)}, {"memory", *api::Quantity::parse(memory)}};
  if (pods) list.emplace_back("pods", *api::Quantity::parse(pods));
  return list;
}

api::NodePtr make_node(std::size_t i) {
  auto node = std::make_shared<api::Node>();
  node->meta.name = fmt::format("node-{:06}", i);
  node->meta.uid = node->meta.name;
  node->meta.labels = {{"kubernetes.io/hostname", node->meta.name},
                       {"topology.kubernetes.io/zone", fmt::format("zone-{}", i % 3)},
                       {"topology.kubernetes.io/region", "region-1"},
                       {"kubernetes.io/os", "linux"}};
  node->capacity = node->allocatable =
      i % 4 == 0 ? resources("8", "32Gi", "110") : resources("16", "64Gi", "110");
  if (i % 20 == 0) node->taints.push_back({"dedicated", "batch", api::TaintEffect::no_schedule});
  return node;
}

std::shared_ptr<api::Pod> make_pod(const std::string& name, const std::string& app) {
  auto pod = std::make_shared<api::Pod>();
  pod->meta.name = pod->meta.uid = name;
  pod->meta.namespace_ = "default";
  pod->meta.labels = {{"app", app}};
  pod->priority = 0;
  auto& container = pod->containers.emplace_back();
  container.name = "main";
  container.image = "registry.example/web:v1";
  container.requests = resources("250m", "512Mi");
  return pod;
}

// Two placed pods per node, from a hundred applications.
Snapshot make_cluster(std::size_t nodes) {
  Snapshot snapshot;
  for (std::size_t i = 0; i < nodes; ++i) snapshot.set_node(make_node(i));
  for (std::size_t i = 0; i < 2 * nodes; ++i) {
    auto pod = make_pod(fmt::format("placed-{}", i), fmt::format("app-{}", i % 100));
    pod->node_name = fmt::format("node-{:06}", i % nodes);
    snapshot.add_pod(cluster::make_pod_info(std::move(pod)));
  }
  api::Namespace ns;
  ns.meta.name = "default";
  snapshot.objects().set(std::make_shared<const api::Namespace>(ns));
  return snapshot;
}

api::PodAffinityTerm same_app(std::string topology_key) {
  api::PodAffinityTerm term;
  term.label_selector.emplace().match_labels = {{"app", "app-1"}};
  term.topology_key = std::move(topology_key);
  return term;
}

enum Kind { plain, zone_spread, preferred_anti_affinity, required_anti_affinity, required_affinity };

cluster::PodInfoPtr make_pending(Kind kind) {
  auto pod = make_pod("pending", "app-1");
  switch (kind) {
    case plain:
      break;
    case zone_spread: {
      auto& constraint = pod->topology_spread.emplace_back();
      constraint.topology_key = api::label::zone;
      constraint.label_selector.emplace().match_labels = {{"app", "app-1"}};
      break;
    }
    case preferred_anti_affinity:
      pod->pod_anti_affinity.preferred.push_back({100, same_app(std::string(api::label::hostname))});
      break;
    case required_anti_affinity:
      pod->pod_anti_affinity.required.push_back(same_app(std::string(api::label::hostname)));
      break;
    case required_affinity:
      pod->pod_affinity.required.push_back(same_app(std::string(api::label::zone)));
      break;
  }
  return cluster::make_pod_info(std::move(pod));
}

// Counters: decisions per second, and "bytes" allocated per decision.
void evaluate_pod(benchmark::State& state, Kind kind) {
  const auto config = config::load("", "");
  const auto& profile = *config->profiles.front();
  const auto snapshot = make_cluster(static_cast<std::size_t>(state.range(0)));
  const auto pod = make_pending(kind);
  const auto before = allocated;
  benchmark::DoNotOptimize(framework::evaluate(*pod, snapshot, profile));
  state.counters["bytes"] = static_cast<double>(allocated - before);
  for (auto _ : state) benchmark::DoNotOptimize(framework::evaluate(*pod, snapshot, profile));
  state.SetItemsProcessed(state.iterations());
  using Counter = benchmark::Counter;
  state.counters["per_node"] =
      Counter(static_cast<double>(state.range(0)), Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const int nodes : {1000, 5000, 15000, 100000}) b->Arg(nodes);
}

BENCHMARK_CAPTURE(evaluate_pod, plain, plain)->Apply(sizes)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate_pod, zone_spread, zone_spread)->Apply(sizes)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate_pod, preferred_anti_affinity, preferred_anti_affinity)
    ->Apply(sizes)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate_pod, required_anti_affinity, required_anti_affinity)
    ->Apply(sizes)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate_pod, required_affinity, required_affinity)
    ->Apply(sizes)
    ->Unit(benchmark::kMicrosecond);

double cpu_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Decisions as the scheduler makes them: with a memo, and each pod is placed before the next. `kinds` pods
// that ask for different amounts take turns; of 100 kinds the memo no longer knows any. The time is the CPU
// time of a decision; the counter "place_us" is that of placing.
void evaluate_stream(benchmark::State& state, std::size_t kinds) {
  const auto config = config::load("", "");
  const auto& profile = *config->profiles.front();
  auto snapshot = make_cluster(static_cast<std::size_t>(state.range(0)));
  framework::EvaluationMemo memo;
  const framework::EvaluationMemo::Use use(memo);
  std::size_t number = 0;
  double placing = 0;
  for (auto _ : state) {
    auto pod = make_pod(fmt::format("pending-{}", number), "app-1");
    const auto cpu = fmt::format("{}m", 1 + number % kinds);
    pod->containers.write().front().requests = resources(cpu.c_str(), "1Mi");
    ++number;
    const auto info = cluster::make_pod_info(std::move(pod));
    const auto began = cpu_seconds();
    {
      const auto decision = framework::evaluate(*info, snapshot, profile);
      const auto decided = cpu_seconds();
      state.SetIterationTime(decided - began);
      framework::assume(*info, *decision.choice, snapshot);
      placing += cpu_seconds() - decided;
    }
  }
  state.counters["place_us"] = benchmark::Counter(placing * 1e6, benchmark::Counter::kAvgIterations);
}
BENCHMARK_CAPTURE(evaluate_stream, equal_pods, 1)
    ->Apply(sizes)
    ->Unit(benchmark::kMicrosecond)
    ->UseManualTime()
    ->Iterations(20000);
BENCHMARK_CAPTURE(evaluate_stream, other_pods, 100)
    ->Apply(sizes)
    ->Unit(benchmark::kMicrosecond)
    ->UseManualTime()
    ->Iterations(2000);

enum Apps { preferred, required, preferred_everywhere, preferred_in_own_namespace };

// A pod of an application with anti-affinity among its pods. All pods share a label that the
// terms select too.
std::shared_ptr<api::Pod> make_app_pod(const std::string& name, std::size_t app, Apps kind) {
  auto pod = make_pod(name, fmt::format("app-{}", app));
  pod->meta.labels.set("tier", "production-frontend");
  if (kind == preferred_in_own_namespace) {
    pod->meta.namespace_ = fmt::format("team-{}", app);
    pod->meta.labels.set("app", "web");
  }
  api::PodAffinityTerm term;
  term.label_selector.emplace().match_labels = pod->meta.labels;
  term.topology_key = api::label::hostname;
  if (kind == preferred_everywhere) term.namespace_selector.emplace();
  if (kind == required)
    pod->pod_anti_affinity.required.push_back(std::move(term));
  else
    pod->pod_anti_affinity.preferred.push_back({100, std::move(term)});
  return pod;
}

// As many applications as nodes; each has three placed pods and a term of its own.
void apps_with_own_terms(benchmark::State& state, Apps kind) {
  const auto config = config::load("", "");
  const auto nodes = static_cast<std::size_t>(state.range(0));
  Snapshot snapshot;
  for (std::size_t i = 0; i < nodes; ++i) snapshot.set_node(make_node(i));
  for (std::size_t i = 0; i < 3 * nodes; ++i) {
    auto pod = make_app_pod(fmt::format("placed-{}", i), i % nodes, kind);
    pod->node_name = fmt::format("node-{:06}", (i + i / nodes * 7) % nodes);
    snapshot.add_pod(cluster::make_pod_info(std::move(pod)));
  }
  const auto pod = cluster::make_pod_info(make_app_pod("pending", 1, kind));
  for (auto _ : state)
    benchmark::DoNotOptimize(framework::evaluate(*pod, snapshot, *config->profiles.front()));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(apps_with_own_terms, preferred, preferred)->Arg(5000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(apps_with_own_terms, required, required)->Arg(5000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(apps_with_own_terms, preferred_everywhere, preferred_everywhere)
    ->Arg(5000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(apps_with_own_terms, preferred_in_own_namespace, preferred_in_own_namespace)
    ->Arg(5000)
    ->Unit(benchmark::kMicrosecond);

// The first decision finds nothing that earlier ones have kept.
void time_first(benchmark::State& state, const cluster::PodInfo& pod, const Snapshot& snapshot,
                const framework::Profile& profile) {
  const auto start = std::chrono::steady_clock::now();
  benchmark::DoNotOptimize(framework::evaluate(pod, snapshot, profile));
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  state.counters["first_ms"] = took.count();
}

// range(0) pods of higher priority, each nominated to its own node of 5,000.
void nominations(benchmark::State& state) {
  const auto config = config::load("", "");
  auto snapshot = make_cluster(5000);
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    auto pod = make_pod(fmt::format("nominated-{}", i), "app-1");
    pod->priority = 10;
    snapshot.nominate(cluster::make_pod_info(std::move(pod)), fmt::format("node-{:06}", i));
  }
  const auto pod = make_pending(plain);
  for (auto _ : state)
    benchmark::DoNotOptimize(framework::evaluate(*pod, snapshot, *config->profiles.front()));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(nominations)->Arg(10)->Arg(1000)->Unit(benchmark::kMicrosecond);

constexpr auto kDriver = "disks.example.com";

api::PersistentVolume make_volume(std::string name, std::string_view key, std::string value) {
  api::PersistentVolume volume;
  volume.meta.name = std::move(name);
  volume.storage_class = "disks";
  volume.capacity = *api::Quantity::parse("10Gi");
  volume.phase = "Available";
  api::NodeSelectorTerm term;
  term.match_expressions.push_back({std::string(key), api::Requirement::Op::in, {std::move(value)}});
  volume.node_affinity = {{std::move(term)}};
  return volume;
}

template <typename T>
void add(Snapshot& snapshot, T object) {
  snapshot.objects().set(std::make_shared<const T>(std::move(object)));
}

// A claim named after the pod, bound to a volume in that zone, or unbound.
std::shared_ptr<api::Pod> make_pod_with_claim(Snapshot& snapshot, const std::string& name, std::string zone) {
  api::PersistentVolumeClaim claim;
  claim.meta.namespace_ = "default";
  claim.meta.name = name;
  claim.storage_class = "disks";
  claim.request = *api::Quantity::parse("10Gi");
  if (!zone.empty()) {
    auto volume = make_volume("pv-" + name, api::label::zone, std::move(zone));
    volume.csi_driver = kDriver;
    volume.csi_handle = "vol-" + name;
    volume.claim = {"default", name, ""};
    claim.volume_name = volume.meta.name;
    claim.meta.annotations.set("pv.kubernetes.io/bind-completed", "yes");
    add(snapshot, std::move(volume));
  }
  add(snapshot, std::move(claim));
  auto pod = make_pod(name, "app-1");
  auto& volume = pod->volumes.emplace_back();
  volume.name = "data";
  volume.kind = api::Volume::Kind::claim;
  volume.id = name;
  return pod;
}

// Every node runs ten pods, each with a zonal volume; the driver's limit is 25 volumes per node.
Snapshot make_cluster_with_volumes(std::size_t nodes) {
  auto snapshot = make_cluster(nodes);
  api::StorageClass storage_class;
  storage_class.meta.name = "disks";
  storage_class.provisioner = kDriver;
  storage_class.wait_for_first_consumer = true;
  add(snapshot, std::move(storage_class));
  for (std::size_t i = 0; i < nodes; ++i) {
    api::CsiNode csi_node;
    csi_node.meta.name = fmt::format("node-{:06}", i);
    csi_node.drivers.push_back({kDriver, 25});
    add(snapshot, std::move(csi_node));
  }
  for (std::size_t i = 0; i < 10 * nodes; ++i) {
    auto pod =
        make_pod_with_claim(snapshot, fmt::format("stateful-{}", i), fmt::format("zone-{}", i % nodes % 3));
    pod->node_name = fmt::format("node-{:06}", i % nodes);
    snapshot.add_pod(cluster::make_pod_info(std::move(pod)));
  }
  return snapshot;
}

enum Claim { bound, to_be_provisioned, local };
enum Between { nothing, a_change };  // decisions

// The pod's claim is bound, or waits for provisioning, or can use a local volume of any node. Then a volume
// changes between the decisions.
void volumes(benchmark::State& state, Claim own, Between between = nothing) {
  const auto config = config::load("", "");
  const auto nodes = static_cast<std::size_t>(state.range(0));
  auto snapshot = make_cluster_with_volumes(nodes);
  for (std::size_t i = 0; own == local && i < nodes; ++i) {
    add(snapshot,
        make_volume(fmt::format("local-{}", i), api::label::hostname, fmt::format("node-{:06}", i)));
  }
  const auto pod =
      cluster::make_pod_info(make_pod_with_claim(snapshot, "pending", own == bound ? "zone-0" : ""));
  time_first(state, *pod, snapshot, *config->profiles.front());
  std::size_t changes = 0;
  for (auto _ : state) {
    if (between == a_change) {
      const auto i = ++changes % nodes;
      auto volume =
          make_volume(fmt::format("local-{}", i), api::label::hostname, fmt::format("node-{:06}", i));
      volume.meta.resource_version = std::to_string(changes);
      add(snapshot, std::move(volume));
    }
    benchmark::DoNotOptimize(framework::evaluate(*pod, snapshot, *config->profiles.front()));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(volumes, bound, bound)->Arg(1000)->Arg(5000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(volumes, to_be_provisioned, to_be_provisioned)
    ->Arg(1000)
    ->Arg(5000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(volumes, local, local)->Arg(1000)->Arg(5000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(volumes, local_after_a_change, local, a_change)->Arg(5000)->Unit(benchmark::kMicrosecond);

// The lists of a report: the ten best nodes, the lead of the first, five per scoring plugin, the rejections.
void rank_decision(benchmark::State& state) {
  const auto config = config::load("", "");
  const auto snapshot = make_cluster(static_cast<std::size_t>(state.range(0)));
  const auto decision = framework::evaluate(*make_pending(plain), snapshot, *config->profiles.front());
  for (auto _ : state) {
    const auto best = top_total(decision, snapshot, 10);
    benchmark::DoNotOptimize(lead_of(decision, best));
    for (const auto& strategy : decision.strategies)
      benchmark::DoNotOptimize(top_of(strategy, decision, snapshot, 5));
    benchmark::DoNotOptimize(group_rejections(decision, snapshot, 3));
  }
}
BENCHMARK(rank_decision)->Apply(sizes)->Unit(benchmark::kMicrosecond);

enum Preemptor { plain_preemptor, with_anti_affinity };

// Every node is full with thirty lower-priority pods, some of which are preempted. Then a pod leaves its node
// and another one comes between the decisions.
void preemption(benchmark::State& state, Preemptor kind, Between between = nothing) {
  const auto config = config::load("", "");
  const auto nodes = static_cast<std::size_t>(state.range(0));
  Snapshot snapshot;
  for (std::size_t i = 0; i < nodes; ++i) {
    auto node = std::make_shared<api::Node>(*make_node(i));
    node->taints.clear();
    node->allocatable = resources("7500m", "32Gi", "110");
    snapshot.set_node(std::move(node));
  }
  const auto place = [&](std::size_t i, std::string name) {
    auto pod = make_pod(name, fmt::format("app-{}", i % 100));
    pod->node_name = fmt::format("node-{:06}", i % nodes);
    pod->priority = static_cast<std::int32_t>(i % 3);
    snapshot.add_pod(cluster::make_pod_info(std::move(pod)));
  };
  for (std::size_t i = 0; i < 30 * nodes; ++i) place(i, fmt::format("placed-{}", i));
  auto preemptor = make_pod("pending", "app-1");
  preemptor->priority = 100;
  preemptor->containers.write().front().requests = resources("1", "1Gi");
  if (kind == with_anti_affinity)
    preemptor->pod_anti_affinity.required.push_back(same_app(std::string(api::label::hostname)));
  const auto pod = cluster::make_pod_info(std::move(preemptor));
  time_first(state, *pod, snapshot, *config->profiles.front());
  std::size_t changes = 0;
  for (auto _ : state) {
    if (between == a_change) {
      const auto i = changes++ % nodes;
      snapshot.remove_pod(fmt::format("placed-{}", i));
      place(i, fmt::format("placed-{}", i));
    }
    benchmark::DoNotOptimize(framework::evaluate(*pod, snapshot, *config->profiles.front()));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(preemption, plain, plain_preemptor)->Arg(1000)->Arg(5000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(preemption, plain_after_a_change, plain_preemptor, a_change)
    ->Arg(5000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(preemption, anti_affinity, with_anti_affinity)
    ->Arg(1000)
    ->Arg(5000)
    ->Unit(benchmark::kMillisecond);

void fork_of_a_snapshot(benchmark::State& state) {
  const auto snapshot = make_cluster(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    Snapshot fork = snapshot;
    benchmark::DoNotOptimize(fork);
  }
}
BENCHMARK(fork_of_a_snapshot)->Apply(sizes)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace podium

BENCHMARK_MAIN();
