// The conditions and nominations that PodStatusWriter sends, and their order.
#include "scheduler/live/pod_status_writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <condition_variable>
#include <mutex>

#include "base/clock.h"
#include "base/random.h"
#include "client/request_errors.h"
#include "unit/client/client_loop.h"
#include "unit/support/builders.h"
#include "unit/support/http_script.h"

namespace podium::live {
namespace {

using namespace cycle;

namespace json = boost::json;
using podium::test::pod;
using Lines = std::vector<std::string>;

constexpr auto kWhy = "0/1 nodes are available: 1 Insufficient cpu.";

PodStatusOptions one_at_a_time() {
  PodStatusOptions options;
  options.workers = 1;
  options.backoff = {std::chrono::milliseconds(5), std::chrono::milliseconds(20)};
  return options;
}

class PodStatusWriterTest : public testing::Test {
 protected:
  PodStatusWriterTest() {
    server_.always([this](unit::HttpExchange& exchange) { serve(exchange); });
  }
  ~PodStatusWriterTest() override {
    release();
    gate_.cancel();
    transport_->close();
    loop_.finish();
  }

  void not_scheduled(const api::Pod& pod, std::optional<std::string> nominated_node = std::nullopt,
                     std::string message = kWhy) {
    writer_.not_scheduled(*info(pod), "Unschedulable", std::move(message), std::move(nominated_node));
  }
  void nominate(const std::string& name, std::string node) {
    writer_.nominate(*info(pod(name)), std::move(node));
  }
  static cluster::PodInfoPtr info(const api::Pod& pod) {
    return cluster::make_pod_info(std::make_shared<const api::Pod>(pod));
  }

  // --- the server ---
  using Answer = std::function<int(const std::string& pod, int attempt)>;  // an HTTP status
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void release() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  // The status in the n-th patch, counted from 0.
  json::value status(std::size_t n) {
    EXPECT_GT(server_.wait_requests(n + 1), n);
    const auto request = server_.requests().at(n);
    EXPECT_EQ(request.headers.at("content-type"), "application/strategic-merge-patch+json");
    return json::parse(request.body).at("status");
  }
  // "pod: node" or "pod: -" for each patch of a nomination, "pod: condition" for others.
  Lines sent() const {
    Lines out;
    for (const auto& request : server_.requests()) {
      if (request.method != "PATCH") continue;
      const auto body = json::parse(request.body);
      const auto& status = body.at("status").as_object();
      const auto* node = status.if_contains("nominatedNodeName");
      const std::string uid(body.at("metadata").at("uid").as_string());
      out.push_back(uid.substr(4) + ": " +
                    (!node             ? std::string("condition")
                     : node->is_null() ? std::string("-")
                                       : std::string(node->as_string())));
    }
    return out;
  }
  void await(std::size_t requests) { ASSERT_GE(server_.wait_requests(requests), requests); }
  static podium::test::PodBuilder with_condition(std::string nominated_node = "") {
    auto made = pod("p").condition("PodScheduled", "False", "Unschedulable", kWhy);
    return nominated_node.empty() ? made : made.nominated(nominated_node);
  }

  void serve(unit::HttpExchange& exchange) {
    const std::string pods = "/api/v1/namespaces/default/pods/";
    auto name = exchange.request().target.substr(pods.size());
    name = name.substr(0, name.find('/'));
    if (exchange.request().method == "GET") {
      return exchange.reply(200,
                            fmt::format(R"({{"metadata":{{"uid":"{}","resourceVersion":"{}"}},{}}})",
                                        name == "replaced" ? "uid-another" : "uid-" + name, live_version_,
                                        name == "bound" ? R"("spec":{"nodeName":"n1"})" : R"("spec":{})"));
    }
    int code = 200;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !held_; });
      if (answer_) code = answer_(name, ++attempts_[name]);
    }
    exchange.reply(code, code == 200   ? fmt::format(R"({{"metadata":{{"resourceVersion":"{}"}}}})", version_)
                         : code == 404 ? std::string(R"({"kind":"Status","reason":"NotFound"})")
                                       : std::string(R"({"kind":"Status"})"));
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  Answer answer_;
  std::string version_;       // the pod's, in each reply to a patch
  std::string live_version_;  // the pod's, in each reply to a read
  std::map<std::string, int> attempts_;
  unit::HttpScript server_;
  client::ClientLoop loop_;
  client::ScopedTransport transport_{loop_, client::config_for(server_.url())};
  client::Api api_{transport_.shared(), system_clock(), system_random()};
  async::Gate gate_;
  PodStatusWriter writer_{api_, gate_, loop_.executor(), one_at_a_time()};
};

