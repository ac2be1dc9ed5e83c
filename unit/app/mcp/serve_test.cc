// The server with a shell script in place of podium.
#include "app/mcp/serve.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <set>
#include <thread>

#include "app/mcp/protocol.h"
#include "base/descriptor.h"
#include "unit/support/temp_dir.h"

namespace podium::mcp {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::StartsWith;

class Conversation {
 public:
  explicit Conversation(const std::string& script, ServeOptions options = {}) {
    const auto path = directory_.path("program");
    std::ofstream(path) << "#!/bin/sh\n" << script;
    ::chmod(path.c_str(), 0755);
    options.program = path;
    if (!options.flags)
      options.flags = [](std::string_view) { return std::vector<std::string>{"--namespace=shop"}; };
    int in[2], out[2];
    EXPECT_EQ(::pipe(in), 0);
    EXPECT_EQ(::pipe(out), 0);
    options.input = in[0];
    options.output = out[1];
    input_ = in[1];
    output_ = out[0];
    server_ = std::jthread([this, options] {
      code_ = serve(options);
      ::close(options.output);
      ::close(options.input);
    });
  }
  ~Conversation() {
    end_input();
    if (server_.joinable()) server_.join();
    ::close(output_);
  }

  void say(const std::string& text) const {
    EXPECT_EQ(::write(input_, text.data(), text.size()), std::ssize(text));
  }
  void call(int id, const std::string& name = "web-07") const {
    say(json::serialize(json::object{
            {"jsonrpc", "2.0"},
            {"id", id},
            {"method", "tools/call"},
            {"params", json::object{{"name", "why"}, {"arguments", json::object{{"name", name}}}}}}) +
        "\n");
  }
  json::value next() {
    for (;;) {
      if (const auto end = read_.find('\n'); end != read_.npos) {
        auto message = json::parse(read_.substr(0, end));
        read_.erase(0, end + 1);
        return message;
      }
      char buffer[4096];
      const auto size = ::read(output_, buffer, sizeof buffer);
      if (size <= 0) return nullptr;
      read_.append(buffer, static_cast<std::size_t>(size));
    }
  }
  // Until a client that does not read has as many bytes before it as the pipe takes.
  void await_full_output() const {
    for (int size = 0; size < 64 * 1024; ::poll(nullptr, 0, 1))
      ASSERT_EQ(::ioctl(output_, FIONREAD, &size), 0);
  }
  void end_input() {
    if (input_ >= 0) ::close(std::exchange(input_, -1));
  }
  int code() {
    server_.join();
    return code_;
  }

 private:
  unit::TempDir directory_;
  int input_ = -1, output_ = -1, code_ = -1;
  std::string read_;
  std::jthread server_;
};

std::string words_of(const json::value& reply) {
  return std::string(reply.at("result").at("content").at(0).at("text").as_string());
}

constexpr const char* kEcho = R"(printf '{"words": "%s", "document": {}}' "$*")";

TEST(Serve, RunsTheCommandWithTheFlags) {
  Conversation with(kEcho);
  with.call(1);
  const auto reply = with.next();
  EXPECT_EQ(reply.at("id"), 1);
  EXPECT_EQ(words_of(reply), "why --output=answer --namespace=shop web-07");
}

TEST(Serve, TheCallsNamespaceReplacesTheServers) {
  Conversation with(kEcho);
  with.say(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"why","arguments":{"name":"a","namespace":"lab"}}})"
      "\n");
  EXPECT_EQ(words_of(with.next()), "why --output=answer a --namespace=lab");
}

TEST(Serve, TheManifestIsTheInput) {
  Conversation with(R"sh(printf '{"words": "%s", "document": {}}' "$(cat)")sh");
  with.say(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"what_if","arguments":{"manifest":"kind: Pod"}}})"
      "\n");
  EXPECT_EQ(words_of(with.next()), "kind: Pod");
}

TEST(Serve, AnswersPingWhileACallRuns) {
  Conversation with("sleep 60");
  with.call(1);
  with.say("{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"ping\"}\n");
  EXPECT_EQ(with.next().at("id"), 2);
  with.say(
      "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/cancelled\", \"params\": {\"requestId\": 1}}\n");
  with.end_input();
  EXPECT_EQ(with.next(), json::value()) << "a cancelled call has no reply";
  EXPECT_EQ(with.code(), 0);
}

TEST(Serve, ABatchHasOneReply) {
  Conversation c(R"(echo '{"words": "on n1", "document": {"outcome": "Scheduled"}}')");
  c.say(R"([{"jsonrpc": "2.0", "id": 1, "method": "tools/call",)"
        R"( "params": {"name": "why", "arguments": {"name": "web-07"}}},)"
        R"( {"jsonrpc": "2.0", "method": "notifications/initialized"},)"
        R"( {"jsonrpc": "2.0", "id": 2, "method": "ping"}])"
        "\n");
  c.say(R"([{"jsonrpc": "2.0", "method": "notifications/initialized"}])"
        "\n");
  const auto replies = c.next();
  ASSERT_TRUE(replies.is_array());
  ASSERT_EQ(replies.as_array().size(), 2u);
  EXPECT_EQ(replies.at(0).at("id"), 2) << "in any order";
  EXPECT_EQ(replies.at(1).at("id"), 1);
  EXPECT_EQ(replies.at(1).at("result").at("structuredContent").at("outcome"), "Scheduled");
  c.end_input();
  EXPECT_TRUE(c.next().is_null()) << "a batch of notifications has no reply";
}

