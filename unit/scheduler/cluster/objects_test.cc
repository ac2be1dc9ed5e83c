// Assumed volumes and claims, and updates from the API server.
#include "scheduler/cluster/objects.h"

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
      {"gone and made anew", [](Objects& o) { o.remove<Volume>("", "v"), o.set(volume("9", "anew")); },
       "anew", "anew"},
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
