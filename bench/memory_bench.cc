// What each kind of object costs in memory: the resident bytes of the process before and after many of them.
#include <fmt/format.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <fstream>
#include <vector>

#include "api/decode/decode.h"
#include "base/clock.h"
#include "controller/recorder/decision_memory.h"
#include "controller/recorder/packed_status.h"
#include "explain/report/json.h"
#include "explain/report/project.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/load.h"
#include "scheduler/framework/decision.h"
#include "scheduler/live/recent.h"

namespace podium {
namespace {

namespace json = boost::json;

constexpr std::size_t kNodes = 5'000, kPods = 20'000;

std::size_t resident() {
  std::size_t all = 0, in_memory = 0;
  std::ifstream("/proc/self/statm") >> all >> in_memory;
  return in_memory * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Prints what `make` adds, for each of `count`. What it returns lives until the end of the program.
template <typename Make>
auto measure(const char* what, std::size_t count, Make make) {
  const auto before = resident();
  auto made = make();
  fmt::print("{:48} {:7.0f}\n", what, static_cast<double>(resident() - before) / static_cast<double>(count));
  return made;
}

std::string images(std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += fmt::format(R"({}{{"names":["registry.example/team/app-{}@sha256:{:064x}",)"
                       R"("registry.example/team/app-{}:v1"],"sizeBytes":{}}})",
                       i == 0 ? "" : ",", i, i, i, 1'000'000 * (i + 1));
  }
  return out;
}

live::Recent recent;  // objects that arrive share lists

api::NodePtr make_node(std::size_t i, std::size_t image_count) {
  const auto text = fmt::format(
      R"({{"metadata":{{"name":"node-{0:06}","uid":"a10de3b6-e769-4744-a4f6-4ec21f{0:06}","labels":{{)"
      R"("kubernetes.io/hostname":"node-{0:06}","topology.kubernetes.io/zone":"zone-{1}",)"
      R"("topology.kubernetes.io/region":"r1","kubernetes.io/os":"linux","kubernetes.io/arch":"amd64",)"
      R"("node.kubernetes.io/instance-type":"type-0"}}}},"spec":{{}},"status":{{"allocatable":{{"cpu":"32",)"
      R"("memory":"256Gi","pods":"110","ephemeral-storage":"1Ti"}},"capacity":{{"cpu":"32","memory":"256Gi",)"
      R"("pods":"110","ephemeral-storage":"1Ti"}},"images":[{2}]}}}})",
      i, i % 3, images(image_count));
  return recent.nodes.shared(api::decode_node(json::parse(text)).value());
}

cluster::PodInfoPtr make_pod(std::size_t i, const std::string& app, bool is_placed) {
  const auto node = is_placed ? fmt::format(R"("nodeName":"node-{:06}",)", i % kNodes) : "";
  const auto text = fmt::format(
      R"({{"metadata":{{"name":"web-7d4b9c6f5d-{0:05}","namespace":"production",)"
      R"("uid":"8bbe0000-0000-4a48-a8b4-f3bc739{0:05}","resourceVersion":"{0}","labels":{{"app":"{1}",)"
      R"("pod-template-hash":"7d4b9c6f5d"}},"creationTimestamp":"2026-11-27T07:19:11Z"}},"spec":{{{2})"
      R"("containers":[{{"name":"main","image":"registry.example/team/app:v1","resources":{{"requests":{{)"
      R"("cpu":"100m","memory":"500Mi"}}}}}}],"schedulerName":"default-scheduler","priority":0,"tolerations":[)"
      R"({{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}},)"
      R"({{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute",)"
      R"("tolerationSeconds":300}}]}},"status":{{"phase":"Pending"}}}})",
      i, app, node);
  auto pod = api::decode_pod(json::parse(text)).value();
  recent.pods.share(pod);
  return cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(pod)));
}

cluster::Snapshot nodes_with(std::size_t image_count) {
  cluster::Snapshot snapshot;
  for (std::size_t i = 0; i < kNodes; ++i) snapshot.set_node(make_node(i, image_count));
  return snapshot;
}

struct Fixed final : Clock {
  Steady now() const override { return Steady(); }
  Wall wall() const override { return Wall(std::chrono::seconds(1'795'763'951)); }
};

}  // namespace

int run() {
  fmt::print("{:48} {:>7}\n", "kind", "bytes");
  const auto bare = measure("a node, one image", kNodes, [] { return nodes_with(1); });
  const auto full = measure("a node, 40 images", kNodes, [] { return nodes_with(40); });
  auto placed = bare;
  measure("a placed pod of a Deployment", kPods, [&] {
    for (std::size_t i = 0; i < kPods; ++i) placed.add_pod(make_pod(i, "web", true));
    return 0;
  });
  auto own = bare;
  measure("a placed pod with labels of its own", kPods, [&] {
    for (std::size_t i = 0; i < kPods; ++i) own.add_pod(make_pod(i, fmt::format("app-{}", i), true));
    return 0;
  });
  const auto config = config::load("", "");
  const auto pod = make_pod(99'999, "web", false);
  const auto decision = framework::evaluate(*pod, placed, *config->profiles.front());
  auto status = explain::project(*pod, decision, placed);
  status.outcome = explain::kScheduled;
  status.profile = "default-scheduler";
  status.decided_at = Fixed().wall();
  status.expires_at = Fixed().wall() + std::chrono::hours(1);
  status.conditions = {{"Complete", true, "Scheduled", "placed on " + status.choice->node, Fixed().wall()}};
  const auto packed = controller::pack(status);
  const auto waiting = measure("a report that waits to be written", kPods,
                               [&] { return std::vector<std::string>(kPods, packed); });
  Fixed clock;
  controller::DecisionMemory memory(clock, {.bytes = std::size_t{1} << 30});
  measure("a remembered decision", kPods, [&] {
    for (std::size_t i = 0; i < kPods; ++i) {
      memory.remember("production", fmt::format("web-7d4b9c6f5d-{:05}", i),
                      fmt::format("8bbe0000-0000-4a48-a8b4-f3bc739{:05}", i), status, packed);
    }
    return 0;
  });
  fmt::print("{:48} {:7}\n", "  as podium counts it", memory.counts().bytes / kPods);
  fmt::print("{:48} {:7}\n", "  its packed status", packed.size());
  fmt::print("{:48} {:7}\n", "  its JSON", explain::to_text(status).size());
  return 0;
}

}  // namespace podium

int main() { return podium::run(); }
