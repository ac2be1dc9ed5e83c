// The objects of JSON that other people wrote are in memory whose addresses they do not know.
#include "api/text/json_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "api/text/parse_json.h"
#include "api/text/yaml.h"

namespace podium::api {
namespace {

constexpr std::uintptr_t kLowerBits = 0x7FFF;

std::string large_object() {
  std::string text = "{";
  for (int i = 0; i < 4000; ++i) text += fmt::format("{}\"key-{}\":1", i == 0 ? "" : ",", i);
  return text + "}";
}

std::uintptr_t place_of(const boost::json::value& value) {
  return reinterpret_cast<std::uintptr_t>(&*value.as_object().begin()) & kLowerBits;
}

template <typename Parse>
std::size_t places(Parse parse) {
  std::set<std::uintptr_t> found;
  for (int i = 0; i < 64; ++i) found.insert(place_of(parse()));
  return found.size();
}

TEST(JsonMemory, LargeObjectsAreWhereTheirAuthorsCannotKnow) {
  const auto text = large_object();
  const auto yaml = "# not JSON\n" + text;
  EXPECT_GT(places([&] { return parse_json(text).value(); }), 48u);
  EXPECT_GT(places([&] { return parse_documents(text, "in.json").value().at(0).value; }), 48u);
  EXPECT_GT(places([&] { return parse_documents(yaml, "in.yaml").value().at(0).value; }), 48u);
}

TEST(JsonMemory, GivesBackWhatItHad) {
  for (const std::size_t bytes : {std::size_t{1}, kShiftedJson - 1, kShiftedJson, 10 * kShiftedJson}) {
    const auto memory = json_memory();
    auto* used = static_cast<char*>(memory->allocate(bytes));
    used[0] = used[bytes - 1] = 'x';
    memory->deallocate(used, bytes);
  }
}

}  // namespace
}  // namespace podium::api
