#include "client/http/http_reply.h"

#include <gtest/gtest.h>

namespace podium::client {
namespace {

constexpr std::size_t kMegabyte = 1024 * 1024;

// Beast asserts that the end of the last chunk has five bytes, which a peer may send one by one.
TEST(HttpReply, ReadsChunksThatArriveByteByByte) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::pair<const char*, const char*> cases[] = {
      {"0\r\n\r\n", ""},
      {"0;a=b\r\nX: y\r\n\r\n", ""},
      {"2\r\n{}\r\n0\r\n\r\n", "{}"},
  };
  for (const auto& [chunks, body] : cases) {
    SCOPED_TRACE(chunks);
    HttpReply reply(kMegabyte);
    for (const char byte : head + chunks) ASSERT_TRUE(reply.feed({&byte, 1}).has_value());
    EXPECT_TRUE(reply.reusable());
    EXPECT_EQ(reply.take_body(), body);
  }
}

}  // namespace
}  // namespace podium::client
