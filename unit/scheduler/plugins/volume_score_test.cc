// VolumeBinding's score, which is behind StorageCapacityScoring.
#include "scheduler/plugins/volumes/score.h"

#include "unit/scheduler/plugins/volume_fixture.h"

namespace podium::plugins::test::volume_score_test {
namespace {

const std::string kFuller =
    R"({"shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]})";
const std::string kBent = R"({"shape": [{"utilization": 50, "score": 0}, {"utilization": 80, "score": 3},
                                        {"utilization": 100, "score": 5}]})";
constexpr auto kZone = "topology.kubernetes.io/zone";

Scores ask(const api::Pod& pod, const Snapshot& snapshot, const std::string& args = kFuller,
           const std::vector<std::string>& infeasible = {}) {
  framework::Features features;
  features.storage_capacity_scoring = true;
  return score(make(make_volume_binding, args, features), pod, snapshot, infeasible);
}

api::PersistentVolume volume_at(std::string name, std::string class_name, std::string_view capacity,
                                std::string key, std::string value) {
  auto made = volume(std::move(name), capacity, std::move(class_name));
  made.node_affinity = {node_term({podium::test::in(std::move(key), {std::move(value)})})};
  return made;
}
api::PersistentVolume volume_on(const std::string& node, const std::string& class_name,
                                std::string_view capacity) {
  auto name = node + "-" + class_name + "-" + std::string(capacity);
  return volume_at(std::move(name), class_name, capacity, "kubernetes.io/hostname", node);
}

api::StorageClass there(std::string name) {
  return storage_class(std::move(name), "kubernetes.io/no-provisioner", true);
}
api::CsiDriver counting_driver() {
  api::CsiDriver made;
  made.meta.name = "disks.example.com";
  made.storage_capacity = true;
  return made;
}
// Storage capacity of the class "fast" for nodes with this label.
api::CsiStorageCapacity room(std::string name, std::string_view capacity, std::string key,
                             std::string value) {
  api::CsiStorageCapacity made;
  made.meta.name = std::move(name);
  made.storage_class = "fast";
  made.node_topology = podium::test::select_labels({{std::move(key), std::move(value)}});
  if (!capacity.empty()) made.capacity = podium::test::quantity(capacity);
  return made;
}
api::CsiStorageCapacity room_on(const std::string& node, std::string_view capacity) {
  return room("on-" + node, capacity, "kubernetes.io/hostname", node);
}

TEST(VolumeScore, ShareOfEachClass) {
  struct Part {
    std::string_view requested, capacity;
  };
  const struct {
    const char* name;
    std::string args;
    std::vector<Part> classes;
    std::int64_t want;
  } cases[] = {
      {"nothing of one", kFuller, {{"0", "100"}}, 0},
      {"a part of one", kFuller, {{"30", "100"}}, 30},
      {"half of one", kFuller, {{"50", "100"}}, 50},
      {"all of one", kFuller, {{"100", "100"}}, 100},
      {"nothing of two", kFuller, {{"0", "100"}, {"0", "100"}}, 0},
      {"a part of one of two", kFuller, {{"0", "100"}, {"30", "100"}}, 15},
      {"a part of both", kFuller, {{"30", "100"}, {"60", "100"}}, 45},
      {"all of one of two", kFuller, {{"50", "100"}, {"100", "100"}}, 75},
      {"all of both", kFuller, {{"100", "100"}, {"100", "100"}}, 100},
      {"shares are cut", kFuller, {{"999", "1000"}}, 99},
      {"the average is rounded", kFuller, {{"50", "100"}, {"25", "100"}}, 38},
      {"three classes", kFuller, {{"1", "100"}, {"1", "100"}, {"0", "100"}}, 1},
      {"before the first point", kBent, {{"0", "100"}, {"30", "100"}}, 0},
      {"one before it, one behind", kBent, {{"30", "100"}, {"60", "100"}}, 5},
      {"at the first and the last", kBent, {{"50", "100"}, {"100", "100"}}, 25},
      {"between points", kBent, {{"90", "100"}, {"90", "100"}}, 40},
      {"at the last", kBent, {{"100", "100"}, {"100", "100"}}, 50},
      {"without a shape less used is better", "{}", {{"30", "100"}}, 70},
      {"an empty shape is none", R"({"shape": []})", {{"100", "100"}}, 0},
      {"sizes whose hundredfold no int64 holds", kFuller, {{"4Ei", "7Ei"}}, 57},
  };
  for (const auto& c : cases) {
    auto asked = pod("p");
    auto snapshot = storage({host("n")}, {});
    for (std::size_t i = 0; i < c.classes.size(); ++i) {
      const auto name = "class" + std::to_string(i);
      snapshot.objects().set(podium::test::share(there(name)));
      snapshot.objects().set(podium::test::share(volume("v" + name, c.classes[i].capacity, name)));
      snapshot.objects().set(podium::test::share(claim(name, c.classes[i].requested, name)));
      asked.claim(name);
    }
    EXPECT_EQ(ask(asked, snapshot, c.args), (Scores{{"n", c.want}})) << c.name;
  }
}

