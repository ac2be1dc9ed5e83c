// Pods with claims through the whole cycle, with the default plugins: the API writes, and the events
// that end the waits.
#include <boost/json/serialize.hpp>

#include "unit/scheduler/cycle/lifecycle_fixture.h"

namespace podium::cycle {
namespace {

using lifecycle_test::Log;
using podium::test::pod;
using namespace std::chrono_literals;
using Volume = api::PersistentVolume;
using Claim = api::PersistentVolumeClaim;

constexpr auto kSelectedNode = "volume.kubernetes.io/selected-node";

class Volumes : public lifecycle_test::LifecycleTest {
 protected:
  void SetUp() override {
    see(machine("n1"));
    show(podium::test::storage_class("local", "kubernetes.io/no-provisioner", true));
    show(podium::test::storage_class("fast", "disks.example.com", true));
  }
  static Volume volume(std::string version) {
    auto made = podium::test::persistent_volume("v", "5Gi", "local");
    made.meta.resource_version = std::move(version);
    return made;
  }
  static Claim claim(std::string version, std::string class_name = "local") {
    auto made = podium::test::persistent_volume_claim("default", "c", "5Gi", std::move(class_name));
    made.meta.resource_version = std::move(version);
    return made;
  }
  // As the feed does.
  template <typename T>
  void show(const T& object) {
    scheduler_.snapshot().objects().set<T>(podium::test::share(object));
    constexpr auto resource = std::is_same_v<T, Volume>  ? framework::EventResource::persistent_volume
                              : std::is_same_v<T, Claim> ? framework::EventResource::persistent_volume_claim
                                                         : framework::EventResource::storage_class;
    scheduler_.object_changed({.resource = resource,
                               .actions = framework::kAdd,
                               .before = {},
                               .after = podium::test::share(object)});
  }
  // One volume, and two pods whose claims both match it: web, and late with this priority.
  void see_two_pods_for_one_volume(int priority_of_late = 0) {
    show(volume("3"));
    show(claim("4"));
    auto other = claim("4");
    other.meta.name = "d";
    other.meta.uid = "uid-d";
    show(other);
    see(pod("web").claim("c"));
    see(pod("late").priority(priority_of_late).claim("d"));
  }
  void wrote_version(const std::string& version) {
    scheduler_.write_ended("uid-web",
                           {boost::json::object{{"metadata", {{"resourceVersion", version}}}}, {}});
  }
  // The log without the lines of the test's own plugins.
  Log take() {
    std::erase_if(log_, [](const auto& line) { return line.starts_with("A ") || line.starts_with("B "); });
    return take_log();
  }
  const Claim& assumed_claim() { return *scheduler_.snapshot().objects().find<Claim>("default", "c"); }
  const Volume& assumed_volume() { return *scheduler_.snapshot().objects().find<Volume>("", "v"); }
};

TEST_F(Volumes, AVolumeIsPromisedAndThePodWaitsUntilItIsBound) {
  show(volume("3"));
  show(claim("4"));
  see(pod("web").claim("c"));
  run();
  EXPECT_EQ(take(), (Log{"nominate web to n1", "write v for uid-web"}));
  EXPECT_EQ(world_.writes[0].resource_version, "3");
  EXPECT_TRUE(assumed_volume().claim);
  wrote_version("5");
  EXPECT_EQ(take(), Log{});
  auto c = claim("7");
  auto v = volume("6");
  podium::test::bind_claim(c, v);
  show(v);
  EXPECT_EQ(take(), Log{});
  show(c);
  EXPECT_EQ(take(), Log{"bind web to n1"});
  bound("web");
  EXPECT_EQ(take(), Log{"scheduled web on n1"});
}

TEST_F(Volumes, TwoPodsDoNotGetOneVolume) {
  see_two_pods_for_one_volume();
  EXPECT_EQ(run(), 2);
  EXPECT_EQ(rejected_by("late"), "VolumeBinding");
}

TEST_F(Volumes, AConflictIsTriedAgainOnWhatIsThereThen) {
  show(volume("3"));
  show(claim("4"));
  see(pod("web").claim("c"));
  run();
  take();
  refused("web", "the object has been modified");
  EXPECT_EQ(
      take(),
      (Log{"nominate web to ",
           "SchedulerError web: running PreBind plugin \"VolumeBinding\": the object has been modified"}));
  EXPECT_FALSE(assumed_volume().claim);
  show(volume("5"));
  pass(10s);
  EXPECT_EQ(take(), (Log{"nominate web to n1", "write v for uid-web"}));
  EXPECT_EQ(world_.writes[1].resource_version, "5");
}

TEST_F(Volumes, AProvisionerThatGivesUpSendsThePodBack) {
  show(claim("4", "fast"));
  see(pod("web").claim("c"));
  run();
  EXPECT_EQ(boost::json::serialize(world_.writes.at(0).patch),
            R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"n1"}}})");
  auto selected = claim("5", "fast");
  selected.meta.annotations.set(kSelectedNode, "n1");
  show(selected);  // the watch may be faster than the reply
  wrote_version("5");
  take();
  show(claim("6", "fast"));
  EXPECT_EQ(
      take(),
      (Log{"nominate web to ",
           "SchedulerError web: running PreBind plugin \"VolumeBinding\": binding volumes: selectedNode "
           "annotation reset for PVC \"c\""}));
  EXPECT_FALSE(assumed_claim().meta.annotations.contains(kSelectedNode));
  pass(10s);
  EXPECT_EQ(take(), (Log{"nominate web to n1", "write c for uid-web"}));
  EXPECT_EQ(world_.writes[1].resource_version, "6");
}

