#include "scheduler/extender/wire.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace podium::extender {
namespace {

using Reasons = framework::FilterOpinion::Reasons;
using Names = std::vector<std::string>;

TEST(Wire, Arguments) {
  EXPECT_EQ(args_with_names(R"({"metadata":{}})", {"a", "b\"c"}),
            R"({"Pod":{"metadata":{}},"Nodes":null,"NodeNames":["a","b\"c"]})");
  EXPECT_EQ(args_with_names("{}", {}), R"({"Pod":{},"Nodes":null,"NodeNames":[]})");
  const Names texts{R"({"a":1})", R"({"b":2})"};
  EXPECT_EQ(args_with_nodes("{}", {std::make_shared<const std::string>(texts[0]),
                                   std::make_shared<const std::string>(texts[1])}),
            R"({"Pod":{},"Nodes":{"metadata":{},"items":[{"a":1},{"b":2}]},"NodeNames":null})");
  EXPECT_EQ(binding_args({"p", "ns", "u", "n"}),
            R"({"PodName":"p","PodNamespace":"ns","PodUID":"u","Node":"n"})");
}

TEST(Wire, FilterReplies) {
  const struct {
    const char *name, *text;
    FilterReply want;
  } cases[] = {
      {"names", R"({"NodeNames":["a","b"]})", {.node_names = Names{"a", "b"}}},
      {"no names at all", R"({"NodeNames":null,"Nodes":null,"FailedNodes":null,"Error":""})", {}},
      {"an empty list", R"({"NodeNames":[]})", {.node_names = Names{}}},
      {"nodes",
       R"({"Nodes":{"metadata":{},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}})",
       {.nodes = Names{"a", "b"}}},
      {"an empty node list", R"({"Nodes":{}})", {.nodes = Names{}}},
      {"null items", R"({"Nodes":{"items":null}})", {.nodes = Names{}}},
      {"reasons",
       R"({"FailedNodes":{"b":"full","a":"old"},"FailedAndUnresolvableNodes":{"c":"never"}})",
       {.failed = {{"a", "old"}, {"b", "full"}}, .unresolvable = {{"c", "never"}}}},
      {"fields in any case, as Go reads them",
       R"({"nodenames":["a"],"nodes":{"Items":[{"Metadata":{"Name":"b"}}]},"failednodes":{"c":""},"ERROR":"no"})",
       {.node_names = Names{"a"}, .nodes = Names{"b"}, .failed = {{"c", ""}}, .error = "no"}},
      {"unknown fields", R"({"NodeNames":["a"],"Score":7})", {.node_names = Names{"a"}}},
      {"more than one value", R"({"NodeNames":["a"]} {"NodeNames":["b"]})", {.node_names = Names{"a"}}},
      {"null", "null", {}},
  };
  for (const auto& c : cases) {
    const auto got = read_filter_reply(c.text);
    ASSERT_TRUE(got) << c.name << ": " << got.error().message;
    EXPECT_EQ(got->node_names, c.want.node_names) << c.name;
    EXPECT_EQ(got->nodes, c.want.nodes) << c.name;
    EXPECT_EQ(got->failed, c.want.failed) << c.name;
    EXPECT_EQ(got->unresolvable, c.want.unresolvable) << c.name;
    EXPECT_EQ(got->error, c.want.error) << c.name;
  }
}

TEST(Wire, FilterRepliesThatMakeNoSense) {
  for (const auto* text : {"", "{", "[]", "7", "<html>", R"({"NodeNames":"a"})", R"({"NodeNames":[7]})",
                           R"({"Nodes":[]})", R"({"Nodes":{"items":{}}})", R"({"FailedNodes":["a"]})",
                           R"({"FailedNodes":{"a":7}})", R"({"Error":7})", "{\"NodeNames\":[\"\xff\"]}"}) {
    EXPECT_FALSE(read_filter_reply(text)) << text;
  }
}

TEST(Wire, Priorities) {
  using Scores = std::vector<std::pair<std::string, std::int64_t>>;
  EXPECT_EQ(*read_priorities(R"([{"Host":"a","Score":10},{"host":"b","score":-3},{"Host":"c"}])"),
            (Scores{{"a", 10}, {"b", -3}, {"c", 0}}));
  EXPECT_EQ(*read_priorities("[]"), Scores());
  EXPECT_EQ(*read_priorities("null"), Scores());
  for (const auto* text :
       {"", "{}", R"([{"Host":"a","Score":1.5}])", R"([{"Host":"a","Score":"1"}])",
        R"([{"Host":7,"Score":1}])", "[1]", R"([{"Host":"a","Score":9223372036854775808}])"}) {
    EXPECT_FALSE(read_priorities(text)) << text;
  }
}