TEST(VolumeScore, VolumesThatAreThere) {
  const Nodes nodes{host("a"), host("b"), host("c")};
  const Nodes zones{host("a1").zone("a"), host("a2").zone("a"), host("b1").zone("b")};
  const auto ssd = there("ssd"), hdd = there("hdd");
  const auto [taken, its_volume] = bound(claim("bound"), volume("vb"));
  const struct {
    const char* name;
    api::Pod pod;
    Snapshot snapshot;
    std::string args;
    std::vector<std::string> infeasible;
    Scores want;
  } cases[] = {
      {"the closest in size",
       pod("p").claim("s"),
       storage(nodes, {}, ssd, claim("s", "50Gi", "ssd"), volume_on("a", "ssd", "200Gi"),
               volume_on("b", "ssd", "100Gi")),
       kFuller,
       {"c"},
       {{"a", 25}, {"b", 50}}},
      {"the smallest of a node counts, whatever else it has",
       pod("p").claim("s"),
       storage(nodes, {}, ssd, claim("s", "50Gi", "ssd"), volume_on("a", "ssd", "200Gi"),
               volume_on("a", "ssd", "80Gi"), volume_on("b", "ssd", "100Gi")),
       kFuller,
       {"c"},
       {{"a", 62}, {"b", 50}}},
      {"two classes",
       pod("p").claim("s").claim("h"),
       storage(nodes, {}, ssd, hdd, claim("s", "50Gi", "ssd"), claim("h", "100Gi", "hdd"),
               volume_on("a", "ssd", "200Gi"), volume_on("a", "hdd", "200Gi"), volume_on("b", "ssd", "100Gi"),
               volume_on("b", "hdd", "100Gi")),
       kFuller,
       {"c"},
       {{"a", 38}, {"b", 75}}},
      {"two claims of a class are one share",
       pod("p").claim("s").claim("t"),
       storage({host("a")}, {}, ssd, claim("s", "10Gi", "ssd"), claim("t", "50Gi", "ssd"),
               volume_on("a", "ssd", "10Gi"), volume_on("a", "ssd", "190Gi")),
       kFuller,
       {},
       {{"a", 30}}},
      {"volumes of a zone",
       pod("p").claim("s"),
       storage(zones, {}, ssd, claim("s", "50Gi", "ssd"), volume_at("va", "ssd", "200Gi", kZone, "a"),
               volume_at("vb", "ssd", "100Gi", kZone, "b")),
       R"({"shape": [{"utilization": 0, "score": 0}, {"utilization": 50, "score": 3},
                     {"utilization": 100, "score": 5}]})",
       {},
       {{"a1", 15}, {"a2", 15}, {"b1", 30}}},
      {"claims that are bound do not count",
       pod("p").claim("bound"),
       storage({host("a")}, {}, ssd, taken, its_volume),
       kFuller,
       {},
       {{"a", 0}}},
      {"also not with one that is not",
       pod("p").claim("bound").claim("s"),
       storage({host("a")}, {}, ssd, taken, its_volume, claim("s", "50Gi", "ssd"),
               volume_on("a", "ssd", "200Gi")),
       kFuller,
       {},
       {{"a", 25}}},
  };
  for (const auto& c : cases) EXPECT_EQ(ask(c.pod, c.snapshot, c.args, c.infeasible), c.want) << c.name;
}

