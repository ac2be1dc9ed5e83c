#include "scheduler/plugins/node_resources/strategies.h"

#include "unit/scheduler/plugins/resource_reference.h"

namespace podium::plugins::test::node_resources_score_test {
namespace {

std::string fit_args(std::string_view type, std::string_view resources, std::string_view shape = "[]") {
  return R"({"scoringStrategy": {"type": ")" + std::string(type) + R"(", "resources": )" +
         std::string(resources) + R"(, "requestedToCapacityRatio": {"shape": )" + std::string(shape) + "}}}";
}
constexpr std::string_view kCpuAndMemory =
    R"([{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}])";

TEST(NodeResourcesFit, Score) {
  const auto sized = [](const char* name, const char* cpu, const char* memory) {
    return node(name).cap("cpu", cpu).cap("memory", memory).cap("pods", "32");
  };
  const Nodes two{sized("a", "4", "10000"), sized("b", "6", "10000")};
  const auto on = [](const char* node, const char* cpu, const char* memory) {
    return pod(node).node(node).req("cpu", cpu).req("memory", memory);
  };
  const std::string least = fit_args("LeastAllocated", kCpuAndMemory);
  const std::string most = fit_args("MostAllocated", kCpuAndMemory);
  const std::string ratio =
      fit_args("RequestedToCapacityRatio", kCpuAndMemory,
               R"([{"utilization": 0, "score": 10}, {"utilization": 100, "score": 0}])");
  const std::string bell = fit_args("RequestedToCapacityRatio", R"([{"name": "cpu", "weight": 3}])",
                                    R"([{"utilization": 10, "score": 1}, {"utilization": 50, "score": 10},
                                        {"utilization": 90, "score": 0}])");
  const struct {
    const char* name;
    std::string args;
    api::Pod pod;
    Nodes nodes;
    Pods placed;
    Scores want;
  } cases[] = {
      {"least: by default",
       "{}",
       pod("p").req("cpu", "3").req("memory", "5000"),
       two,
       {},
       {{"a", (25 + 50) / 2}, {"b", (50 + 50) / 2}}},
      {"least: what runs there counts",
       least,
       pod("p").req("cpu", "1").req("memory", "0"),
       two,
       {on("a", "1", "5000"), on("b", "4", "0")},
       {{"a", (50 + 50) / 2}, {"b", (16 + 100) / 2}}},
      {"least: more than there is",
       least,
       pod("p").req("cpu", "5").req("memory", "5000"),
       two,
       {},
       {{"a", 25}, {"b", (16 + 50) / 2}}},
      {"least: no request counts as 100m and 200Mi",
       least,
       pod("p").container(),
       {sized("a", "1", "2000Mi")},
       {},
       {{"a", 90}}},
      {"least: such pods on the node as well",
       least,
       pod("p").req("cpu", "0").req("memory", "0"),
       {sized("a", "1", "2000Mi")},
       {pod("x").node("a").container()},
       {{"a", 90}}},
      {"least: pod-level requests of the incoming pod do not count",
       least,
       pod("p").req("cpu", "1").req("memory", "0").pod_req("cpu", "4"),
       {sized("a", "4", "1Gi")},
       {},
       {{"a", (75 + 100) / 2}}},
      {"least: a missing resource is left out",
       least,
       pod("p").req("cpu", "1").req("memory", "1"),
       {node("a").cap("cpu", "4"), node("b")},
       {},
       {{"a", 75}, {"b", 0}}},
      {"least: weights",
       fit_args("LeastAllocated", R"([{"name": "cpu", "weight": 3}, {"name": "memory", "weight": 1}])"),
       pod("p").req("cpu", "1").req("memory", "5000"),
       two,
       {},
       {{"a", (75 * 3 + 50) / 4}, {"b", (83 * 3 + 50) / 4}}},
      {"least: extended resources that are not requested are left out",
       fit_args("LeastAllocated",
                R"([{"name": "cpu", "weight": 1}, {"name": "example.com/gpu", "weight": 9}])"),
       pod("p").req("cpu", "1"),
       {sized("a", "4", "1Gi").cap("example.com/gpu", "4")},
       {},
       {{"a", 75}}},
      {"least: extended resources that are requested",
       fit_args("LeastAllocated",
                R"([{"name": "cpu", "weight": 1}, {"name": "example.com/gpu", "weight": 9}])"),
       pod("p").req("cpu", "1").req("example.com/gpu", "2"),
       {sized("a", "4", "1Gi").cap("example.com/gpu", "4"), sized("b", "4", "1Gi")},
       {},
       {{"a", (75 + 50 * 9) / 10}, {"b", 75}}},
      {"least: ephemeral storage always counts",
       fit_args("LeastAllocated", R"([{"name": "ephemeral-storage", "weight": 1}])"),
       pod("p"),
       {sized("a", "1", "1").cap("ephemeral-storage", "100")},
       {pod("x").node("a").req("ephemeral-storage", "30")},
       {{"a", 70}}},
      {"most",
       most,
       pod("p").req("cpu", "3").req("memory", "5000"),
       two,
       {},
       {{"a", (75 + 50) / 2}, {"b", 50}}},
      {"most: more than there is counts as all",
       most,
       pod("p").req("cpu", "5").req("memory", "5000"),
       two,
       {},
       {{"a", (100 + 50) / 2}, {"b", (83 + 50) / 2}}},
      {"ratio: nothing used",
       ratio,
       pod("p").req("cpu", "0").req("memory", "0"),
       two,
       {},
       {{"a", 100}, {"b", 100}}},
      {"ratio: resources with score 0 are left out",
       ratio,
       pod("p").req("cpu", "4").req("memory", "5000"),
       two,
       {},
       {{"a", 50}, {"b", 42}}},
      {"ratio: between the points",
       bell,
       pod("p").req("cpu", "3"),
       {sized("a", "10", "1"), sized("b", "60", "1"), sized("c", "4", "1"), sized("d", "3", "1")},
       {},
       {{"a", 55}, {"b", 10}, {"c", 38}, {"d", 0}}},
      {"ratio: halves round up",
       fit_args("RequestedToCapacityRatio", kCpuAndMemory,
                R"([{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}])"),
       pod("p").req("cpu", "1").req("memory", "5100"),
       two,
       {},
       {{"a", 38}, {"b", 34}}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(score(make(make_node_resources_fit, c.args), c.pod, snapshot_of(c.nodes, c.placed)), c.want)
        << c.name;
  }
}

// Node "plugin" has 4 of the resource, "dra" 4 devices of which 1 is in use, "none" neither.
Snapshot nodes_with_devices(std::vector<std::string> selectors) {
  const auto sized = [](const char* name) { return node(name).cap("cpu", "4"); };
  auto snapshot = snapshot_of({sized("plugin").cap("example.com/gpu", "4"), sized("dra"), sized("none")}, {});
  api::DeviceClass gpu;
  gpu.meta.name = "gpu";
  gpu.extended_resource_name = "example.com/gpu";
  gpu.selectors = std::move(selectors);
  snapshot.objects().set(podium::test::share(gpu));
  api::ResourceSlice slice;
  slice.meta.name = "slice";
  slice.driver = "gpu.example.com";
  slice.pool = {.name = "pool", .generation = 1, .slice_count = 1};
  slice.nodes.name = "dra";
  slice.devices.resize(4);
  for (std::size_t i = 0; i < 4; ++i) slice.devices[i].name = "gpu-" + std::to_string(i);
  snapshot.objects().set(podium::test::share(slice));
  api::ResourceClaim claim;
  claim.meta.namespace_ = "default";
  claim.meta.name = "c";
  claim.status.allocation.emplace();
  claim.status.allocation->results = {
      {.request = "r", .driver = slice.driver, .pool = "pool", .device = "gpu-1"}};
  snapshot.objects().set(podium::test::share(claim));
  return snapshot;
}

constexpr std::string_view kGpus = R"([{"name": "example.com/gpu", "weight": 1}])";

// What is asked for is on top of what is in use.
TEST(NodeResourcesFit, ScoresOfDevicesBehindAnExtendedResource) {
  const auto plugin = make(make_node_resources_fit, fit_args("MostAllocated", kGpus));
  const api::Pod asks = pod("p").req("example.com/gpu", "2");
  EXPECT_EQ(score(plugin, asks, nodes_with_devices({})), (Scores{{"plugin", 50}, {"dra", 75}, {"none", 0}}));
  EXPECT_EQ(score(plugin, asks, nodes_with_devices({"device.driver == 'other'"})),
            (Scores{{"plugin", 50}, {"dra", 0}, {"none", 0}}));
  EXPECT_EQ(score(plugin, asks, nodes_with_devices({"1 / 0 == 1"})),
            (Scores{{"plugin", 50}, {"dra", 0}, {"none", 0}}));
  EXPECT_EQ(score(plugin, pod("p"), nodes_with_devices({})), (Scores{{"plugin", 0}, {"dra", 0}, {"none", 0}}))
      << "it is not asked for";

  const api::Pod by_class = pod("p").req("deviceclass.resource.kubernetes.io/gpu", "1");
  const auto of_class = make(make_node_resources_fit,
                             fit_args("LeastAllocated", R"([{"name": "deviceclass.resource.kubernetes.io/gpu",
                                                             "weight": 1}])"));
  EXPECT_EQ(score(of_class, by_class, nodes_with_devices({})),
            (Scores{{"plugin", 0}, {"dra", 50}, {"none", 0}}));
}

// Upstream's plugin crashes for a class with selectors.
TEST(NodeResourcesBalancedAllocation, CountsDevicesBehindAnExtendedResource) {
  const auto plugin =
      make(make_node_resources_balanced_allocation,
           R"({"resources": [{"name": "cpu", "weight": 1}, {"name": "example.com/gpu", "weight": 1}]})");
  const api::Pod asks = pod("p").req("cpu", "2").req("example.com/gpu", "1");
  // plugin: 1/2 and 1/4 after 0 and 0: 87 of 100. dra: 1/2 and 2/4 after 0 and 1/4: 100 after 87.
  const Scores want{{"plugin", 50 + (50 + 87 - 100) / 2}, {"dra", 50 + (50 + 100 - 87) / 2}, {"none", 75}};
  EXPECT_EQ(score(plugin, asks, nodes_with_devices({})), want);
  EXPECT_EQ(score(plugin, asks, nodes_with_devices({"device.driver == 'gpu.example.com'"})), want);
}

TEST(NodeResourcesFit, ShapeIsTabulated) {
  const auto table = tabulate_shape({{10, 2}, {30, 10}, {70, 1}});
  std::vector<std::int32_t> want;
  for (int p = 0; p <= 100; ++p) {
    if (p <= 10)
      want.push_back(20);
    else if (p <= 30)
      want.push_back(20 + 80 * (p - 10) / 20);
    else if (p <= 70)
      want.push_back(100 + -90 * (p - 30) / 40);
    else
      want.push_back(10);
  }
  EXPECT_EQ(table, want);
}

// All strategies on several chunks, small and huge amounts, compared with plain wide division.
TEST(NodeResourcesFit, RandomScoresAgreeWithPlainDivision) {
  SCOPED_SEED(test_seed());
  const std::vector<Weighted> resources{
      {"cpu", 3}, {"memory", 100}, {"ephemeral-storage", 7}, {"example.com/gpu", 1}, {"hugepages-2Mi", 11}};
  std::string list;
  for (const auto& [name, weight] : resources) {
    list += (list.empty() ? "[" : ", ") + (R"({"name": ")" + name + R"(", "weight": )") +
            std::to_string(weight) + "}";
  }
  list += "]";
  const std::string shape = R"([{"utilization": 0, "score": 0}, {"utilization": 40, "score": 9},
                                {"utilization": 100, "score": 3}])";
  const auto table = tabulate_shape({{0, 0}, {40, 9}, {100, 3}});
  using Score = std::optional<std::int64_t>;
  const auto least = [](__int128 used, std::int64_t all) -> Score {
    return used > all ? 0 : static_cast<std::int64_t>((all - used) * 100 / all);
  };
  const auto most = [](__int128 used, std::int64_t all) -> Score {
    return static_cast<std::int64_t>(std::min<__int128>(used, all) * 100 / all);
  };
  const auto ratio = [&](__int128 used, std::int64_t all) -> Score {
    const auto score = table[used > all ? 100 : static_cast<std::int64_t>(used * 100 / all)];
    return score > 0 ? Score(score) : std::nullopt;
  };
  const auto truncated = [](std::int64_t sum, std::int64_t weights) { return sum / weights; };
  const auto rounded = [](std::int64_t sum, std::int64_t weights) {
    return static_cast<std::int64_t>(std::round(static_cast<double>(sum) / static_cast<double>(weights)));
  };
  for (const bool huge : {false, true}) {
    RandomResources random(test_seed(), huge);
    const auto snapshot = snapshot_of(random.nodes(1200), random.placed(3000, 1200));
    for (int round = 0; round < 10; ++round) {
      const auto incoming = random.incoming();
      const auto target = info(incoming);
      Scores want_least, want_most, want_ratio;
      snapshot.present().each([&](cluster::Row row) {
        const std::string name(snapshot.node_name(row));
        want_least[name] = reference_score(snapshot, row, *target, resources, least, truncated);
        want_most[name] = reference_score(snapshot, row, *target, resources, most, truncated);
        want_ratio[name] = reference_score(snapshot, row, *target, resources, ratio, rounded);
      });
      const auto scores = [&](const char* type) {
        return score(make(make_node_resources_fit, fit_args(type, list, shape)), incoming, snapshot);
      };
      EXPECT_EQ(scores("LeastAllocated"), want_least);
      EXPECT_EQ(scores("MostAllocated"), want_most);
      EXPECT_EQ(scores("RequestedToCapacityRatio"), want_ratio);
    }
  }
}

}  // namespace
}  // namespace podium::plugins::test::node_resources_score_test