TEST_F(Volumes, AVolumeThatIsNeverMade) {
  show(claim("4", "fast"));
  see(pod("web").claim("c"));
  run();
  wrote_version("5");
  take();
  EXPECT_EQ(scheduler_.next_wakeup(), clock_.now() + 600s);
  clock_.advance(600s);
  scheduler_.step();
  EXPECT_EQ(take().back(),
            "SchedulerError web: running PreBind plugin \"VolumeBinding\": binding volumes: context deadline "
            "exceeded");
}

TEST_F(Volumes, APodThatIsDeletedGivesItsVolumeBack) {
  show(volume("3"));
  show(claim("4"));
  see(pod("web").claim("c"));
  run();
  scheduler_.pod_deleted("uid-web");
  EXPECT_TRUE(assumed_volume().claim) << "its write is in flight";
  refused("web", "too late");
  EXPECT_FALSE(assumed_volume().claim);
  EXPECT_EQ(scheduler_.bindings(), 0u);
}

// kube-scheduler wakes no pod for this: the pod waits for the flush.
TEST_F(Volumes, AVolumeThatIsGivenBackWakesThePodThatDidNotGetIt) {
  see_two_pods_for_one_volume();
  run();
  ASSERT_EQ(rejected_by("late"), "VolumeBinding");
  scheduler_.pod_deleted("uid-web");
  pass(10s);
  ASSERT_EQ(rejected_by("late"), "VolumeBinding") << "the write for web is in flight";
  take();
  refused("web", "no reply in time");
  pass(10s);
  EXPECT_EQ(take(), (Log{"nominate late to n1", "write v for uid-late"}));
}

TEST_F(Volumes, AFailedBindingAlsoGivesItsVolumeBackToOtherPods) {
  see_two_pods_for_one_volume(100);
  run();
  ASSERT_EQ(rejected_by("web"), "VolumeBinding");
  take();
  refused("late", "the object has been modified");
  scheduler_.pod_deleted("uid-late");
  pass(10s);
  EXPECT_EQ(take().back(), "write v for uid-web");
}

}  // namespace
}  // namespace podium::cycle