TEST(Wire, VictimsAreAskedAboutInTwoForms) {
  const auto pod = [](const char* text) { return std::make_shared<const std::string>(text); };
  const std::vector<Victims> victims{{"n1", {"1", "2"}, 1, {pod(R"({"a":1})"), pod(R"({"b":2})")}},
                                     {"n\"2", {"3"}}};
  EXPECT_EQ(
      args_with_victim_uids("{}", victims),
      R"({"Pod":{},"NodeNameToVictims":null,"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"1"},{"UID":"2"}],)"
      R"("NumPDBViolations":1},"n\"2":{"Pods":[{"UID":"3"}],"NumPDBViolations":0}}})");
  EXPECT_EQ(args_with_victims("{}", victims),
            R"({"Pod":{},"NodeNameToVictims":{"n1":{"Pods":[{"a":1},{"b":2}],"NumPDBViolations":1},)"
            R"("n\"2":{"Pods":[],"NumPDBViolations":0}},"NodeNameToMetaVictims":null})");
}

TEST(Wire, PreemptionReplies) {
  const struct {
    const char* text;
    std::vector<Victims> want;
  } cases[] = {
      {R"({"NodeNameToMetaVictims":{"b":{"Pods":[{"UID":"2"},{"uid":"1"}],"NumPDBViolations":2},"a":{"Pods":[{"UID":"3"}]}}})",
       {{"a", {"3"}}, {"b", {"2", "1"}, 2}}},
      {R"({"nodenametometavictims":{"a":{"Pods":null},"b":null,"c":{"Pods":[null]}}})",
       {{"a", {}}, {"b", {}}, {"c", {""}}}},
      {R"({"NodeNameToMetaVictims":{}})", {}},
      {R"({"NodeNameToMetaVictims":null,"NodeNameToVictims":{"a":{}}})", {}},
      {"{}", {}},
      {"null", {}},
  };
  for (const auto& c : cases) {
    const auto reply = read_preemption_reply(c.text);
    ASSERT_TRUE(reply) << c.text;
    EXPECT_EQ(*reply, c.want) << c.text;
  }
  for (const auto* text :
       {"", "[]", R"({"NodeNameToMetaVictims":[]})", R"({"NodeNameToMetaVictims":{"a":1}})",
        R"({"NodeNameToMetaVictims":{"a":{"Pods":{}}}})", R"({"NodeNameToMetaVictims":{"a":{"Pods":["1"]}}})",
        R"({"NodeNameToMetaVictims":{"a":{"Pods":[{"UID":1}]}}})",
        R"({"NodeNameToMetaVictims":{"a":{"NumPDBViolations":1.5}}})"}) {
    EXPECT_FALSE(read_preemption_reply(text)) << text;
  }
}

TEST(Wire, BindingReplies) {
  EXPECT_EQ(*read_binding_reply("{}"), "");
  EXPECT_EQ(*read_binding_reply(R"({"Error":"no"})"), "no");
  EXPECT_FALSE(read_binding_reply("bound"));
}

TEST(Wire, ReasonsAreCutWhenTheyAreRead) {
  const auto text = std::string(1'000'000, 'x');
  for (const auto* list : {"FailedNodes", "FailedAndUnresolvableNodes"}) {
    const auto reply = read_filter_reply(fmt::format(R"({{"{}":{{"a":"{}","b":"busy"}}}})", list, text));
    ASSERT_TRUE(reply);
    const auto& reasons = reply->failed.empty() ? reply->unresolvable : reply->failed;
    ASSERT_EQ(reasons.size(), 2u);
    EXPECT_EQ(reasons[0].second, readable(text));
    EXPECT_LE(reasons[0].second.size(), 1'100u);
    EXPECT_EQ(reasons[1].second, "busy");
  }
}

TEST(Wire, AnErrorIsCutWhenItIsRead) {
  for (const auto* letter : {"x", "é", "€"}) {
    std::string text;
    while (text.size() < 1'000'000) text += letter;
    const auto reply = R"({"Error":")" + text + R"("})";
    for (const auto& error : {read_filter_reply(reply)->error, *read_binding_reply(reply)}) {
      EXPECT_LE(error.size(), 1'100u);
      EXPECT_TRUE(error.ends_with("… (" + std::to_string(text.size()) + " bytes)")) << error;
      EXPECT_TRUE(text.starts_with(error.substr(0, error.find("…"))));
    }
  }
}

}  // namespace
}  // namespace podium::extender
