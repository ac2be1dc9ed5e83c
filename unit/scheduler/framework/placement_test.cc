// place(), and its rollback if a Reserve plugin rejects the pod.
#include "scheduler/framework/placement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scheduler/cluster/snapshot.h"
#include "unit/support/builders.h"

namespace podium::framework {
namespace {

using Log = std::vector<std::string>;
using podium::test::node;
using podium::test::pod;
using podium::test::share;

// Assumes a volume of its name for the pod, or rejects the pod.
class Reserving final : public Plugin, public ReservePlugin {
 public:
  Reserving(std::string name, Log& log) : name_(std::move(name)), log_(log) {}
  std::optional<Verdict> says_no;

  std::string_view name() const override { return name_; }
  ReserveResult reserve(const AssumedPod& assumed, Snapshot& snapshot) const override {
    EXPECT_NE(snapshot.find_pod(assumed.pod->pod->meta.uid), nullptr) << "assumed before it is reserved";
    log_.push_back(fmt::format("{} reserves on {}", name_, assumed.node));
    if (says_no) return {says_no, nullptr};
    snapshot.objects().assume(share(podium::test::persistent_volume(name_, "1Gi", "")));
    return {std::nullopt, std::make_unique<PluginState>()};
  }
  void unreserve(const AssumedPod&, PluginState* state, Snapshot& snapshot, Handle& handle) const override {
    log_.push_back(fmt::format("{} takes back {}", name_, state ? "what it has" : "nothing"));
    handle.each_waiting_pod([](const AssumedPod&) { ADD_FAILURE() << "no pod waits on a fork"; });
    if (state) snapshot.objects().remove<api::PersistentVolume>("", name_);
  }

 private:
  std::string name_;
  Log& log_;
};

struct Placement : testing::Test {
  Placement() {
    profile.reserves = {{"A", &a}, {"B", &b}, {"C", &c}};
    fork.set_node(
        node("n1").cap("cpu", "4").cap("pods", "110").label("topology.kubernetes.io/zone", "z1").ptr());
  }
  auto place_one() { return place(info, *fork.find_row("n1"), profile, fork); }
  bool has(const char* volume) const { return fork.objects().find<api::PersistentVolume>("", volume); }

  Log log;
  Reserving a{"A", log}, b{"B", log}, c{"C", log};
  Profile profile;
  Snapshot fork;
  PodInfoPtr info = cluster::make_pod_info(share(pod("web").req("cpu", "1").build()));
};

TEST_F(Placement, TheNodeCountsThePodAndWhatIsReservedForIt) {
  EXPECT_FALSE(place_one());
  EXPECT_EQ(log, (Log{"A reserves on n1", "B reserves on n1", "C reserves on n1"}));
  EXPECT_TRUE(has("A") && has("B") && has("C"));
  EXPECT_EQ(fork.requested_milli_cpu[0], 1000);
  const auto& placed = **(*fork.find_pod("uid-web"));
  EXPECT_EQ(placed.node_name, "n1");
  EXPECT_EQ(*placed.meta.labels.find("topology.kubernetes.io/zone"), "z1");
}

TEST_F(Placement, AfterAFailureTheForkIsAsItWas) {
  const struct {
    Code code;
    const char* message;
  } cases[] = {{Code::unschedulable, "0/1 nodes are available: 1 other, 2 full."},
               {Code::error, "running Reserve plugin \"B\": full, other, full"}};
  for (const auto& each : cases) {
    log.clear();
    b.says_no = {"B", each.code, {"full", "other", "full"}};
    const auto failure = place_one();
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->plugin, "B");
    EXPECT_EQ(failure->message("Reserve"), each.message);
    EXPECT_EQ(log, (Log{"A reserves on n1", "B reserves on n1", "C takes back nothing",
                        "B takes back nothing", "A takes back what it has"}));
    EXPECT_FALSE(has("A"));
    EXPECT_EQ(fork.pod_total(), 0u);
    EXPECT_EQ(fork.requested_milli_cpu[0], 0);
  }
}

}  // namespace
}  // namespace podium::framework
