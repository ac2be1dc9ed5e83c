#include "api/values/device.h"
#include "scheduler/cluster/snapshot.h"
#include "unit/scheduler/plugins/resource_reference.h"

namespace podium::plugins::test::node_resources_fit_test {
namespace {

auto sized(const char* name, const char* cpu = "10", const char* memory = "20Gi") {
  return node(name).cap("cpu", cpu).cap("memory", memory).cap("pods", "32");
}

TEST(NodeResourcesFit, Filter) {
  const auto on = [](const char* name, const char* cpu, const char* memory) {
    return pod(name).node("n").req("cpu", cpu).req("memory", memory);
  };
  const api::Pod half = on("half", "5", "10Gi"), full = on("full", "10", "20Gi"),
                 over = on("over", "12", "4Gi");
  const auto n = [] { return sized("n"); };
  const auto with_gpu = [] { return sized("n").cap("example.com/gpu", "4").cap("hugepages-2Mi", "8Mi"); };
  const struct {
    const char* name;
    api::Pod pod;
    api::Node node;
    Pods placed;
    std::string want;  // on node n; empty: fits
  } cases[] = {
      {"nothing requested on a full node", pod("p"), n(), {full}, ""},
      {"fits exactly", pod("p").req("cpu", "5").req("memory", "10Gi"), n(), {half}, ""},
      {"cpu", pod("p").req("cpu", "6").req("memory", "1Gi"), n(), {half}, "U; Insufficient cpu"},
      {"memory", pod("p").req("cpu", "5").req("memory", "11Gi"), n(), {half}, "U; Insufficient memory"},
      {"both",
       pod("p").req("cpu", "6").req("memory", "11Gi"),
       n(),
       {half},
       "U; Insufficient cpu; Insufficient memory"},
      {"more than the node has", pod("p").req("cpu", "11"), n(), {}, "UU; Insufficient cpu"},
      {"more than the node has of one, more than is free of another",
       pod("p").req("cpu", "6").req("memory", "21Gi"),
       n(),
       {half},
       "UU; Insufficient cpu; Insufficient memory"},
      {"a zero request of what is overcommitted",
       pod("p").req("cpu", "0").req("memory", "1Gi"),
       n(),
       {over},
       ""},
      {"any request of what is overcommitted", pod("p").req("cpu", "1m"), n(), {over}, "U; Insufficient cpu"},
      {"init containers count at their peak",
       pod("p").req("cpu", "1").init_container().req("cpu", "6"),
       n(),
       {half},
       "U; Insufficient cpu"},
      {"the largest of the init containers counts",
       pod("p").req("cpu", "1").init_container("i").req("cpu", "6").init_container("j").req("cpu", "2"),
       n(),
       {half},
       "U; Insufficient cpu"},
      {"init containers do not add up",
       pod("p").req("cpu", "5").init_container("i").req("cpu", "5").init_container("j").req("cpu", "5"),
       n(),
       {half},
       ""},
      {"sidecars add up",
       pod("p").req("cpu", "3").sidecar().req("cpu", "3"),
       n(),
       {half},
       "U; Insufficient cpu"},
      {"requests and overhead fit exactly", pod("p").req("cpu", "4").overhead("cpu", "1"), n(), {half}, ""},
      {"overhead counts", pod("p").req("cpu", "5").overhead("cpu", "1m"), n(), {half}, "U; Insufficient cpu"},
      {"pod-level requests count",
       pod("p").req("cpu", "1").pod_req("cpu", "6"),
       n(),
       {half},
       "U; Insufficient cpu"},
      {"ephemeral storage",
       pod("p").req("ephemeral-storage", "2Gi"),
       sized("n").cap("ephemeral-storage", "1Gi"),
       {},
       "UU; Insufficient ephemeral-storage"},
      {"too many pods", pod("p"), sized("n").cap("pods", "1"), {half}, "U; Too many pods"},
      {"no room for pods at all", pod("p"), node("n").cap("cpu", "1"), {}, "U; Too many pods"},
      {"too many pods and more",
       pod("p").req("cpu", "6"),
       sized("n").cap("pods", "1"),
       {half},
       "U; Too many pods; Insufficient cpu"},
      {"an extended resource fits", pod("p").req("example.com/gpu", "4"), with_gpu(), {}, ""},
      {"an extended resource is taken",
       pod("p").req("example.com/gpu", "2"),
       with_gpu(),
       {pod("a").node("n").req("example.com/gpu", "3")},
       "U; Insufficient example.com/gpu"},
      {"an init container's extended resource is taken",
       pod("p").init_container().req("example.com/gpu", "2"),
       with_gpu(),
       {pod("a").node("n").req("example.com/gpu", "3")},
       "U; Insufficient example.com/gpu"},
      {"extended resources of init containers do not add up",
       pod("p")
           .init_container("i")
           .req("example.com/gpu", "3")
           .init_container("j")
           .req("example.com/gpu", "3"),
       with_gpu(),
       {},
       ""},
      {"those of containers do",
       pod("p").req("example.com/gpu", "3").container("c").req("example.com/gpu", "3"),
       with_gpu(),
       {},
       "UU; Insufficient example.com/gpu"},
      {"a resource of Kubernetes' own domain",
       pod("p").req("kubernetes.io/thing", "1"),
       with_gpu(),
       {},
       "UU; Insufficient kubernetes.io/thing"},
      {"an extended resource that no node has",
       pod("p").req("example.com/tpu", "1"),
       with_gpu(),
       {},
       "UU; Insufficient example.com/tpu"},
      {"none of a resource that no node has", pod("p").req("example.com/tpu", "0"), with_gpu(), {}, ""},
      {"huge pages", pod("p").req("hugepages-2Mi", "10Mi"), with_gpu(), {}, "UU; Insufficient hugepages-2Mi"},
      {"huge pages of an init container",
       pod("p").init_container().req("hugepages-2Mi", "10Mi"),
       with_gpu(),
       {},
       "UU; Insufficient hugepages-2Mi"},
      {"huge pages of all containers",
       pod("p").req("hugepages-2Mi", "6Mi").container("c").req("hugepages-2Mi", "4Mi"),
       with_gpu(),
       {},
       "UU; Insufficient hugepages-2Mi"},
      {"huge pages of the pod as a whole",
       pod("p").pod_req("hugepages-2Mi", "10Mi"),
       with_gpu(),
       {},
       "UU; Insufficient hugepages-2Mi"},
      {"which fit", pod("p").pod_req("hugepages-2Mi", "8Mi").req("hugepages-2Mi", "4Mi"), with_gpu(), {}, ""},
      {"several, by name",
       pod("p").req("example.com/b", "1").req("example.com/a", "1").req("cpu", "11"),
       n(),
       {},
       "UU; Insufficient cpu; Insufficient example.com/a; Insufficient example.com/b"},
      {"ignored by name", pod("p").req("ignored.com/x", "1"), n(), {}, ""},
      {"ignored by group", pod("p").req("group.com/x", "1"), n(), {}, ""},
      {"one of two is ignored",
       pod("p").req("group.com/x", "1").req("other.com/x", "1"),
       n(),
       {},
       "UU; Insufficient other.com/x"},
      {"huge pages cannot be ignored",
       pod("p").req("hugepages-2Mi", "2Mi"),
       n(),
       {},
       "UU; Insufficient hugepages-2Mi"},
  };
  const auto plugin =
      make(make_node_resources_fit, R"({"ignoredResources": ["ignored.com/x", "hugepages-2Mi"],
                                                        "ignoredResourceGroups": ["group.com", "hugepages-2Mi"]})");
  for (const auto& c : cases) {
    const auto answers = filter(plugin, c.pod, snapshot_of({c.node}, c.placed));
    EXPECT_EQ(answers, c.want.empty() ? Answers{} : (Answers{{"n", c.want}})) << c.name;
  }
}

TEST(NodeResourcesFit, CheckWithPodsAddedAndRemoved) {
  const auto snapshot = snapshot_of({sized("n").cap("pods", "2")},
                                    {pod("a").node("n").req("cpu", "8"), pod("b").node("n").req("cpu", "1")});
  const auto plugin = make(make_node_resources_fit);
  const auto row = *snapshot.find_row("n");
  const auto check = [&](const api::Pod& incoming, const framework::PodDelta& delta) {
    const auto target = info(incoming);
    const auto prepared =
        dynamic_cast<const framework::FilterPlugin&>(*plugin).prepare_filter(*target, snapshot);
    const auto verdict = prepared.filter->check(row, delta);
    return verdict ? text_of(*verdict) : "";
  };
  const std::vector<cluster::PodInfoPtr> placed = snapshot.entry(row).pods;
  const std::span first(placed.data(), 1);
  const std::vector<cluster::PodInfoPtr> nominated{info(pod("c").req("cpu", "3"))};
  EXPECT_EQ(check(pod("p").req("cpu", "2"), {}), "U; Too many pods; Insufficient cpu");
  EXPECT_EQ(check(pod("p").req("cpu", "9"), {{}, first}), "");
  EXPECT_EQ(check(pod("p").req("cpu", "10"), {{}, first}), "U; Insufficient cpu");
  EXPECT_EQ(check(pod("p").req("cpu", "10"), {{}, placed}), "");
  EXPECT_EQ(check(pod("p").req("cpu", "6"), {nominated, first}), "U; Too many pods");
  EXPECT_EQ(check(pod("p").req("cpu", "8"), {nominated, placed}), "U; Insufficient cpu");
  // A nominated pod with a resize in progress counts with its allocated resources.
  const std::vector<cluster::PodInfoPtr> resized{info(pod("d")
                                                          .container("c")
                                                          .req("cpu", "1")
                                                          .status_resources("c", "cpu", "1")
                                                          .status_allocated("c", "cpu", "3"))};
  EXPECT_EQ(check(pod("p").req("cpu", "8"), {resized, placed}), "U; Insufficient cpu");
}

TEST(NodeResourcesFit, Hints) {
  const api::Pod rejected = pod("p").uid("1").req("cpu", "2").req("example.com/gpu", "1");
  const auto gpu = [](const char* cpu, const char* gpus) {
    return sized("n", cpu).cap("example.com/gpu", gpus);
  };
  const auto other = [](const char* cpu, const char* memory) {
    return pod("o").uid("2").node("n").req("cpu", cpu).req("memory", memory);
  };
  using framework::EventResource;
  const struct {
    const char* name;
    framework::ClusterEvent event;
    bool want;
  } cases[] = {
      {"a placed pod is gone", pod_deleted(other("1", "1Gi")), true},
      {"a nominated pod is gone", pod_deleted(pod("o").nominated("n")), true},
      {"a waiting pod is gone", pod_deleted(pod("o")), false},
      {"a pod needs less cpu", pod_updated(EventResource::assigned_pod, other("2", "1Gi"), other("1", "1Gi")),
       true},
      {"a pod needs less of what is not requested",
       pod_updated(EventResource::assigned_pod, other("2", "2Gi"), other("2", "1Gi")), false},
      {"a pod needs less as a whole",
       pod_updated(EventResource::assigned_pod, pod("o").uid("2").node("n").pod_req("cpu", "2"),
                   pod("o").uid("2").node("n").pod_req("cpu", "1")),
       true},
      {"a pod needs less as a whole of what is not requested",
       pod_updated(EventResource::assigned_pod, pod("o").uid("2").node("n").pod_req("memory", "2Gi"),
                   pod("o").uid("2").node("n").pod_req("memory", "1Gi")),
       false},
      {"the pod itself needs less as a whole",
       pod_updated(EventResource::target_pod, pod("p").uid("1").pod_req("cpu", "3"),
                   pod("p").uid("1").pod_req("cpu", "2")),
       true},
      {"another waiting pod needs less",
       pod_updated(EventResource::unscheduled_pod, pod("o").uid("2").req("cpu", "2"),
                   pod("o").uid("2").req("cpu", "1")),
       false},
      {"the pod itself needs less",
       pod_updated(EventResource::target_pod, pod("p").uid("1").req("cpu", "3").req("example.com/gpu", "1"),
                   rejected),
       true},
      {"a node was added that fits", node_added(gpu("4", "1")), true},
      {"a node was added that is too small", node_added(gpu("1", "1")), false},
      {"a node was added that lacks a resource", node_added(sized("n")), false},
      {"a node was added that takes no pods", node_added(gpu("4", "1").cap("pods", "0")), false},
      {"a node has more cpu", node_updated(gpu("2", "1"), gpu("4", "1")), true},
      {"a node has more gpus", node_updated(gpu("4", "0"), gpu("4", "1")), true},
      {"a node has more cpu and is still too small", node_updated(gpu("1", "1"), gpu("1500m", "1")), false},
      {"a node has less", node_updated(gpu("4", "2"), gpu("4", "1")), false},
      {"a node has more of what is not requested",
       node_updated(gpu("4", "1"), gpu("4", "1").cap("memory", "30Gi")), false},
      {"a node takes more pods", node_updated(gpu("4", "1"), gpu("4", "1").cap("pods", "64")), true},
      {"a node has another label", node_updated(gpu("4", "1"), gpu("4", "1").label("x", "y")), false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(helps(make(make_node_resources_fit), rejected, c.event), c.want) << c.name;

  // A pod without requests waits only for the pod count.
  const auto undemanding = [](const framework::ClusterEvent& event) {
    return helps(make(make_node_resources_fit), pod("p").req("cpu", "0"), event);
  };
  EXPECT_FALSE(undemanding(node_updated(sized("n", "1"), sized("n", "2"))));
  EXPECT_TRUE(undemanding(node_updated(sized("n"), sized("n").cap("pods", "64"))));
  EXPECT_TRUE(undemanding(node_added(sized("n"))));
}

api::DeviceClass gpu_class(std::optional<std::string> resource = "example.com/gpu") {
  api::DeviceClass made;
  made.meta.name = "gpu";
  made.extended_resource_name = std::move(resource);
  return made;
}

// Nodes of two chunks: "has" has the resource itself, "none" has none of it, the others do not name it.
TEST(NodeResourcesFit, LeavesResourcesOfDeviceClassesToDynamicResources) {
  Nodes nodes;
  for (int i = 0; i < 1100; ++i) nodes.push_back(sized(("n" + std::to_string(i)).c_str()));
  nodes.push_back(sized("has").cap("example.com/gpu", "1"));
  nodes.push_back(sized("none").cap("example.com/gpu", "0"));
  auto snapshot = snapshot_of(nodes, {pod("a").node("has").req("example.com/gpu", "1")});
  const auto plugin = make(make_node_resources_fit);
  const auto asked = [&](const api::Pod& pod) { return filter(plugin, pod, snapshot); };
  const api::Pod wants = pod("p").req("example.com/gpu", "1");
  const api::Pod wants_class = pod("p").req("deviceclass.resource.kubernetes.io/gpu", "1");
  EXPECT_EQ(asked(wants).size(), nodes.size()) << "no class provides it";
  EXPECT_EQ(asked(wants).at("none"), "UU; Insufficient example.com/gpu");

  snapshot.objects().set(podium::test::share(gpu_class()));
  EXPECT_EQ(asked(wants), (Answers{{"has", "U; Insufficient example.com/gpu"}}));
  EXPECT_EQ(asked(wants_class), Answers{});
  EXPECT_EQ(asked(pod("p").req("example.com/gpu", "1").req("example.com/tpu", "1")).at("none"),
            "UU; Insufficient example.com/tpu");

  const auto incoming = info(wants);
  const auto prepared =
      dynamic_cast<const framework::FilterPlugin&>(*plugin).prepare_filter(*incoming, snapshot);
  EXPECT_FALSE(prepared.filter->check(*snapshot.find_row("none"), {}));
  EXPECT_TRUE(prepared.filter->check(*snapshot.find_row("has"), {}));
}

TEST(NodeResourcesFit, HintsOfDeviceClasses) {
  const api::Pod rejected = pod("p").uid("1").req("example.com/gpu", "1");
  const api::Pod by_class = pod("p").uid("1").req("deviceclass.resource.kubernetes.io/gpu", "1");
  const auto plugin = make(make_node_resources_fit);
  const auto event = [](std::optional<api::DeviceClass> before, std::optional<api::DeviceClass> after) {
    framework::ClusterEvent made;
    made.resource = framework::EventResource::device_class;
    made.actions = before ? framework::kUpdateOther : framework::kAdd;
    if (before) made.before = podium::test::share(*before);
    if (after) made.after = podium::test::share(*after);
    return made;
  };
  EXPECT_TRUE(helps(plugin, rejected, event({}, gpu_class())));
  EXPECT_TRUE(helps(plugin, by_class, event({}, gpu_class(std::nullopt))));
  EXPECT_FALSE(helps(plugin, rejected, event({}, gpu_class("example.com/tpu"))));
  EXPECT_TRUE(helps(plugin, rejected, event(gpu_class("example.com/tpu"), gpu_class())));
  EXPECT_FALSE(helps(plugin, rejected, event(gpu_class(), gpu_class()))) << "the name is as it was";
  EXPECT_FALSE(helps(plugin, by_class, event(gpu_class("example.com/tpu"), gpu_class())));

  // A node that leaves it to devices helps with each update.
  const auto more_memory = node_updated(sized("n"), sized("n").cap("memory", "30Gi"));
  EXPECT_FALSE(helps(plugin, rejected, more_memory));
  Snapshot with_class;
  with_class.objects().set(podium::test::share(gpu_class()));
  EXPECT_TRUE(helps(plugin, rejected, more_memory, {}, with_class));
}

// With PodLevelResources off, only container requests count, except in one hint.
TEST(NodeResourcesFit, PodLevelRequestsThatDoNotCount) {
  constexpr cluster::RequestRules kOff{.pod_level = false, .pod_level_resize = false};
  const auto large = [] { return pod("p").uid("1").pod_req("cpu", "12").pod_req("memory", "30Gi"); };
  const auto running = [] { return pod("x").node("n").req("cpu", "2").pod_req("cpu", "9"); };
  const struct {
    const char* name;
    api::Pod pod;
    Pods placed;
    std::string want, want_off;
  } cases[] = {
      {"more than the node has", large(), {}, "UU; Insufficient cpu; Insufficient memory", ""},
      {"what containers ask for counts",
       large().req("cpu", "11"),
       {},
       "UU; Insufficient cpu; Insufficient memory",
       "UU; Insufficient cpu"},
      {"less than its containers",
       pod("p").req("cpu", "11").pod_req("cpu", "1"),
       {},
       "",
       "UU; Insufficient cpu"},
      {"hugepages", pod("p").pod_req("hugepages-2Mi", "2Mi"), {}, "UU; Insufficient hugepages-2Mi", ""},
      {"of a pod that runs", pod("p").req("cpu", "5"), {running()}, "U; Insufficient cpu", ""},
      {"whose containers count",
       pod("p").req("cpu", "9"),
       {running()},
       "U; Insufficient cpu",
       "U; Insufficient cpu"},
      {"overhead counts",
       pod("p").pod_req("cpu", "1").overhead("cpu", "11"),
       {},
       "UU; Insufficient cpu",
       "UU; Insufficient cpu"},
  };
  const auto plugin = make(make_node_resources_fit);
  for (const auto& c : cases) {
    const auto asked = [&](const cluster::RequestRules& rules) {
      return filter(plugin, c.pod, snapshot_of({sized("n")}, c.placed, rules), rules)["n"];
    };
    EXPECT_EQ(asked({}), c.want) << c.name;
    EXPECT_EQ(asked(kOff), c.want_off) << c.name;
  }

  // A grown node uses the same count; a scaled-down pod counts both kinds of requests.
  const auto grown = node_updated(sized("n").cap("memory", "20Gi"), sized("n").cap("memory", "40Gi"));
  EXPECT_FALSE(helps(plugin, large(), grown));
  EXPECT_TRUE(helps(plugin, pod("p").uid("1").pod_req("memory", "30Gi"), grown));
  EXPECT_FALSE(helps(plugin, pod("p").uid("1").pod_req("memory", "30Gi"), grown, kOff));
  const auto other = [](const char* cpu) { return pod("o").uid("2").node("n").pod_req("cpu", cpu); };
  const auto shrunk = pod_updated(framework::EventResource::assigned_pod, other("2"), other("1"));
  EXPECT_TRUE(helps(plugin, large(), shrunk, kOff));
  EXPECT_FALSE(helps(plugin, pod("p").uid("1").req("memory", "1Gi"), shrunk, kOff));
}

// Several chunks, compared with a calculation per node.
TEST(NodeResourcesFit, RandomNodesAgreeWithAskingEveryNode) {
  SCOPED_SEED(test_seed());
  for (const bool huge : {false, true}) {
    RandomResources random(test_seed(), huge);
    const auto snapshot = snapshot_of(random.nodes(1200), random.placed(3000, 1200));
    for (int round = 0; round < 20; ++round) {
      const auto incoming = random.incoming();
      const auto requests = info(incoming)->requests;
      Answers want;
      snapshot.present().each([&](cluster::Row row) {
        std::string reasons;
        bool never = false;
        const auto* allowed = api::find_resource(snapshot.entry(row).node->allocatable, "pods");
        if (static_cast<std::int64_t>(snapshot.entry(row).pods.size()) + 1 >
            (allowed ? allowed->value() : 0)) {
          reasons += "; Too many pods";
        }
        for (const auto* name : {"cpu", "memory", "ephemeral-storage", "example.com/gpu", "hugepages-2Mi"}) {
          const auto request = requests.get(name);
          const auto amounts = amounts_of(snapshot, row, name);
          if (request == 0 || request <= static_cast<__int128>(amounts.allocatable) - amounts.requested)
            continue;
          reasons += std::string("; Insufficient ") + name;
          never |= request > amounts.allocatable;
        }
        if (!reasons.empty()) want[std::string(snapshot.node_name(row))] = (never ? "UU" : "U") + reasons;
      });
      EXPECT_EQ(filter(make(make_node_resources_fit), incoming, snapshot), want);
    }
  }
}

}  // namespace
}  // namespace podium::plugins::test::node_resources_fit_test
