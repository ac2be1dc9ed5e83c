#include "unit/scheduler/plugins/ask.h"

namespace podium::plugins::test::image_locality_test {
namespace {

constexpr std::int64_t kMiB = 1024 * 1024;

TEST(ImageLocality, Score) {
  const Nodes nodes{
      node("small")
          .image({"gcr.io/40:latest", "gcr.io/40@sha256:0f"}, 40 * kMiB)
          .image({"gcr.io/300:latest"}, 300 * kMiB),
      node("large").image({"gcr.io/250:v1"}, 250 * kMiB).image({"gcr.io/2000:latest"}, 2000 * kMiB),
      node("none")};
  const auto scores = [](std::int64_t small, std::int64_t large) {
    return Scores{{"large", large}, {"none", 0}, {"small", small}};
  };
  api::Volume image_volume{.name = "v", .kind = api::Volume::Kind::image, .id = "gcr.io/300"};
  const struct {
    const char* name;
    api::Pod pod;
    Scores want;
  } cases[] = {
      {"unknown images", pod("p").image("gcr.io/x"), scores(0, 0)},
      // An image that one of three nodes has is worth a third: below 23 MiB counts as nothing.
      {"too small to count", pod("p").image("gcr.io/40"), scores(0, 0)},
      // (100 - 23) * 100 / (1000 - 23)
      {"a tag is implied", pod("p").image("gcr.io/300"), scores(7, 0)},
      {"another tag", pod("p").image("gcr.io/300:v1"), scores(0, 0)},
      // (83.33 - 23) * 100 / 977
      {"a tag is given", pod("p").image("gcr.io/250:v1"), scores(0, 6)},
      // (666.66 - 23) * 100 / 977
      {"a large one", pod("p").image("gcr.io/2000"), scores(0, 65)},
      // (100 + 13.33 - 23) * 100 / (2000 - 23)
      {"two containers", pod("p").image("gcr.io/300").container("b").image("gcr.io/40"), scores(4, 0)},
      {"an init container counts as well",
       pod("p").image("gcr.io/300").init_container("b").image("gcr.io/40"), scores(4, 0)},
      // (200 - 23) * 100 / (2000 - 23)
      {"used twice", pod("p").image("gcr.io/300").container("b").image("gcr.io/300"), scores(8, 0)},
      {"a volume counts as well", pod("p").image("gcr.io/300").volume(image_volume), scores(8, 0)},
      {"one that no node has", pod("p").image("gcr.io/x").volume(image_volume), scores(3, 0)},
      {"by digest", pod("p").image("gcr.io/40@sha256:0f").volume(image_volume), scores(4, 0)},
      // (1333 - 23) * 100 / (2000 - 23)
      {"large ones",
       pod("p")
           .image("gcr.io/2000")
           .volume({.name = "v", .kind = api::Volume::Kind::image, .id = "gcr.io/2000"}),
       scores(0, 66)},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(score(make(make_image_locality), c.pod, snapshot_of(nodes)), c.want) << c.name;
  }
}

TEST(ImageLocality, AnImageThatAllNodesHaveCountsInFull) {
  const Nodes nodes{node("a").image({"x:latest"}, 1000 * kMiB), node("b").image({"x:latest"}, 1000 * kMiB)};
  EXPECT_EQ(score(make(make_image_locality), pod("p").image("x"), snapshot_of(nodes)),
            (Scores{{"a", 100}, {"b", 100}}));
}

TEST(ImageLocality, APortIsNotATag) {
  const Nodes nodes{node("a").image({"registry:5000/x:latest"}, 1000 * kMiB)};
  EXPECT_EQ(score(make(make_image_locality), pod("p").image("registry:5000/x"), snapshot_of(nodes)),
            (Scores{{"a", 100}}));
}

}  // namespace
}  // namespace podium::plugins::test::image_locality_test