TEST_F(PodStatusWriterTest, TheNominationGoesWithTheCondition) {
  const struct {
    const char* name;
    std::optional<std::string> nominated_node;
    json::value want;  // the patch's nominatedNodeName
  } cases[] = {{"left alone", std::nullopt, "absent"}, {"set", "n1", "n1"}, {"cleared", "", nullptr}};
  std::size_t request = 0;
  for (const auto& c : cases) {
    not_scheduled(pod("p").nominated("n0"), c.nominated_node);
    const auto patch = status(request++);
    const auto* sent = patch.as_object().if_contains("nominatedNodeName");
    EXPECT_EQ(sent ? *sent : json::value("absent"), c.want) << c.name;
    EXPECT_EQ(patch.at("conditions").at(0).at("message"), kWhy) << c.name;
  }
}

TEST_F(PodStatusWriterTest, TheConditionNamesTheGenerationThatWasTried) {
  api::Pod tried = pod("p");
  tried.meta.generation = 4;
  not_scheduled(tried);
  EXPECT_EQ(status(0).at("conditions").at(0).at("observedGeneration"), 4);
}

TEST_F(PodStatusWriterTest, AMessageThatTheApiServerWouldRefuseIsCut) {
  const std::string why(1'000'000, 'x'), cut(32 * 1024, 'x');
  not_scheduled(pod("p"), std::nullopt, why);
  EXPECT_EQ(status(0).at("conditions").at(0).at("message"), json::value(cut));
  // What the pod has is not written again.
  not_scheduled(pod("r").condition("PodScheduled", "False", "Unschedulable", cut), std::nullopt, why);
  not_scheduled(pod("q"));
  await(2);
  EXPECT_EQ(sent(), (Lines{"p: condition", "q: condition"}));
}

TEST_F(PodStatusWriterTest, TheTimeOfTransitionIsWrittenWhereTheStatusChanges) {
  const struct {
    const char* name;
    api::Pod pod;
    bool written;
  } cases[] = {
      {"no condition yet", pod("p"), true},
      {"another one only", pod("p").condition("Ready", "False"), true},
      {"it was true", pod("p").condition("PodScheduled", "True"), true},
      {"false for another reason", pod("p").condition("PodScheduled", "False", "SchedulingGated"), false},
      {"false with another text", pod("p").condition("PodScheduled", "False", "Unschedulable", "what it was"),
       false},
  };
  std::size_t request = 0;
  for (const auto& c : cases) {
    not_scheduled(c.pod);
    const auto condition = status(request++).at("conditions").at(0);
    EXPECT_EQ(condition.at("type"), "PodScheduled") << c.name;
    EXPECT_EQ(condition.at("reason"), "Unschedulable") << c.name;
    EXPECT_EQ(condition.as_object().contains("lastTransitionTime"), c.written) << c.name;
    EXPECT_EQ(condition.as_object().contains("lastProbeTime"), true) << c.name;
  }
}

TEST_F(PodStatusWriterTest, WhatThePodHasIsNotWritten) {
  not_scheduled(with_condition());
  not_scheduled(with_condition(), "");
  not_scheduled(with_condition("n1"), "n1");
  EXPECT_EQ(writer_.counts().waiting, 0u);
  not_scheduled(with_condition("n1"), "n2");
  EXPECT_EQ(status(0).at("nominatedNodeName"), "n2");
  EXPECT_EQ(server_.requests().size(), 1u);
}

// Otherwise the write in flight would be the last one.
TEST_F(PodStatusWriterTest, UnlessSomethingElseIsOnItsWay) {
  hold();
  not_scheduled(with_condition(), std::nullopt, "another text");
  await(1);
  not_scheduled(with_condition());
  release();
  EXPECT_EQ(status(1).at("conditions").at(0).at("message"), kWhy);
}

// Or the watch has yet to show what was written before: the pod looks as if it had no nomination.
TEST_F(PodStatusWriterTest, UnlessTheWatchHasNotShownTheLastWrite) {
  version_ = "10";
  nominate("p", "n1");
  await(1);
  nominate("other", "n1");  // the one worker sends it when the first write has ended
  await(2);
  not_scheduled(with_condition().resource_version("9"), "");
  EXPECT_EQ(status(2).at("nominatedNodeName"), nullptr);
  nominate("other", "n2");
  await(4);
  not_scheduled(with_condition().resource_version("10"), "");
  EXPECT_EQ(writer_.counts().waiting, 0u);
  nominate("other", "n3");
  await(5);
  EXPECT_EQ(sent(), (Lines{"p: n1", "other: n1", "p: -", "other: n2", "other: n3"}));
}

