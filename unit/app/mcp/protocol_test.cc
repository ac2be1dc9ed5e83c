#include "app/mcp/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace podium::mcp {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;

Effect effect_of(std::string_view message) {
  auto line = take(message);
  EXPECT_FALSE(line.is_batch);
  EXPECT_EQ(line.effects.size(), 1u);
  return std::move(line.effects.front());
}
json::value reply(std::string_view message) { return json::parse(effect_of(message).reply); }

std::string text_of(const json::value& result) {
  return std::string(result.at("content").at(0).at("text").as_string());
}

TEST(Protocol, InitializeAgreesOnARevision) {
  for (const auto* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    const auto message =
        json::serialize(json::object{{"jsonrpc", "2.0"},
                                     {"id", 1},
                                     {"method", "initialize"},
                                     {"params", json::object{{"protocolVersion", version}}}});
    const auto result = reply(message).at("result");
    EXPECT_EQ(result.at("protocolVersion"), version);
    EXPECT_EQ(result.at("serverInfo").at("name"), "podium");
    EXPECT_TRUE(result.at("capabilities").as_object().contains("tools"));
  }
  const auto other = reply(R"({"jsonrpc": "2.0", "id": "a", "method": "initialize",
                               "params": {"protocolVersion": "2031-01-01"}})");
  EXPECT_EQ(other.at("result").at("protocolVersion"), "2025-11-25");
  EXPECT_EQ(other.at("id"), "a");
}

TEST(Protocol, ARequestCanCarryItsRevision) {
  const auto asked = [](std::string_view version) {
    return json::serialize(json::object{
        {"jsonrpc", "2.0"},
        {"id", 2},
        {"method", "server/discover"},
        {"params", json::object{{"_meta", json::object{{"io.modelcontextprotocol/protocolVersion", version},
                                                       {"io.modelcontextprotocol/clientCapabilities",
                                                        json::object{}}}}}}});
  };
  const auto result = reply(asked("2026-07-28")).at("result");
  EXPECT_EQ(result.at("supportedVersions"), json::value(json::array{"2026-07-28"}));
  EXPECT_EQ(result.at("resultType"), "complete");
  EXPECT_EQ(result.at("_meta").at("io.modelcontextprotocol/serverInfo").at("name"), "podium");
  const auto error = reply(asked("2031-01-01")).at("error");
  EXPECT_EQ(error.at("code"), -32022);
  EXPECT_EQ(error.at("data").at("supported"), json::value(json::array{"2026-07-28"}));
  EXPECT_EQ(error.at("data").at("requested"), "2031-01-01");
}

TEST(Protocol, ListsTheTools) {
  const auto list = reply(R"({"jsonrpc": "2.0", "id": 3, "method": "tools/list"})").at("result").at("tools");
  EXPECT_EQ(list.as_array().size(), tools().size());
  EXPECT_EQ(list.at(0).at("name"), "why");
}

TEST(Protocol, TheListIsOnePage) {
  const auto error =
      reply(R"({"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {"cursor": "next"}})")
          .at("error");
  EXPECT_EQ(error.at("code"), -32602);
}

TEST(Protocol, ACallIsACommand) {
  const auto step = effect_of(R"({"jsonrpc": "2.0", "id": 4, "method": "tools/call",
                             "params": {"name": "why", "arguments": {"name": "web-07"}}})");
  EXPECT_TRUE(step.reply.empty()) << step.reply;
  ASSERT_TRUE(step.call);
  EXPECT_THAT(step.call->command.words, ElementsAre("why", "web-07"));
  EXPECT_EQ(step.call->verb, "why");
  const auto cancelled = effect_of(R"({"jsonrpc": "2.0", "method": "notifications/cancelled",
                                  "params": {"requestId": 4}})");
  EXPECT_TRUE(cancelled.reply.empty());
  ASSERT_TRUE(cancelled.cancelled);
  EXPECT_EQ(*cancelled.cancelled, step.call->id);
}

TEST(Protocol, ABatchHasAnEffectForEachMessage) {
  const auto line = take(R"([{"jsonrpc": "2.0", "id": 1, "method": "ping"},
      {"jsonrpc": "2.0", "method": "notifications/initialized"},
      {"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}},
      7,
      {"jsonrpc": "2.0", "id": 3, "method": "tools/call",
       "params": {"name": "why", "arguments": {"name": "web-07"}}}])");
  EXPECT_TRUE(line.is_batch);
  ASSERT_EQ(line.effects.size(), 5u);
  EXPECT_EQ(json::parse(line.effects[0].reply).at("id"), 1);
  EXPECT_EQ(line.effects[1].reply, "");
  EXPECT_EQ(json::parse(line.effects[2].reply).at("error").at("code"), -32600) << "as the protocol says";
  EXPECT_EQ(json::parse(line.effects[3].reply).at("error").at("code"), -32600);
  EXPECT_TRUE(line.effects[4].call);
}

TEST(Protocol, ABatchIsBounded) {
  const auto batch = [](std::size_t size) {
    return json::serialize(
        json::array(size, json::object{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "ping"}}));
  };
  EXPECT_EQ(take(batch(kMostInBatch)).effects.size(), kMostInBatch);
  EXPECT_THAT(effect_of(batch(kMostInBatch + 1)).reply, HasSubstr("at most 64 messages"));
}

