// Log lines as records: what is a field comes from the format alone.
#include "log/record.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "log/log.h"

namespace podium::log {
namespace {

template <typename... T>
std::string bytes_of(std::string_view format, const T&... args) {
  return make_record(format, fmt::make_format_args(args...));
}

std::string parts(const std::string& bytes) {
  const auto all = read_record(bytes);
  std::string out(all.message);
  for (const auto& field : all.fields) out += fmt::format("|{}:{}", field.key, field.value);
  return out;
}

TEST(Record, AFieldIsWhatTheFormatSays) {
  struct Case {
    std::string bytes, parts, text;
  };
  const std::string odd =
      "a \"b\" c=d\n\x1e"
      "7:";
  const Case cases[] = {
      {bytes_of("scheduling begins"), "scheduling begins", "scheduling begins"},
      {bytes_of("caches synced nodes={} pods={}", 3, 0), "caches synced|nodes:3|pods:0",
       "caches synced nodes=3 pods=0"},
      {bytes_of("refused pod={}/{} error={:?}", "a", "b", odd), "refused|pod:a/b|error:" + odd,
       fmt::format("refused pod=a/b error={:?}", odd)},
      {bytes_of("x verb={} error={:?}", "", ""), "x|error:", "x error=\"\""},
      {bytes_of("took after_s={:.1f} {{}}", 1.25), "took|after_s:1.2 {}", "took after_s=1.2 {}"},
      {bytes_of("{}", "key=value"), "key=value", "key=value"},
      {bytes_of("{}: {} a={}", "x", "y=1", 2), "x: y=1|a:2", "x: y=1 a=2"},
      {bytes_of("key={}", 1), "|key:1", "key=1"},
      {"of another library key=value", "of another library key=value", "of another library key=value"},
      {"", "", ""},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(parts(c.bytes), c.parts);
    EXPECT_EQ(read_record(c.bytes).text(), c.text);
  }
}

TEST(Record, TheMessageIsTheSameWhateverTheValues) {
  EXPECT_EQ(read_record(bytes_of("binding refused error={:?}", "x")).message, "binding refused");
  EXPECT_EQ(read_record(bytes_of("binding refused error={:?}", "y z=1")).message, "binding refused");
}

TEST(Record, BytesThatEndEarlyLoseOnlyTheirEnd) {
  const auto whole = bytes_of("binding refused pod={} error={:?}", "a", "no");
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const auto cut = read_record(std::string_view(whole).substr(0, size));
    EXPECT_LE(cut.fields.size(), 2u);
    EXPECT_LE(cut.message.size(), whole.size());
  }
}

}  // namespace
}  // namespace podium::log
