// HttpsServer and the bodies of requests: read within a bound, refused, endless, slow.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "unit/server/https_client.h"
#include "unit/server/running_server.h"

namespace podium::server {
namespace {

std::string post(const std::string& path, std::size_t length, const std::string& more = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(length) +
         "\r\n" + more + "\r\n";
}

TEST(HttpsServer, AHandlerReadsTheBody) {
  RunningServer server;
  HttpsClient client(server.port());
  for (const std::size_t size : {0, 1, 1'000, 5'000}) {
    const std::string body(size, 'b');
    client.send(post("/echo", size) + body);
    EXPECT_EQ(client.next_reply(), "200: " + body) << size;
  }
  client.send(
      "POST /echo HTTP/1.1\r\nHost: l\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_EQ(client.next_reply(), "200: abcde");
  EXPECT_EQ(client.get("/healthz"), "200 text/plain; charset=utf-8: ok");
}

TEST(HttpsServer, ALargeBodyIsRefusedBeforeItIsSent) {
  RunningServer server;
  for (const std::size_t size : {5'001ul, 1'000'000'000'000ul}) {
    HttpsClient client(server.port());
    client.send(post("/echo", size));
    EXPECT_EQ(client.next_reply(), "413, closes: the body is larger than 5000 bytes") << size;
  }
  HttpsClient chunked(server.port());
  chunked.send("POST /echo HTTP/1.1\r\nHost: l\r\nTransfer-Encoding: chunked\r\n\r\n1389\r\n" +
               std::string(5'001, 'x') + "\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.next_reply(), "413, closes: the body is larger than 5000 bytes");
}

TEST(HttpsServer, ABodyThatIsNotReadEndsTheConnectionUnlessItIsSmall) {
  RunningServer server;
  HttpsClient small(server.port());
  small.send(post("/healthz", 1'000) + std::string(1'000, 'x'));
  EXPECT_EQ(small.next_reply(), "200: ok");
  EXPECT_EQ(small.get("/healthz"), "200 text/plain; charset=utf-8: ok");
  HttpsClient large(server.port());
  large.send(post("/healthz", 100'000) + std::string(100'000, 'x'));
  EXPECT_EQ(large.next_reply(), "200, closes: ok");
}

// Beast asserts that the end of the last chunk has five bytes, which a client may send one by one.
TEST(HttpsServer, ReadsChunksThatArriveByteByByte) {
  RunningServer server;
  const std::string head = " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string target : {"/healthz", "/echo"}) {  // the body is skipped, and read
    SCOPED_TRACE(target);
    HttpsClient client(server.port());
    client.send("POST " + target + head);
    for (const char byte : std::string("0\r\n\r\n")) client.send(std::string(1, byte));
    EXPECT_TRUE(client.next_reply().starts_with("200"));
  }
}

// Neither counts as part of the body, so no limit of the body ends it.
TEST(HttpsServer, AnEndlessChunkExtensionOrTrailerEndsTheConnection) {
  RunningServer server;
  const std::string chunked =
      "POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string begin : {"1;", "0\r\nx: "}) {
    SCOPED_TRACE(begin);
    HttpsClient client(server.port());
    client.send(chunked + begin);
    for (int megabyte = 0; megabyte < 32 && !client.error(); ++megabyte)
      client.send(std::string(1024 * 1024, 'a'));
    EXPECT_TRUE(client.error());
  }
  EXPECT_EQ(HttpsClient(server.port()).get("/healthz"), "200 text/plain; charset=utf-8: ok");
}

TEST(HttpsServer, AHeaderThatIsTooLargeOrNotValidGetsAReplyAndEndsTheConnection) {
  const std::string kTooLarge = "431, closes: 431 Request Header Fields Too Large\n",
                    kInvalid = "400, closes: 400 Bad Request\n", kHost = " HTTP/1.1\r\nHost: h\r\n";
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += "a: b\r\n";
  struct Case {
    const char* name;
    std::string sent, reply;
  };
  const Case cases[] = {
      {"a path", "GET /" + std::string(40'000, 'x') + kHost + "\r\n", kTooLarge},
      {"a path without an end", "GET /" + std::string(500'000, 'x'), kTooLarge},
      {"a header", "GET /healthz" + kHost + "X: " + std::string(40'000, 'x') + "\r\n\r\n", kTooLarge},
      {"headers", "GET /healthz" + kHost + many + "\r\n", kTooLarge},
      {"a name without an end", "GET /healthz" + kHost + std::string(500'000, 'x'), kTooLarge},
      {"no HTTP", "hello\r\n\r\n", kInvalid},
      {"another protocol", "GET / SMTP/1.1\r\n\r\n", kInvalid},
      {"two lengths", "POST /who" + kHost + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", kInvalid},
      {"a negative length", "POST /who" + kHost + "Content-Length: -1\r\n\r\n", kInvalid},
      {"a huge length", "POST /who" + kHost + "Content-Length: 99999999999999999999999\r\n\r\n", kInvalid},
  };
  RunningServer server;
  for (const auto& c : cases) {
    HttpsClient client(server.port());
    client.send(c.sent);
    EXPECT_EQ(client.next_reply(), c.reply) << c.name;
    client.end();
    EXPECT_TRUE(client.read_unasked()) << c.name;
  }
  EXPECT_EQ(HttpsClient(server.port()).get("/healthz"), "200 text/plain; charset=utf-8: ok");
}

TEST(HttpsServer, WhoWaitsToContinueGetsAContinue) {
  RunningServer server;
  HttpsClient client(server.port());
  client.send(post("/echo", 3, "Expect: 100-continue\r\n"));
  EXPECT_EQ(client.next_reply(), "100: ");
  client.send("abc");
  EXPECT_EQ(client.next_reply(), "200: abc");
  HttpsClient refused(server.port());
  refused.send(post("/healthz", 3, "Expect: 100-continue\r\n"));
  EXPECT_EQ(refused.next_reply(), "200, closes: ok") << "nobody wants the body";
}

// It has a reply, and its connection ends, without any deadline: the server's time stands still here.
TEST(HttpsServer, WhoEndsAmidABodyIsNotWaitedFor) {
  RunningServer server;
  for (const std::string target : {"/echo", "/healthz"}) {  // the body is read, and skipped
    SCOPED_TRACE(target);
    HttpsClient client(server.port());
    client.send(post(target, 300) + "a");
    client.end();
    EXPECT_EQ(client.next_reply(),
              target == "/echo" ? "408, closes: the body did not arrive" : "200, closes: ok");
    EXPECT_TRUE(client.read_unasked());
  }
}

TEST(HttpsServer, ABodyThatIsSlowEndsTheConnection) {
  RunningServer server;
  HttpsClient client(server.port());
  client.send(post("/echo", 3) + "a");
  ASSERT_EQ(HttpsClient(server.port()).get("/healthz"), "200 text/plain; charset=utf-8: ok");
  server.advance(std::chrono::seconds(11));
  EXPECT_TRUE(client.read_unasked());
}

}  // namespace
}  // namespace podium::server
