// Requests of pods, computed by hand.
#include "scheduler/cluster/resources.h"
#include "api/values/device.h"
#include "scheduler/cluster/pod_requests.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "scheduler/cluster/pod_info.h"
#include "unit/support/builders.h"

namespace podium::cluster {

void PrintTo(const Resources& r, std::ostream* out) {
  *out << r.milli_cpu << "m " << r.memory << "B " << r.ephemeral_storage << "B";
  for (const auto& [name, amount] : r.scalars) *out << " " << name << "=" << amount;
}

namespace {

using podium::test::node;
using podium::test::pod;
using podium::test::quantity;

constexpr std::int64_t kMi = 1024 * 1024;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr RequestOptions kSpec{}, kStatus{.use_status = true}, kNonZero{.non_zero = true};
constexpr RequestOptions kScore{.non_zero = true, .ignore_pod_level = true};
constexpr RequestOptions kPlacedNonZero{.use_status = true, .non_zero = true};

api::Pod with_status_pod_requests(api::Pod p, api::ResourceList running, api::ResourceList allocated = {}) {
  p.status_pod_requests = std::move(running);
  p.status_pod_allocated = std::move(allocated);
  return p;
}

api::Pod with_sidecar_status(api::Pod p, std::string name, api::ResourceList running) {
  p.init_container_statuses.push_back({.name = std::move(name), .resources = std::move(running)});
  return p;
}

struct Case {
  std::string name;
  api::Pod pod;
  RequestOptions options;
  Resources expected;
};

void check(const std::vector<Case>& cases) {
  for (const auto& c : cases) EXPECT_EQ(pod_requests(c.pod, c.options), c.expected) << c.name;
}

TEST(PodRequests, ContainersAndInitContainers) {
  check({
      {"nothing", pod("p"), kSpec, {}},
      {"one container",
       pod("p").req("cpu", "250m").req("memory", "1Gi").req("ephemeral-storage", "2Gi"),
       kSpec,
       {250, 1024 * kMi, 2048 * kMi}},
      {"containers add up",
       pod("p").req("cpu", "1").container().req("cpu", "500m").req("memory", "1Ki"),
       kSpec,
       {1500, 1024}},
      {"limits do not count: API defaulting has copied them", pod("p").limit("cpu", "1"), kSpec, {}},
      {"an init container counts where it takes more",
       pod("p").req("cpu", "1").req("memory", "100").init_container().req("cpu", "3").req("memory", "50"),
       kSpec,
       {3000, 100}},
      {"init containers run one after the other",
       pod("p").req("cpu", "1").init_container().req("cpu", "2").init_container().req("cpu", "3"),
       kSpec,
       {3000}},
      {"a sidecar runs with the containers",
       pod("p").req("cpu", "1").sidecar().req("cpu", "500m"),
       kSpec,
       {1500}},
      {"an init container runs with the sidecars before it, not those after",
       pod("p")
           .req("cpu", "100m")
           .sidecar()
           .req("cpu", "1")
           .init_container()
           .req("cpu", "2")
           .sidecar()
           .req("cpu", "500m"),
       kSpec,
       {3000}},
      {"sidecars that start later count in the sum",
       pod("p")
           .req("cpu", "2")
           .sidecar()
           .req("cpu", "1")
           .init_container()
           .req("cpu", "2")
           .sidecar()
           .req("cpu", "500m"),
       kSpec,
       {3500}},
      {"overhead is added on top of the peak",
       pod("p")
           .req("cpu", "1")
           .init_container()
           .req("cpu", "2")
           .overhead("cpu", "250m")
           .overhead("memory", "64Mi"),
       kSpec,
       {2250, 64 * kMi}},
  });
}

TEST(PodRequests, RoundingAndRange) {
  check({
      {"cpu rounds up to a thousandth, after summing",
       pod("p").req("cpu", "100500u").container().req("cpu", "100500u"),
       kSpec,
       {201}},
      {"bytes round up", pod("p").req("memory", "134217728500m"), kSpec, {0, 134217729}},
      {"scalars round up",
       pod("p").req("example.com/x", "1500m"),
       kSpec,
       {.scalars = {{"example.com/x", 2}}}},
      {"sums saturate",
       pod("p").req("memory", "9223372036854775807").container().req("memory", "1"),
       kSpec,
       {0, kMax}},
      {"cpu saturates at thousandths", pod("p").req("cpu", "9223372036854775807"), kSpec, {kMax}},
  });
}

TEST(PodRequests, ScalarResources) {
  check({
      {"kept, sorted by name; unknown names are not",
       pod("p")
           .req("vendor.io/b", "1")
           .req("hugepages-2Mi", "4Mi")
           .req("attachable-volumes-aws-ebs", "3")
           .req("a.kubernetes.io/y", "2")
           .req("storage", "5")
           .req("pods", "6"),
       kSpec,
       {.scalars = {{"a.kubernetes.io/y", 2},
                    {"attachable-volumes-aws-ebs", 3},
                    {"hugepages-2Mi", 4 * kMi},
                    {"vendor.io/b", 1}}}},
      {"a zero stays listed", pod("p").req("vendor.io/b", "0"), kSpec, {.scalars = {{"vendor.io/b", 0}}}},
  });
}

TEST(PodRequests, PodLevel) {
  check({
      {"replaces the aggregate, up or down, and only what it lists",
       pod("p").req("cpu", "2").req("memory", "1").container().req("cpu", "2").pod_req("cpu", "1"),
       kSpec,
       {1000, 1}},
      {"beats the init peak", pod("p").init_container().req("cpu", "5").pod_req("cpu", "1"), kSpec, {1000}},
      {"overhead is still added on top", pod("p").pod_req("cpu", "1").overhead("cpu", "100m"), kSpec, {1100}},
      {"hugepages are supported, others are not",
       pod("p")
           .req("ephemeral-storage", "1")
           .pod_req("hugepages-2Mi", "2Mi")
           .pod_req("ephemeral-storage", "9")
           .pod_req("example.com/x", "9"),
       kSpec,
       {.ephemeral_storage = 1, .scalars = {{"hugepages-2Mi", 2 * kMi}}}},
      {"ignored for NodeResourcesFit's score",
       pod("p").req("cpu", "2").req("memory", "1").pod_req("cpu", "1"),
       kScore,
       {2000, 1}},
      {"a resize: the most of spec, running and allocated",
       with_status_pod_requests(pod("p").pod_req("cpu", "1").pod_req("memory", "10"),
                                {{"cpu", quantity("2")}, {"memory", quantity("5")}},
                                {{"cpu", quantity("3")}}),
       kStatus,
       {3000, 10}},
      {"a resize that is infeasible: not the spec, so nothing of what only the spec lists",
       with_status_pod_requests(pod("p")
                                    .pod_req("cpu", "4")
                                    .pod_req("memory", "10")
                                    .condition("PodResizePending", "True", "Infeasible"),
                                {{"cpu", quantity("2")}}),
       kStatus,
       {2000, 0}},
      {"the status does not count for incoming pods",
       with_status_pod_requests(pod("p").pod_req("cpu", "1"), {{"cpu", quantity("2")}}),
       kSpec,
       {1000}},
  });
}

// Requests by RequestRules, which come from feature gates.
TEST(PodRequests, OfAPodByTheRules) {
  const auto resized =
      with_status_pod_requests(pod("p").node("n").req("cpu", "1").pod_req("cpu", "2").pod_req("memory", "10"),
                               {{"cpu", quantity("3")}, {"memory", quantity("5")}});
  auto waiting = resized;
  waiting.node_name.clear();
  const auto bare = pod("p").node("n").req("cpu", "1").pod_req("memory", "10");
  constexpr RequestRules kNoResize{.pod_level_resize = false};
  constexpr RequestRules kNone{.pod_level = false, .pod_level_resize = false};
  struct Counted {
    Resources requests;
    std::int64_t non_zero_milli_cpu, non_zero_memory;
    bool operator==(const Counted&) const = default;
  };
  const struct {
    const char* name;
    api::Pod pod;
    RequestRules rules;
    Counted expected;
  } cases[] = {
      {"all", resized, {}, {{3000, 10}, 3000, 10}},
      {"no resize", resized, kNoResize, {{2000, 10}, 2000, 10}},
      {"containers only", resized, kNone, {{1000, 0}, 1000, 200 * kMi}},
      {"a default only where neither asks", bare, {}, {{1000, 10}, 1000, 10}},
      {"a default where no container asks", bare, kNone, {{1000, 0}, 1000, 200 * kMi}},
      {"waiting, all", waiting, {}, {{2000, 10}, 2000, 10}},
      {"waiting, containers only", waiting, kNone, {{1000, 0}, 1000, 200 * kMi}},
  };
  for (const auto& c : cases) {
    const auto info = make_pod_info(podium::test::share(c.pod), c.rules);
    EXPECT_EQ((Counted{info->requests, info->non_zero_milli_cpu, info->non_zero_memory}), c.expected)
        << c.name;
    EXPECT_EQ(info->score_requests, (Resources{1000, 200 * kMi})) << c.name;
  }
  // A nominated pod counts as if it were placed, by the same rules.
  EXPECT_EQ(placed_requests(*make_pod_info(podium::test::share(waiting))), (Resources{3000, 10}));
  EXPECT_EQ(placed_requests(*make_pod_info(podium::test::share(waiting), kNoResize)), (Resources{2000, 10}));
  EXPECT_EQ(placed_requests(*make_pod_info(podium::test::share(waiting), kNone)), (Resources{1000}));
  EXPECT_EQ(make_placed(*make_pod_info(podium::test::share(waiting), kNone), "n", nullptr)->requests,
            (Resources{1000}));
}

TEST(PodRequests, InPlaceResize) {
  const auto resized = pod("p")
                           .container("c")
                           .req("cpu", "1")
                           .req("memory", "10")
                           .status_resources("c", "cpu", "2")
                           .status_allocated("c", "memory", "30")
                           .status_allocated("c", "cpu", "1500m");
  const auto without_status_resources =
      pod("p").container("c").req("cpu", "1").status_allocated("c", "cpu", "2");
  const auto init = pod("p").init_container("i").req("cpu", "1").status_resources("i", "cpu", "7");
  const auto sidecar = pod("p").sidecar("s").req("cpu", "1");
  auto infeasible = pod("p")
                        .container("c")
                        .req("cpu", "4")
                        .req("memory", "10")
                        .status_resources("c", "cpu", "1")
                        .status_allocated("c", "cpu", "2");
  infeasible.condition("PodResizePending", "True", "Infeasible");
  auto deferred = pod("p").container("c").req("cpu", "4").status_resources("c", "cpu", "1");
  deferred.condition("PodResizePending", "True", "Deferred");
  auto unreported = pod("p").container("c").req("cpu", "4");
  unreported.condition("PodResizePending", "True", "Infeasible");
  auto half_reported = pod("p").container("c").req("cpu", "4").container("d").req("cpu", "2");
  half_reported.status_allocated("d", "cpu", "1").condition("PodResizePending", "True", "Infeasible");
  const auto crossed = pod("p")
                           .container("c")
                           .req("cpu", "1")
                           .status_resources("c", "cpu", "3")
                           .container("d")
                           .req("cpu", "3")
                           .status_resources("d", "cpu", "1");
  const auto as_a_whole =
      with_status_pod_requests(pod("p").container("c").req("cpu", "1").status_resources("c", "cpu", "9"),
                               {{"cpu", quantity("2")}}, {{"cpu", quantity("3")}});
  const auto not_allocated = with_status_pod_requests(
      pod("p").container("c").req("cpu", "1").status_resources("c", "cpu", "9"), {{"cpu", quantity("2")}});
  check({
      {"the most of spec, running and allocated", resized, kStatus, {2000, 30}},
      {"incoming pods: spec only", resized, kSpec, {1000, 10}},
      {"what is allocated counts before it runs", without_status_resources, kStatus, {2000}},
      {"two containers are resized in opposite directions: the most of the sums", crossed, kStatus, {4000}},
      {"infeasible, and the status does not say what runs", unreported, kStatus, {0}},
      {"infeasible, and it says so of one container only", half_reported, kStatus, {1000}},
      {"the pod's status replaces those of containers", as_a_whole, kStatus, {3000}},
      {"if it has both lists", not_allocated, kStatus, {9000}},
      {"infeasible: what runs and what is allocated", infeasible, kStatus, {2000, 0}},
      {"deferred: the spec may still come", deferred, kStatus, {4000}},
      {"init containers", init, kStatus, {7000}},
      {"sidecars", with_sidecar_status(sidecar, "s", {{"cpu", quantity("7")}}), kStatus, {7000}},
      {"the spec has the default of a resource that is only running",
       resized,
       kPlacedNonZero,
       {2000, 200 * kMi}},
      {"an infeasible container without running memory gets the default",
       infeasible,
       kPlacedNonZero,
       {2000, 200 * kMi}},
  });
}

TEST(PodRequests, NonZeroDefaults) {
  check({
      {"no containers, no defaults", pod("p"), kNonZero, {}},
      {"a container without requests", pod("p").container(), kNonZero, {100, 200 * kMi}},
      {"per container", pod("p").container().container(), kNonZero, {200, 400 * kMi}},
      {"per resource",
       pod("p").req("cpu", "1").container().req("memory", "1"),
       kNonZero,
       {1100, 200 * kMi + 1}},
      {"an explicit 0 stays 0", pod("p").req("cpu", "0"), kNonZero, {0, 200 * kMi}},
      {"init containers and sidecars too",
       pod("p").container().init_container().sidecar(),
       kNonZero,
       {200, 400 * kMi}},
      {"overhead is not a request of a container",
       pod("p").container().overhead("cpu", "50m"),
       kNonZero,
       {150, 200 * kMi}},
      {"pod level: only what nobody requests, for every container",
       pod("p").container().container().pod_req("cpu", "1"),
       kNonZero,
       {1000, 400 * kMi}},
      {"pod level: one container requests it, so the others get no default",
       pod("p").container().req("memory", "7").container().pod_req("cpu", "1"),
       kNonZero,
       {1000, 7}},
      {"pod level: overhead is a request",
       pod("p").container().pod_req("cpu", "1").overhead("memory", "5"),
       kNonZero,
       {1000, 5}},
      {"pod level with both: no defaults at all",
       pod("p").container().pod_req("cpu", "1").pod_req("memory", "2"),
       kNonZero,
       {1000, 2}},
      {"pod level that is not supported is none",
       pod("p").container().pod_req("example.com/x", "1"),
       kNonZero,
       {100, 200 * kMi}},
      {"the score of an incoming pod: always per container",
       pod("p").container().container().pod_req("cpu", "1"),
       kScore,
       {200, 400 * kMi}},
  });
}

TEST(ResourceNames, Kinds) {
  struct {
    std::string name;
    bool extended, scalar;
  } const cases[] = {
      {"cpu", false, false},
      {"storage", false, false},
      {"requests.cpu", false, false},
      {"nvidia.com/gpu", true, true},
      {"requests.nvidia.com/gpu", false, false},
      {"kubernetes.io/x", false, true},
      {"my.kubernetes.io/x", false, true},
      {"deviceclass.resource.kubernetes.io/c", false, true},
      {"hugepages-1Gi", false, true},
      {"attachable-volumes-csi-x", false, true},
      {"a/b/c", false, false},
      {"/x", false, false},
      {"example.com/", false, false},
      {"Example.com/x", false, false},
      {"-example.com/x", false, false},
      {"example..com/x", false, false},
      {"example.com/X_y.z", true, true},
      {"example.com/-x", false, false},
      {"example.com/" + std::string(63, 'x'), true, true},
      {"example.com/" + std::string(64, 'x'), false, false},
      {std::string(244, 'a') + "/x", true, true},  // 253 with the quota prefix
      {std::string(245, 'a') + "/x", false, false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(is_extended_resource(c.name), c.extended) << c.name;
    EXPECT_EQ(is_scalar_resource(c.name), c.scalar) << c.name;
  }
}

TEST(ResourcesGet, ByName) {
  const Resources r{1, 2, 3, {{"a.b/c", 4}, {"x.y/z", 5}}};
  const std::vector<std::int64_t> got = {r.get("cpu"),   r.get("memory"), r.get("ephemeral-storage"),
                                         r.get("a.b/c"), r.get("x.y/z"),  r.get("b.b/c"),
                                         r.scalar("cpu")};
  EXPECT_EQ(got, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 0, 0}));
}

TEST(PodInfo, DerivesFromThePod) {
  const auto builder = pod("p")
                           .container("c")
                           .req("cpu", "1")
                           .status_resources("c", "cpu", "2")
                           .priority(7)
                           .host_port(80)
                           .host_port(53, "UDP", "10.0.0.1")
                           .host_port(0)
                           .init_container()
                           .host_port(81)
                           .sidecar()
                           .host_port(82, "");
  const auto incoming = make_pod_info(builder.ptr());
  const auto placed = make_placed(*incoming, "n", nullptr);

  EXPECT_EQ(incoming->requests, (Resources{1000}));
  EXPECT_EQ(placed->requests, (Resources{2000}));
  EXPECT_EQ(incoming->score_requests, (Resources{1000 + 100, 2 * 200 * kMi}));
  EXPECT_EQ(placed->non_zero_milli_cpu, 2000 + 100);
  EXPECT_EQ(placed->non_zero_memory, 2 * 200 * kMi);
  EXPECT_EQ(incoming->priority, 7);
  EXPECT_EQ(incoming->uid_hash, placed->uid_hash);
  EXPECT_EQ(incoming->host_ports,
            (std::vector<HostPort>{{"10.0.0.1", "UDP", 53}, {"0.0.0.0", "TCP", 80}, {"0.0.0.0", "TCP", 82}}));
}

TEST(PodInfo, PlacedPodsGetTheTopologyLabelsOfTheNode) {
  const auto incoming =
      make_pod_info(pod("p").label("app", "web").label("topology.kubernetes.io/zone", "old").ptr());
  const auto labels = node("n").zone("a").region("r").label("disk", "ssd").build().meta.labels;
  const auto placed = make_placed(*incoming, "n", &labels);
  EXPECT_EQ((*placed)->node_name, "n");
  EXPECT_EQ((*placed)->meta.labels, (api::Labels{{"app", "web"},
                                                 {"topology.kubernetes.io/region", "r"},
                                                 {"topology.kubernetes.io/zone", "a"}}));
  EXPECT_EQ((*incoming)->node_name, "");
}

TEST(HostPort, Conflicts) {
  const HostPort any{"0.0.0.0", "TCP", 80}, one{"10.0.0.1", "TCP", 80}, two{"10.0.0.2", "TCP", 80};
  const HostPort udp{"0.0.0.0", "UDP", 80}, other{"0.0.0.0", "TCP", 81};
  using Ports = std::vector<HostPort>;
  EXPECT_TRUE(conflicts(Ports{any}, one) && conflicts(Ports{one}, any) && conflicts(Ports{one}, one));
  EXPECT_FALSE(conflicts(Ports{one}, two) || conflicts(Ports{any}, udp) || conflicts(Ports{any}, other));
  const Ports several{any, one, udp, other};
  EXPECT_TRUE(conflicts(several, two) && contains(several, one) && !contains(several, two));
}

}  // namespace
}  // namespace podium::cluster