TEST_F(PodStatusWriterTest, WhatWaitsForAPodGoesTogether) {
  hold();
  nominate("other", "n1");  // keeps the one worker busy
  await(1);
  not_scheduled(pod("p"), "n1");
  not_scheduled(pod("p"), std::nullopt, "another text");
  EXPECT_EQ(writer_.counts().waiting, 1u);
  release();
  const auto patch = status(1);
  EXPECT_EQ(patch.at("nominatedNodeName"), "n1");
  EXPECT_EQ(patch.at("conditions").at(0).at("message"), "another text");
}

TEST_F(PodStatusWriterTest, WritesInOrderAndOnlyWhatStillCounts) {
  hold();
  nominate("a", "n1");
  await(1);
  nominate("b", "n1");
  nominate("c", "n1");
  not_scheduled(pod("d"));
  nominate("a", "");    // written after the one in flight
  nominate("b", "n2");  // replaces the queued one
  writer_.forget("uid-c");
  release();
  await(4);
  EXPECT_EQ(sent(), (Lines{"a: n1", "b: n2", "a: -", "d: condition"})) << "conditions go last";
}

TEST_F(PodStatusWriterTest, AnEarlierOneThatFailedNeverOverwritesALaterOne) {
  answer_ = [](const std::string&, int attempt) { return attempt == 1 ? 500 : 200; };
  hold();
  nominate("a", "");
  await(1);
  nominate("a", "n2");
  release();
  await(2);
  nominate("end", "n1");
  await(4);
  EXPECT_EQ(sent(), (Lines{"a: -", "a: n2", "end: n1", "end: n1"}));
}

TEST_F(PodStatusWriterTest, WhatTheLaterOneLeavesAloneIsTriedAgainWithIt) {
  answer_ = [](const std::string&, int attempt) { return attempt == 1 ? 500 : 200; };
  hold();
  nominate("a", "n1");
  await(1);
  not_scheduled(pod("a"));
  release();
  const auto patch = status(1);
  EXPECT_EQ(patch.at("nominatedNodeName"), "n1");
  EXPECT_EQ(patch.at("conditions").at(0).at("message"), kWhy);
}

TEST_F(PodStatusWriterTest, WhatFailsIsTriedAgainAndDelaysNoOther) {
  answer_ = [](const std::string& name, int attempt) { return name == "bad" && attempt < 4 ? 500 : 200; };
  nominate("bad", "n1");
  nominate("good", "n1");
  await(5);
  const auto lines = sent();
  EXPECT_EQ(std::ranges::count(lines, "bad: n1"), 4);
  EXPECT_EQ(std::ranges::count(lines, "good: n1"), 1);
}

TEST_F(PodStatusWriterTest, APodThatIsGoneIsForgotten) {
  answer_ = [](const std::string& name, int) {
    return name == "gone" ? 404 : name == "replaced" ? 409 : 200;
  };
  nominate("gone", "n1");
  nominate("replaced", "n1");
  nominate("end", "n1");
  await(4);
  loop_.run(writer_.drain(std::chrono::seconds(10)));
  EXPECT_EQ(sent(), (Lines{"gone: n1", "replaced: n1", "end: n1"}));
  EXPECT_EQ(server_.requests().size(), 4u) << "the pod is read after a conflict";
  EXPECT_EQ(writer_.counts().done, 3u);
}

TEST_F(PodStatusWriterTest, AStopGivesUpConditionsBeforeNominations) {
  answer_ = [](const std::string&, int) { return 200; };
  constexpr std::size_t kWaiting = 100;
  for (std::size_t i = 0; i < kWaiting; ++i)
    not_scheduled(pod("waits-" + std::to_string(i)).resource_version("7"), "");
  nominate("d", "n1");
  loop_.run(writer_.drain({std::chrono::seconds(10), std::chrono::milliseconds(0)}));
  EXPECT_EQ(std::ranges::count(sent(), "d: n1"), 1);
  EXPECT_GT(writer_.counts().dropped, 0u) << "an attempt that failed also clears the nomination";
  EXPECT_EQ(writer_.counts().done + writer_.counts().dropped, kWaiting + 1);
}

