// PackedUid: each text is kept as it is, whether it is a UUID or not.
#include "base/packed_uid.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace podium {
namespace {

TEST(PackedUid, KeepsEachText) {
  const std::vector<std::string> texts = {"",
                                          "8bbe0f3c-77aa-4a48-a8b4-f3bc73900001",
                                          "8bbe0f3c-77aa-4a48-a8b4-f3bc73900002",
                                          "f0000000-0000-0000-0000-000000000000",
                                          "00000000-0000-0000-0000-000000000001",
                                          "00000000-0000-0000-0000-000000000000",
                                          "8BBE0f3c-77aa-4a48-a8b4-f3bc73900001",
                                          "8bbe0f3c-77aa-4a48-a8b4-f3bc7390000g",
                                          "8bbe0f3c-77aa-4a48-a8b4f-3bc73900001",
                                          "8bbe0f3c77aa4a48a8b4f3bc73900001",
                                          "8bbe0f3c-77aa-4a48-a8b4-f3bc739000011",
                                          "1",
                                          "pod-1"};
  for (const auto& text : texts) {
    const PackedUid uid(text);
    EXPECT_EQ(uid.text(), text);
    EXPECT_EQ(uid.empty(), text.empty());
    for (const auto& other : texts) EXPECT_EQ(uid == PackedUid(other), text == other) << text << " " << other;
  }
}

TEST(PackedUid, IsSmall) { EXPECT_EQ(sizeof(PackedUid), 24u); }

}  // namespace
}  // namespace podium
