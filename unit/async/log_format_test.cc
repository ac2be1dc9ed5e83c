#include "async/log_format.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <string>

namespace podium::async {
namespace {

// The formatted message.
std::string logged(const std::string& message) {
  std::ostringstream out;
  spdlog::logger logger("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(out));
  logger.set_formatter(log_formatter());
  logger.info("{}", message);
  const auto line = out.str();
  EXPECT_TRUE(line.ends_with('\n'));
  const auto level = line.find(" I ");
  EXPECT_NE(level, std::string::npos) << line;
  return line.substr(level + 3, line.size() - level - 4);
}

TEST(LogFormat, AMessageStaysOneLineAndMovesNoCursor) {
  EXPECT_EQ(logged("plain name=a error=\"b\""), "plain name=a error=\"b\"");
  EXPECT_EQ(logged("a\nI b\r\t"), "a\\nI b\\x0d\\t");
  EXPECT_EQ(logged("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
  EXPECT_EQ(logged("\xc2\x9b"
                   "2J"),
            "\\x9b2J")
      << "the one that terminals take for ESC [";
  EXPECT_EQ(logged("Zürich ✓"), "Zürich ✓");
  EXPECT_EQ(logged(std::string("a\0b", 3)), "a\\x00b");
}

}  // namespace
}  // namespace podium::async