// Otherwise PodScheduled=False would overwrite the True that the binding sets.
TEST_F(PodStatusWriterTest, NoStatusIsWrittenAfterTheBinding) {
  answer_ = [](const std::string& name, int) { return name == "bound" ? 409 : 200; };
  not_scheduled(pod("bound").resource_version("7"));
  await(2);
  EXPECT_TRUE(loop_.run(writer_.withdraw(info(pod("bound").nominated("n1")))));
  loop_.run(writer_.drain(std::chrono::seconds(10)));
  EXPECT_EQ(sent(), (Lines{"bound: condition", "bound: -"})) << "each is tried once";
  EXPECT_EQ(writer_.counts().done, 2u);
}

TEST_F(PodStatusWriterTest, EachWriteIsForTheNewestVersionThatIsKnown) {
  answer_ = [](const std::string& name, int attempt) {
    return name == "changed" && attempt == 1 ? 409 : 200;
  };
  version_ = "10";
  live_version_ = "12";
  not_scheduled(pod("p").resource_version("9"));  // the version that was tried
  await(1);
  nominate("other", "n1");
  await(2);
  not_scheduled(pod("p").resource_version("9"), "n1");  // the watch has not shown the first write
  await(3);
  not_scheduled(pod("changed").resource_version("11"));  // then as it was read after the conflict
  await(6);
  Lines versions;
  for (const auto& request : server_.requests()) {
    if (request.method != "PATCH") continue;
    const auto metadata = json::parse(request.body).at("metadata").as_object();
    versions.emplace_back(
        metadata.contains("resourceVersion") ? metadata.at("resourceVersion").as_string().c_str() : "-");
  }
  EXPECT_EQ(versions, (Lines{"9", "-", "10", "11", "12"}));
}

// Another client has changed the pod at the same time.
TEST_F(PodStatusWriterTest, AConflictIsTriedAgain) {
  answer_ = [](const std::string& name, int attempt) {
    return name == "busy" || name == "replaced" || attempt < 4 ? 409 : 200;
  };
  nominate("a", "n1");
  EXPECT_TRUE(loop_.run(writer_.withdraw(info(pod("p").nominated("n1")))));
  EXPECT_TRUE(loop_.run(writer_.withdraw(info(pod("replaced").nominated("n1")))));
  const auto busy = loop_.run(writer_.withdraw(info(pod("busy").nominated("n1"))));
  ASSERT_FALSE(busy);
  EXPECT_TRUE(client::is_conflict(busy.error()));
  loop_.run(writer_.drain(std::chrono::seconds(10)));
  const auto lines = sent();
  EXPECT_EQ(std::ranges::count(lines, "a: n1"), 4);
  EXPECT_EQ(std::ranges::count(lines, "p: -"), 4);
  EXPECT_EQ(std::ranges::count(lines, "busy: -"), 4);
  EXPECT_EQ(std::ranges::count(lines, "replaced: -"), 1);
  EXPECT_EQ(writer_.counts().done, 3u);
  EXPECT_EQ(writer_.counts().failed, 1u);
}

// The watch may be late, so that the first try that reaches the API server is for an old version.
TEST_F(PodStatusWriterTest, AConflictAfterOtherFailuresIsTriedAgain) {
  answer_ = [](const std::string&, int attempt) { return attempt < 5 ? 500 : attempt == 5 ? 409 : 200; };
  not_scheduled(pod("p").resource_version("7"));
  await(7);
  loop_.run(writer_.drain(std::chrono::seconds(10)));
  EXPECT_EQ(std::ranges::count(sent(), "p: condition"), 6);
  EXPECT_EQ(writer_.counts().done, 1u);
}

TEST_F(PodStatusWriterTest, AWithdrawalSaysWhatItsFirstTryCameTo) {
  answer_ = [](const std::string& name, int attempt) {
    return name == "gone" ? 404 : name == "refused" && attempt == 1 ? 403 : 200;
  };
  EXPECT_TRUE(loop_.run(writer_.withdraw(info(pod("p").nominated("n1")))));
  EXPECT_TRUE(loop_.run(writer_.withdraw(info(pod("gone").nominated("n1")))));
  const auto refused = loop_.run(writer_.withdraw(info(pod("refused").nominated("n1"))));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status.code, 403);
  await(4);
  EXPECT_EQ(sent(), (Lines{"p: -", "gone: -", "refused: -", "refused: -"})) << "and is tried again";
}

TEST_F(PodStatusWriterTest, AWithdrawalThatIsDroppedEnds) {
  hold();
  nominate("other", "n1");
  await(1);
  auto withdrawn = loop_.start(writer_.withdraw(info(pod("p").nominated("n1"))));
  while (writer_.counts().waiting == 0) std::this_thread::yield();
  writer_.forget("uid-p");
  EXPECT_FALSE(withdrawn.get());
}

}  // namespace
}  // namespace podium::live
