#include "client/http/http_reply.h"

#include <gtest/gtest.h>

namespace podium::client {
namespace {

constexpr std::size_t kMegabyte = 1024 * 1024;

// The number of bytes after which the reply is refused; 0: it never is.
std::size_t refused_after(HttpReply& reply, std::size_t most) {
  const std::string piece(4096, 'a');
  for (std::size_t fed = 0; fed < most; fed += piece.size()) {
    const auto taken = reply.feed(piece);
    if (!taken) {
      EXPECT_EQ(taken.error().kind, Error::Kind::unavailable);
      EXPECT_TRUE(taken.error().message.starts_with("not an HTTP reply: ")) << taken.error().message;
      return fed + piece.size();
    }
  }
  return 0;
}

// None of these counts as part of the body, so no limit of the body ends it.
TEST(HttpReply, RefusesWhatHasNoEnd) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::pair<const char*, std::string> cases[] = {
      {"status line", "HTTP/1.1 200 "},    {"header", "HTTP/1.1 200 OK\r\nX: "},
      {"chunk extension", chunked + "1;"}, {"chunk extension after a chunk", chunked + "2\r\n{}\r\n1;"},
      {"trailer", chunked + "0\r\nx: "},
  };
  for (const auto& [name, begin] : cases) {
    SCOPED_TRACE(name);
    HttpReply reply(16 * kMegabyte);
    ASSERT_TRUE(reply.feed(begin).has_value());
    const auto after = refused_after(reply, 2 * kMegabyte);
    EXPECT_GT(after, 0U);
    EXPECT_LE(after, 70'000U);
  }
}

TEST(HttpReply, RefusesInformationalRepliesWithoutAnEnd) {
  const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  HttpReply reply(kMegabyte);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(reply.feed(go_on).has_value());
  const auto sixth = reply.feed(go_on);
  ASSERT_FALSE(sixth);
  EXPECT_EQ(sixth.error().message, "not an HTTP reply: too many 1xx informational responses");
}

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

// The limit is one of what is not parsed: not of bodies, and not of what follows a reply.
TEST(HttpReply, TakesLargeBodiesAndManyRepliesTogether) {
  const std::string body(kMegabyte, 'x');
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n";
  HttpReply first(kMegabyte);
  ASSERT_TRUE(first.feed(head + body + head + body).has_value());
  EXPECT_EQ(first.take_body().size(), kMegabyte);
  HttpReply second(kMegabyte);
  ASSERT_TRUE(second.feed(first.take_rest()).has_value());
  EXPECT_EQ(second.take_body().size(), kMegabyte);
  EXPECT_TRUE(second.reusable());
}

// Lists without an end, several at a time, next to a small reply.
TEST(HttpReply, AllBodiesTogetherAreBoundedAndASmallOneIsNotHeldUp) {
  const auto budget = std::make_shared<BodyBudget>(8 * kMegabyte);
  const std::string chunk = "100000\r\n" + std::string(1 << 20, 'x') + "\r\n";
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  {
    std::vector<HttpReply> endless;
    std::size_t taken = 0;
    for (int i = 0; i < 4; ++i) {
      endless.emplace_back(256 * kMegabyte, budget);
      ASSERT_TRUE(endless.back().feed(head));
    }
    for (int refused = 0; refused < 4;) {
      refused = 0;
      for (auto& one : endless) {
        const auto fed = one.feed(chunk);
        taken += fed.has_value();
        refused += !fed;
        if (!fed) {
          EXPECT_EQ(fed.error().kind, Error::Kind::too_large);
        }
      }
    }
    EXPECT_LE(taken, 4u * 4 + 8);
    HttpReply small(256 * kMegabyte, budget);
    EXPECT_TRUE(small.feed("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
    EXPECT_EQ(small.take_body(), "ok");
  }
  EXPECT_EQ(budget->left(), 8 * kMegabyte);
}

}  // namespace
}  // namespace podium::client
