// The seed of the hashes of texts: chosen texts do not share a place under another seed.
#include "base/text_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace podium {
namespace {

class Hashes : public testing::Test {
 protected:
  ~Hashes() override { hash_secret = {}; }

  static constexpr std::uint64_t kPlaces = 1024;
  static std::uint64_t place(std::string_view text) { return hash_text(text) % kPlaces; }
  // Names that share a place under the seed of now, as one finds them who knows it.
  static std::vector<std::string> chosen(std::size_t count) {
    std::vector<std::string> out;
    for (std::size_t i = 0; out.size() < count; ++i) {
      auto name = "app.example.com/web-" + std::to_string(i);
      if (place(name) == 0) out.push_back(std::move(name));
    }
    return out;
  }
};

TEST_F(Hashes, NamesThatShareAPlaceAreSpreadByAnotherSeed) {
  const auto names = chosen(200);
  seed_hashes(0x0123456789abcdef, 0xfedcba9876543210);
  std::set<std::uint64_t> places;
  for (const auto& name : names) places.insert(place(name));
  EXPECT_GT(places.size(), 150u);
}

TEST_F(Hashes, LabelsToo) {
  const auto place = [](std::pair<std::string_view, std::string_view> label) {
    return TextPairHash()(label) % kPlaces;
  };
  std::vector<std::string> values;
  for (std::size_t i = 0; values.size() < 200; ++i) {
    auto value = "v" + std::to_string(i);
    if (place({"app", value}) == 0) values.push_back(std::move(value));
  }
  seed_hashes(0x0123456789abcdef, 0xfedcba9876543210);
  std::set<std::uint64_t> places;
  for (const auto& value : values) places.insert(place({"app", value}));
  EXPECT_GT(places.size(), 150u);
}

// With a fixed secret, a block of these bytes makes every text before it equal.
TEST_F(Hashes, NoBlockCancelsWhatIsBeforeIt) {
  const std::string block("\x93\xfd\x59\x66\xb8\xfe\xe8\xd6", 8);
  EXPECT_EQ(hash_text("prefix-a" + block), hash_text("prefix-b" + block)) << "known without a seed";
  seed_hashes(0x0123456789abcdef, 0xfedcba9876543210);
  EXPECT_NE(hash_text("prefix-a" + block), hash_text("prefix-b" + block));
}

TEST_F(Hashes, TheStableOneHasNoSeed) {
  const auto before = stable_hash("node-07");
  EXPECT_EQ(hash_text("node-07"), before) << "without a seed they are equal";
  seed_hashes(1, 2);
  EXPECT_EQ(stable_hash("node-07"), before);
  EXPECT_NE(hash_text("node-07"), before);
}

}  // namespace
}  // namespace podium