TEST(Serve, ACancelledCallIsLeftOutOfItsBatchsReply) {
  Conversation c("sleep 60");
  c.say(R"([{"jsonrpc": "2.0", "id": 1, "method": "tools/call",)"
        R"( "params": {"name": "why", "arguments": {"name": "web-07"}}},)"
        R"( {"jsonrpc": "2.0", "id": 2, "method": "ping"}])"
        "\n");
  c.say(R"({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})"
        "\n");
  const auto replies = c.next();
  ASSERT_TRUE(replies.is_array());
  ASSERT_EQ(replies.as_array().size(), 1u);
  EXPECT_EQ(replies.at(0).at("id"), 2);
}

TEST(Serve, ASignalEndsItWhileTheClientDoesNotRead) {
  Conversation with(
      R"sh(printf '{"words": "'; head -c 300000 /dev/zero | tr '\0' x; printf '", "document": {}}')sh");
  with.call(1);
  with.await_full_output();
  ::kill(::getpid(), SIGTERM);
  EXPECT_EQ(with.code(), 0);
}

TEST(Serve, ACallHasADeadline) {
  ServeOptions options;
  options.deadline = std::chrono::milliseconds(50);
  Conversation with("sleep 60", options);
  with.call(1);
  const auto reply = with.next();
  EXPECT_EQ(reply.at("result").at("isError"), true);
  EXPECT_THAT(words_of(reply), HasSubstr("did not end within 50 ms"));
}

TEST(Serve, TheEndOfTheInputLetsCallsFinish) {
  Conversation with("sleep 0.2\n" + std::string(kEcho));
  for (int id = 1; id <= 5; ++id) with.call(id);
  with.end_input();
  std::set<std::int64_t> answered;
  for (int i = 0; i < 5; ++i) answered.insert(with.next().at("id").as_int64());
  EXPECT_EQ(answered.size(), 5u);
  EXPECT_EQ(with.next(), json::value());
  EXPECT_EQ(with.code(), 0);
}

TEST(Serve, CallsThatWaitAreBounded) {
  ServeOptions options;
  options.most_running = 1;
  options.most_waiting = 1;
  Conversation with("sleep 60", options);
  with.call(1);
  with.call(2);
  with.call(3);
  with.call(4);
  const auto reply = with.next();
  EXPECT_EQ(reply.at("error").at("code"), -32000);
  for (int id = 1; id <= 4; ++id) {
    with.say("{\"jsonrpc\": \"2.0\", \"method\": \"notifications/cancelled\", \"params\": {\"requestId\": " +
             std::to_string(id) + "}}\n");
  }
}

TEST(Serve, AMessageThatIsTooLongIsRefusedAndTheNextOneAnswered) {
  Conversation with(kEcho);
  std::jthread writer([&] { with.say(std::string(kLongestMessage + 1, ' ') + "\n"); });
  EXPECT_EQ(with.next().at("error").at("code"), -32600);
  with.call(1);
  EXPECT_EQ(with.next().at("id"), 1);
}

TEST(Serve, TheLastMessageNeedsNoNewline) {
  Conversation with(kEcho);
  with.say(R"({"jsonrpc": "2.0", "id": 7, "method": "ping"})");
  with.end_input();
  EXPECT_EQ(with.next().at("id"), 7);
  EXPECT_EQ(with.next(), json::value());
  EXPECT_EQ(with.code(), 0);
}

TEST(Serve, AnInputOrOutputThatFailsIsNamed) {
  const unit::TempDir directory;
  const Descriptor no_input(::open(directory.path("").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  const auto said = [](int input, int output) {
    ServeOptions options;
    options.input = input;
    options.output = output;
    testing::internal::CaptureStderr();
    EXPECT_EQ(serve(options), 1);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said(no_input.get(), 1), "podium mcp: cannot read standard input: Is a directory\n");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Descriptor input(ends[0]);
  const std::string ping = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\n";
  ASSERT_EQ(::write(ends[1], ping.data(), ping.size()), std::ssize(ping));
  ::close(ends[1]);
  EXPECT_EQ(said(input.get(), full.get()),
            "podium mcp: cannot write to standard output: No space left on device\n");
}

TEST(Serve, TheCommandsErrorIsTheTools) {
  Conversation with("echo 'podium why: there is no pod' >&2; exit 2");
  with.call(1);
  const auto reply = with.next();
  EXPECT_EQ(reply.at("result").at("isError"), true);
  EXPECT_THAT(words_of(reply), StartsWith("podium why: there is no pod"));
}

}  // namespace
}  // namespace podium::mcp