TEST(VolumeScore, VolumesThatAreToBeMade) {
  const Nodes nodes{host("a"), host("b"), host("c")};
  const auto fast = fast_class();
  const auto driver = counting_driver();
  const auto dynamic = claim("d", "10Gi", "fast");
  auto largest_only = room_on("a", "");
  largest_only.maximum_volume_size = podium::test::quantity("100Gi");
  auto limited = room_on("a", "100Gi");
  limited.maximum_volume_size = podium::test::quantity("20Gi");
  auto everywhere = room_on("a", "40Gi");
  everywhere.node_topology = podium::test::select_all();
  const auto rooms = [&](const auto&... more) {
    return storage(nodes, {}, fast, driver, dynamic, room_on("a", "100Gi"), room_on("b", "50Gi"),
                   room_on("c", "10Gi"), more...);
  };
  const struct {
    const char* name;
    api::Pod pod;
    Snapshot snapshot;
    std::string args;
    Scores want;
  } cases[] = {
      {"the fullest", pod("p").claim("d"), rooms(), kFuller, {{"a", 10}, {"b", 20}, {"c", 100}}},
      {"the emptiest", pod("p").claim("d"), rooms(), "{}", {{"a", 90}, {"b", 80}, {"c", 0}}},
      {"a volume that is there hides them",
       pod("p").claim("d").claim("s"),
       rooms(there("ssd"), claim("s", "50Gi", "ssd"), volume_on("a", "ssd", "100Gi"),
             volume_on("b", "ssd", "100Gi"), volume_on("c", "ssd", "100Gi")),
       kFuller,
       {{"a", 50}, {"b", 50}, {"c", 50}}},
      {"but only where it is",
       pod("p").claim("d"),
       rooms(volume_on("b", "fast", "40Gi")),
       kFuller,
       {{"a", 10}, {"b", 25}, {"c", 100}}},
      {"claims of a class share its room",
       pod("p").claim("d").claim("e"),
       storage({host("a")}, {}, fast, driver, claim("d", "50Gi", "fast"), claim("e", "50Gi", "fast"),
               room_on("a", "100Gi")),
       kFuller,
       {{"a", 100}}},
      {"more together than there is room for",
       pod("p").claim("d").claim("e"),
       storage({host("a")}, {}, fast, driver, claim("d", "60Gi", "fast"), claim("e", "60Gi", "fast"),
               room_on("a", "100Gi")),
       kFuller,
       {{"a", 100}}},
      {"the largest size is not room",
       pod("p").claim("d"),
       storage({host("a")}, {}, fast, driver, dynamic, limited),
       kFuller,
       {{"a", 10}}},
      {"a largest size alone counts as full",
       pod("p").claim("d"),
       storage({host("a")}, {}, fast, driver, dynamic, largest_only),
       kFuller,
       {{"a", 100}}},
      {"a room for all nodes",
       pod("p").claim("d"),
       storage({host("a"), host("b")}, {}, fast, driver, dynamic, everywhere),
       kFuller,
       {{"a", 25}, {"b", 25}}},
      {"of several rooms the first by name that is large enough",
       pod("p").claim("d"),
       storage({host("a").zone("z")}, {}, fast, driver, dynamic, room("1", "5Gi", kZone, "z"),
               room("2", "20Gi", kZone, "z"), room("3", "100Gi", kZone, "z")),
       kFuller,
       {{"a", 50}}},
      {"a driver that counts nothing",
       pod("p").claim("d"),
       storage({host("a")}, {}, fast, dynamic, room_on("a", "100Gi")),
       kFuller,
       {{"a", 0}}},
      {"a claim that has its node",
       pod("p").claim("d"),
       storage({host("a")}, {}, fast, driver, claim_on("d", "a", "fast"), room_on("a", "100Gi")),
       kFuller,
       {{"a", 5}}},
  };
  for (const auto& c : cases) EXPECT_EQ(ask(c.pod, c.snapshot, c.args), c.want) << c.name;
}

// If it scores, it is never skipped, so that its weight is listed for every pod.
TEST(VolumeScore, EveryPodIsScored) {
  const auto snapshot = storage({host("a"), host("b")}, {}, there("ssd"), claim("s", "50Gi", "ssd"),
                                volume_on("a", "ssd", "200Gi"));
  EXPECT_EQ(ask(pod("p"), snapshot), (Scores{{"a", 0}, {"b", 0}}));
  framework::Features off;
  off.storage_capacity_scoring = false;
  EXPECT_EQ(score(make(make_volume_binding, kFuller, off), pod("p").claim("s"), snapshot), Scores{});
}

}  // namespace
}  // namespace podium::plugins::test::volume_score_test