TEST(Protocol, ErrorsAreThoseOfTheProtocol) {
  const auto code = [](std::string_view message) { return reply(message).at("error").at("code").as_int64(); };
  EXPECT_EQ(code("{"), -32700);
  EXPECT_EQ(code("[]"), -32600);
  EXPECT_EQ(code("7"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc": "2.0", "id": 1})"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc": "1.0", "id": 1, "method": "ping"})"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc": "2.0", "id": null, "method": "ping"})"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []})"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc": "2.0", "id": 1, "method": "resources/list"})"), -32601);
  EXPECT_EQ(code(R"({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rm"}})"), -32602);
  EXPECT_EQ(code("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"a\xff\"}"), -32700) << "not UTF-8";
  EXPECT_EQ(json::parse(too_long()).at("error").at("code"), -32600);
  // An agent can correct its arguments, so it sees what is wrong with them.
  const auto wrong =
      reply(R"({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "why"}})");
  EXPECT_EQ(wrong.at("result").at("isError"), true);
  EXPECT_THAT(text_of(wrong.at("result")), HasSubstr("name: missing"));
}

TEST(Protocol, NotificationsAndRepliesHaveNoReply) {
  for (const auto* message : {R"({"jsonrpc": "2.0", "method": "notifications/initialized"})",
                              R"({"jsonrpc": "2.0", "method": "notifications/unknown", "params": {}})",
                              R"({"jsonrpc": "2.0", "id": 9, "result": {}})",
                              R"({"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": "m"}})"}) {
    const auto step = effect_of(message);
    EXPECT_TRUE(step.reply.empty() && !step.call && !step.cancelled) << message;
  }
  EXPECT_EQ(reply(R"({"jsonrpc": "2.0", "id": 1, "method": "ping"})").at("result"),
            json::value(json::object{}));
}

const ToolCall kCall{json::value(5), {{"why", "web-07"}, ""}, "why"};

TEST(Protocol, AnAnswerHasWordsAndADocument) {
  const auto result =
      json::parse(
          reply_of(kCall, ChildEnd{3, R"({"words": "web-07 waits\n", "document": {"kind": "X"}})", ""}))
          .at("result");
  EXPECT_EQ(result.at("isError"), false) << "that it does not fit is an answer";
  EXPECT_EQ(text_of(result), "web-07 waits\n");
  EXPECT_EQ(result.at("structuredContent").at("kind"), "X");
}

TEST(Protocol, AFailedCommandIsAnErrorOfTheTool) {
  const auto failed = json::parse(reply_of(kCall, ChildEnd{2, "", "podium why: there is no pod web-07\n"}));
  EXPECT_EQ(failed.at("result").at("isError"), true);
  EXPECT_EQ(text_of(failed.at("result")), "podium why: there is no pod web-07\n");
  const auto late = json::parse(reply_of(kCall, fail(Error::Kind::timeout, "did not end within 5 ms")));
  EXPECT_EQ(late.at("result").at("isError"), true);
  EXPECT_THAT(text_of(late.at("result")), HasSubstr("did not end within 5 ms"));
  const auto not_utf8 = json::parse(reply_of(kCall, ChildEnd{1, "", "a\xff\n"}));
  EXPECT_EQ(text_of(not_utf8.at("result")), "a?\n");
  const auto odd = json::parse(reply_of(kCall, ChildEnd{0, "no JSON", ""}));
  EXPECT_EQ(odd.at("result").at("isError"), true);
}

TEST(Protocol, PlacesInAnArgumentHaveItsName) {
  const auto call = json::parse(
      reply_of(ToolCall{json::value(5), {{"whatif", "--filename=-"}, "a: [", "manifest"}, "whatif"},
               ChildEnd{2, "", "podium whatif: -:2:1: not closed\n-:3: spec.x: unknown field\na-: b"}));
  EXPECT_EQ(text_of(call.at("result")),
            "podium whatif: manifest:2:1: not closed\nmanifest:3: spec.x: unknown field\na-: b");
}

TEST(Protocol, AnswersAreBounded) {
  const auto output =
      json::serialize(json::object{{"words", std::string(100, 'w') + "\n" + std::string(kMostWords, 'x')},
                                   {"document", json::object{{"a", std::string(kMostDocument, 'y')}}}});
  const auto result = json::parse(reply_of(kCall, ChildEnd{0, output, ""})).at("result");
  EXPECT_FALSE(result.as_object().contains("structuredContent"));
  EXPECT_LT(text_of(result).size(), kMostWords + 500);
  EXPECT_THAT(text_of(result), HasSubstr("is omitted"));
  EXPECT_THAT(text_of(result), HasSubstr("narrow the question"));
  std::string umlauts = "x";
  while (umlauts.size() <= kMostWords) umlauts += "ä";
  EXPECT_NO_THROW(json::parse(reply_of(kCall, ChildEnd{1, "", umlauts}))) << "cut between characters";
}

}  // namespace
}  // namespace podium::mcp
