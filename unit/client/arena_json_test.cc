#include "client/decode/arena_json.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>

#include "api/text/json_memory.h"
#include "client/watch/reflector.h"

namespace podium::client {
namespace {

namespace json = boost::json;

static_assert(!std::is_copy_constructible_v<ArenaJson> && !std::is_copy_assignable_v<ArenaJson>);
static_assert(!std::is_convertible_v<const ArenaJson&, json::value>, "not by the copy of what it refers to");
static_assert(!std::is_copy_constructible_v<Change>);

TEST(ArenaJson, ACloneOutlivesTheArena) {
  const std::string text = R"({"a":[1,2,{"b":"a string that is too long to be kept in place"}]})";
  Arena arena;
  json::value clone;
  {
    const ArenaJson object(json::parse(text, &arena));
    clone = object.clone();
    EXPECT_EQ(object.view(), json::parse(text));
  }
  arena.reset();
  EXPECT_EQ(clone, json::parse(text));
}

TEST(Arena, GivesAlignedMemoryOfAnySize) {
  Arena arena;
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t size : {1u, 3u, 100u, 40'000u, 70'000u, 1'000'000u, 8u}) {
      for (const std::size_t alignment : {1u, 8u, 16u}) {
        auto* at = static_cast<unsigned char*>(arena.allocate(size, alignment));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at) % alignment, 0u);
        at[0] = at[size - 1] = 1;
      }
    }
    arena.reset();
  }
}

#if defined(__SANITIZE_ADDRESS__)
// The address of an object's table decides where its keys are: api/text/json_memory.h.
TEST(Arena, LargeBlocksAreWhereAuthorsCannotKnow) {
  std::set<std::uintptr_t> found;
  Arena arena;
  for (int i = 0; i < 64; ++i) {
    arena.reset();
    found.insert(reinterpret_cast<std::uintptr_t>(arena.allocate(api::kShiftedJson, 16)) & 0x7FFF);
  }
  EXPECT_GT(found.size(), 48u);
}

TEST(ArenaJsonDeathTest, WhatIsReadAfterTheResetIsReported) {
  for (const std::size_t size : {100u, 300'000u}) {  // in the first block, and in one of its own
    EXPECT_DEATH(
        {
          Arena arena;
          const ArenaJson object(json::parse("[\"" + std::string(size, 'x') + "\"]", &arena));
          const std::string_view kept(object.view().at(0).get_string());
          arena.reset();
          EXPECT_NE(kept[size - 1], 'y');
        },
        "AddressSanitizer: (use-after-poison|heap-use-after-free)");
  }
}
#endif

}  // namespace
}  // namespace podium::client
