// Log lines, split into message and fields.
#include "async/log_fields.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace podium::async {
namespace {

std::string parsed(std::string_view line) {
  const auto all = log_fields(line);
  std::string out(all.message);
  for (const auto& [key, value] : all.fields) out += fmt::format("|{}:{}", key, value);
  return out;
}

TEST(LogFields, OfLines) {
  struct Case {
    std::string_view line, parsed;
  };
  const Case cases[] = {
      {"scheduling begins", "scheduling begins"},
      {"caches synced nodes=3 pods=0", "caches synced|nodes:3|pods:0"},
      {R"(binding refused pod=a/b error="pods \"b\" is\nforbidden")",
       "binding refused|pod:a/b|error:pods \"b\" is\nforbidden"},
      {R"(x error="a b=c" d=e)", "x|error:a b=c|d:e"},
      {R"(x text="\x1b\t\r\\ \u00e9 \q \x4" y=)", "x|text:\x1b\t\r\\ \xc3\xa9 \\q \\x4|y:"},
      {"--profiling: a=b is not a field of c", "--profiling:|a:b is not a field of c"},
      {"key=value", "|key:value"},
      {"A=b =c 9=d x", "A=b =c 9=d x"},
      {R"(x open="never closed)", "x|open:never closed"},
      {"", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(parsed(c.line), c.parsed) << c.line;
}

TEST(LogFields, TheMessageIsTheSameWhateverTheValues) {
  EXPECT_EQ(log_message("binding refused pod=a error=\"x\""), "binding refused");
  EXPECT_EQ(log_message("binding refused pod=b error=\"y z=1\""), "binding refused");
  EXPECT_EQ(log_message("alone"), "alone");
}

}  // namespace
}  // namespace podium::async
