// Assumed volumes and claims, and updates from the API server.
#include "scheduler/cluster/cluster_objects.h"
#include "api/values/device.h"

#include <gtest/gtest.h>

#include "unit/support/builders.h"

namespace podium::cluster {
namespace {

using Volume = api::PersistentVolume;

std::shared_ptr<const Volume> volume(std::string version, std::string phase) {
  auto made = podium::test::persistent_volume("v", "1Gi", "local");
  made.meta.resource_version = std::move(version);
  made.phase = std::move(phase);
  return podium::test::share(made);
}

// The phase by find() and by actual(); "-" for no volume.
std::string assumed(const Objects& objects) {
  const auto* found = objects.find<Volume>("", "v");
  return found ? found->phase : "-";
}
std::string actual(const Objects& objects) {
  const auto found = objects.actual<Volume>("", "v");
  return found ? found->phase : "-";
}

TEST(Objects, AnAssumptionStandsInUntilThereIsNews) {
  using Change = void (*)(Objects&);
  const struct {
    const char* name;
    Change change;
    std::string assumed, actual;
  } cases[] = {
      {"nothing", [](Objects&) {}, "assumed", "real"},
      {"the same version again", [](Objects& o) { o.set(volume("7", "real")); }, "assumed", "real"},
      {"a newer version", [](Objects& o) { o.set(volume("8", "newer")); }, "newer", "newer"},
      {"gone", [](Objects& o) { o.remove<Volume>("", "v"); }, "-", "-"},
      {"deleted and created again",
       [](Objects& o) { o.remove<Volume>("", "v"), o.set(volume("9", "again")); }, "again", "again"},
      {"another assumption", [](Objects& o) { o.assume(volume("7", "again")); }, "again", "real"},
      {"taken back", [](Objects& o) { o.restore<Volume>("", "v", "7"); }, "real", "real"},
      {"one on another version is taken back", [](Objects& o) { o.restore<Volume>("", "v", "6"); }, "assumed",
       "real"},
      {"news, then taken back",
       [](Objects& o) { o.set(volume("8", "newer")), o.restore<Volume>("", "v", "7"); }, "newer", "newer"},
      {"two assumptions, one taken back",
       [](Objects& o) { o.assume(volume("7", "again")), o.restore<Volume>("", "v", "7"); }, "real", "real"},
      {"another is taken back", [](Objects& o) { o.restore<Volume>("", "w", "7"); }, "assumed", "real"},
  };
  for (const auto& c : cases) {
    Objects objects;
    objects.set(volume("7", "real"));
    objects.assume(volume("7", "assumed"));
    c.change(objects);
    EXPECT_EQ(assumed(objects), c.assumed) << c.name;
    EXPECT_EQ(actual(objects), c.actual) << c.name;
  }
}

using Claim = api::ResourceClaim;

std::shared_ptr<const Claim> device_claim(std::string version, bool allocated) {
  Claim made;
  made.meta.namespace_ = "shop";
  made.meta.name = "c";
  made.meta.uid = "uid-c";
  made.meta.resource_version = std::move(version);
  if (allocated) made.status.allocation.emplace();
  return podium::test::share(made);
}

// The version that find() returns, with "+" if it is allocated, and the one of actual().
std::string claim_versions(const Objects& objects) {
  const auto* found = objects.find<Claim>("shop", "c");
  const auto real = objects.actual<Claim>("shop", "c");
  if (!found || !real) return "-";
  return found->meta.resource_version + (found->status.allocation ? "+" : "") + " " +
         real->meta.resource_version;
}

// A write's reply is assumed before the watch delivers what led to it.
TEST(Objects, AResourceClaimIsTheNewestThatWasSeen) {
  using Change = bool (*)(Objects&);
  const struct {
    const char* name;
    Change change;
    bool is_news;
    std::string want;
  } cases[] = {
      {"what was written on the way", [](Objects& o) { return o.set(device_claim("9", false)); }, false,
       "12+ 7"},
      {"what was written", [](Objects& o) { return o.set(device_claim("12", true)); }, false, "12+ 12"},
      {"a later change", [](Objects& o) { return o.set(device_claim("100", false)); }, true, "100 100"},
      {"deleted and created again",
       [](Objects& o) {
         o.remove<Claim>("shop", "c");
         return o.set(device_claim("5", false));
       },
       true, "5 5"},
      {"taken back",
       [](Objects& o) {
         o.restore<Claim>("shop", "c", "7");
         return true;
       },
       true, "7 7"},
  };
  for (const auto& c : cases) {
    Objects objects;
    EXPECT_TRUE(objects.set(device_claim("7", false)));
    objects.assume(device_claim("12", true));
    EXPECT_EQ(c.change(objects), c.is_news) << c.name;
    EXPECT_EQ(claim_versions(objects), c.want) << c.name;
  }
}

// As after a restore of etcd.
TEST(Objects, AClaimWhoseVersionsStartAgainIsAsItIsShownNext) {
  Objects objects;
  objects.set(device_claim("7", false));
  objects.assume(device_claim("12", true));
  const auto before = objects;
  objects.forget_versions<Claim>();
  EXPECT_EQ(claim_versions(objects), "12+ 7");
  EXPECT_TRUE(objects.set(device_claim("5", false)));
  EXPECT_EQ(claim_versions(objects), "5 5");
  EXPECT_FALSE(objects.set(device_claim("4", true))) << "only the first one";
  EXPECT_EQ(claim_versions(before), "12+ 7");
  objects.forget_versions<Claim>();
  objects.remove<Claim>("shop", "c");
  EXPECT_TRUE(objects.set(device_claim("6", false)));
  EXPECT_FALSE(objects.set(device_claim("5", true))) << "it is another claim";
}

TEST(Objects, AClaimThatWasNeverShownIsNotNewerThanAListOfOtherVersions) {
  Objects objects;
  objects.assume(device_claim("12", true));
  EXPECT_TRUE(objects.never_shown<Claim>("11").empty());
  EXPECT_EQ(objects.never_shown<Claim>("12").size(), 1u);
  objects.forget_versions<Claim>();
  EXPECT_EQ(objects.never_shown<Claim>("11").size(), 1u);
  objects.assume(device_claim("8", true));  // written since
  EXPECT_TRUE(objects.never_shown<Claim>("7").empty());
  EXPECT_FALSE(objects.set(device_claim("6", false)));
}

TEST(Objects, KnowsWhichClassesBackExtendedResources) {
  api::DeviceClass gpu;
  gpu.meta.name = "gpu";
  gpu.extended_resource_name = "example.com/gpu";
  Objects objects;
  objects.set(podium::test::share(gpu));
  const auto before = objects;
  EXPECT_TRUE(objects.extended_classes().find("example.com/gpu"));
  objects.remove<api::DeviceClass>("", "gpu");
  EXPECT_FALSE(objects.extended_classes().find("example.com/gpu"));
  EXPECT_TRUE(before.extended_classes().find("example.com/gpu"));
}

TEST(Objects, AForkHasTheClaimsInFlightAndKeepsItsOwn) {
  Objects objects;
  objects.begin_flight(device_claim("7", true));
  auto fork = objects;
  EXPECT_TRUE(fork.end_flight("uid-c", Objects::FlightEnd::for_one));
  EXPECT_FALSE(fork.end_flight("uid-c", Objects::FlightEnd::for_one)) << "only once";
  EXPECT_FALSE(fork.is_in_flight("uid-c"));
  EXPECT_TRUE(objects.is_in_flight("uid-c"));
  EXPECT_EQ(objects.claims_in_flight().size(), 1u);
}

TEST(Objects, AFlightLastsAsLongAsSomeoneSharesIt) {
  Objects objects;
  objects.begin_flight(device_claim("7", true));
  objects.begin_flight(device_claim("7", true));
  EXPECT_FALSE(objects.end_flight("uid-c", Objects::FlightEnd::for_one));
  EXPECT_TRUE(objects.is_in_flight("uid-c"));
  EXPECT_TRUE(objects.end_flight("uid-c", Objects::FlightEnd::for_one));
  objects.begin_flight(device_claim("7", true));
  objects.begin_flight(device_claim("7", true));
  EXPECT_TRUE(objects.end_flight("uid-c", Objects::FlightEnd::for_all)) << "PreBind has ended";
  EXPECT_FALSE(objects.is_in_flight("uid-c"));
}

TEST(Objects, AClaimThatIsAllocatedByNowHasNoFlight) {
  Objects objects;
  objects.set(device_claim("7", true));
  objects.begin_flight(device_claim("6", true));
  EXPECT_FALSE(objects.is_in_flight("uid-c"));
  objects.set(device_claim("8", false));
  objects.begin_flight(device_claim("8", true));
  EXPECT_TRUE(objects.is_in_flight("uid-c"));
}

// Its allocation has this device of one pool.
std::shared_ptr<const Claim> claim_with(std::string version, std::string device) {
  auto made = *device_claim(std::move(version), true);
  made.status.allocation->results = {{.driver = "d", .pool = "p", .device = std::move(device)}};
  return podium::test::share(made);
}

// The devices in use, each as often as it is; "a2 b1".
std::string in_use(const Objects& objects) {
  std::string text;
  const auto* pool = objects.devices_in_use().find({"d", "p"});
  for (const auto* device : {"a", "b"}) {
    const auto* use = pool ? pool->find(device) : nullptr;
    if (use) text += (text.empty() ? "" : " ") + std::string(device) + std::to_string(use->exclusive);
  }
  return text;
}

TEST(Objects, DevicesInUseFollowClaimsAssumptionsAndFlights) {
  Objects objects;
  objects.set(device_claim("7", false));
  objects.begin_flight(claim_with("7", "a"));
  objects.begin_flight(claim_with("7", "b"));
  EXPECT_EQ(in_use(objects), "a1") << "the first one in flight counts";
  objects.assume(claim_with("8", "a"));
  EXPECT_EQ(in_use(objects), "a2");
  EXPECT_TRUE(objects.end_flight("uid-c", Objects::FlightEnd::for_all));
  EXPECT_FALSE(objects.end_flight("uid-c", Objects::FlightEnd::for_all));
  EXPECT_EQ(in_use(objects), "a1");
  auto fork = objects;
  fork.set(claim_with("9", "b"));
  EXPECT_EQ(in_use(fork), "b1");
  fork.set(device_claim("10", false));
  EXPECT_EQ(in_use(fork), "");
  EXPECT_EQ(in_use(objects), "a1");
  objects.restore<Claim>("shop", "c", "7");
  EXPECT_EQ(in_use(objects), "");
  objects.assume(claim_with("8", "a"));
  objects.remove<Claim>("shop", "c");
  EXPECT_EQ(in_use(objects), "");
}

TEST(Objects, SlicesHaveAnotherVersionAfterEachChange) {
  Objects objects;
  EXPECT_EQ(objects.slices_version(), nullptr);
  objects.set(std::make_shared<const api::ResourceSlice>());
  const auto first = objects.slices_version();
  EXPECT_NE(first, nullptr);
  objects.set(device_claim("7", false));
  EXPECT_EQ(objects.slices_version(), first);
  auto fork = objects;
  EXPECT_EQ(fork.slices_version(), first);
  fork.remove<api::ResourceSlice>("", "");
  EXPECT_NE(fork.slices_version(), first);
  EXPECT_EQ(objects.slices_version(), first);
}

TEST(Objects, VersionsAreNumbers) {
  EXPECT_TRUE(is_newer("10", "9"));
  EXPECT_FALSE(is_newer("9", "10"));
  EXPECT_FALSE(is_newer("9", "9"));
}

TEST(Objects, AForkHasTheAssumptionAndKeepsItsOwn) {
  Objects objects;
  objects.set(volume("7", "real"));
  objects.assume(volume("7", "assumed"));
  auto fork = objects;
  fork.restore<Volume>("", "v", "7");
  EXPECT_EQ(assumed(objects), "assumed");
  EXPECT_EQ(assumed(fork), "real");
}

}  // namespace
}  // namespace podium::cluster
