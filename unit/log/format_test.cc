#include "log/format.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <string>

#include "log/record.h"

namespace podium::log {
namespace {

// The formatted message.
std::string logged(const std::string& message) {
  std::ostringstream out;
  spdlog::logger logger("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(out));
  logger.set_formatter(text_formatter());
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
  EXPECT_EQ(logged("a\u202eb\u2028c\u061c"), "a\\u202eb\\u2028c\\u061c");
  EXPECT_EQ(logged(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(logged("a\U000e0041b"), "a\\U000e0041b") << "a tag that nobody sees";
  EXPECT_EQ(logged("a\x9b\xe2"), "a\\x9b\\xe2") << "not UTF-8";
}

// The JSON object without its time.
std::string json_logged(const std::string& record, spdlog::level::level_enum level = spdlog::level::info) {
  std::ostringstream out;
  spdlog::logger logger("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(out));
  logger.set_formatter(json_formatter());
  logger.set_level(spdlog::level::trace);
  logger.log(level, "{}", record);
  const auto line = out.str();
  EXPECT_TRUE(line.starts_with("{\"ts\":1") && line.ends_with("}\n")) << line;
  const auto rest = line.find(",\"level\"");
  EXPECT_NE(rest, std::string::npos) << line;
  return line.substr(rest + 1, line.size() - rest - 3);
}

template <typename... T>
std::string record(const char* format, const T&... args) {
  return make_record(format, fmt::make_format_args(args...));
}

TEST(LogFormat, JsonHasTheFieldsApart) {
  EXPECT_EQ(json_logged(record("caches synced nodes={}", 3)),
            R"("level":"info","v":0,"msg":"caches synced","nodes":"3")");
  EXPECT_EQ(json_logged(record("refused error={:?}", "a \"b\"\nc"), spdlog::level::warn),
            R"("level":"warning","v":0,"msg":"refused","error":"a \"b\"\u000ac")");
  EXPECT_EQ(json_logged(record("x a={} a={} msg={}", 1, 2, 3), spdlog::level::debug),
            R"("level":"debug","v":3,"msg":"x","a":"1","a_":"2","msg_":"3")");
  EXPECT_EQ(json_logged("\xff\xc0\xafZ\xc3\xbcrich \x1b \xed\xa0\x80\xf0\x9f\x98\x80"),
            "\"level\":\"info\",\"v\":0,\"msg\":\"\\ufffd\\ufffd\\ufffdZ\xc3\xbcrich \\u001b "
            "\\ufffd\\ufffd\\ufffd\xf0\x9f\x98\x80\"")
      << "only valid UTF-8";
  EXPECT_EQ(json_logged("a\u009b\u202eb"), R"("level":"info","v":0,"msg":"a\u009b\u202eb")");
  EXPECT_EQ(json_logged("a\U000e0041b"), R"("level":"info","v":0,"msg":"a\udb40\udc41b")");
}

}  // namespace
}  // namespace podium::log
