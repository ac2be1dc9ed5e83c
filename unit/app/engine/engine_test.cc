// The whole Engine against an in-memory API server, on one thread: it schedules, and it can stop
// at any step.
#include "app/engine/engine.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <future>

#include "async/virtual_time.h"
#include "base/time.h"
#include "scheduler/config/load.h"
#include "unit/client/object_server.h"
#include "unit/controller/report/log_capture.h"

namespace podium::app {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;

constexpr int kPods = 5;

const config::Config& configuration() {
  static const auto config =
      config::load("apiVersion: config.podium.dev/v1alpha1\nkind: PodiumConfiguration\nreports: {ttl: 10m}",
                   "short")
          .value();
  return config;
}

json::value node(const std::string& name) {
  return json::parse(fmt::format(
      R"({{"metadata":{{"name":"{}"}},"status":{{"allocatable":{{"cpu":"4","memory":"8Gi","pods":"110"}}}}}})",
      name));
}

json::value pod(const std::string& name) {
  return json::parse(fmt::format(
      R"({{"metadata":{{"namespace":"shop","name":"{}"}},"spec":{{"schedulerName":"default-scheduler","containers":[
        {{"name":"main","image":"app","resources":{{"requests":{{"cpu":"100m"}}}}}}]}},"status":{{"phase":"Pending"}}}})",
      name));
}

// A cluster of three nodes, some pods that fit, and the Engine that schedules them.
class Life {
 public:
  explicit Life(config::Config config = configuration()) : config(std::move(config)) {
    server.serve_watches();
    server.transport->latency = 1ms;
    server.on_request = [this](const client::Request& request) { return bind(request); };
    for (const auto* name : {"a", "b", "c"}) server.put("nodes", node(name));
    for (int i = 0; i < kPods; ++i) server.put("pods", pod(fmt::format("p{}", i)));
    engine.emplace(World{.clock = clock,
                         .random = random,
                         .strand = io.get_executor(),
                         .io = io.get_executor(),
                         .workers = io.get_executor(),
                         .extenders = io.get_executor(),
                         .api_server = [this](Traffic, client::MayWrite) { return server.transport; },
                         .extender = {},
                         .registry = registry,
                         .fault = [](std::string_view task,
                                     std::string_view what) { ADD_FAILURE() << task << ": " << what; }},
                   this->config, "me");
    engine->start([this](std::string reason) { lost = std::move(reason); });
  }

  // Runs one handler; if none is ready, moves the time to the next timer.
  void step() {
    io.restart();
    if (io.poll_one() == 0) clock.advance(1h);
  }
  // True when the condition holds.
  bool run_until(const std::function<bool()>& done) {
    for (int i = 0; i < 1'000'000; ++i) {
      if (done()) return true;
      step();
    }
    return false;
  }
  void steps(int n) {
    for (int i = 0; i < n; ++i) step();
  }
  // True if all tasks have ended.
  bool stop() {
    auto ended = asio::co_spawn(io, engine->stop(), asio::use_future);
    if (!run_until([&] { return ended.wait_for(0s) == std::future_status::ready; })) return false;
    const bool all = ended.get();
    engine.reset();
    return all;
  }

  int bound() const {
    int n = 0;
    for (const auto& p : server.all("pods")) n += p.at("spec").as_object().contains("nodeName");
    return n;
  }
  int reported() const {
    int n = 0;
    for (const auto& report : server.all("schedulingreports")) {
      n += unit::ObjectServer::text(report, "/status/outcome") == "Scheduled";
    }
    return n;
  }
  std::string holder() const {
    return unit::ObjectServer::text(server.find("leases", "kube-system", "kube-scheduler"),
                                    "/spec/holderIdentity");
  }

  const config::Config config;
  async::VirtualTime clock;
  unit::FixedRandom random;
  prometheus::Registry registry;
  asio::io_context io{1};
  unit::ObjectServer server;
  std::optional<Engine> engine;
  std::string lost;
  std::map<std::string, int> bindings;  // by pod

 private:
  std::optional<unit::ObjectServer::Reply> bind(const client::Request& request) {
    constexpr std::string_view kPath = "/api/v1/namespaces/shop/pods/", kBinding = "/binding";
    if (request.method == "PATCH" && request.target.starts_with(kPath)) return client::Response{200, "{}"};
    if (request.method != "POST" || !request.target.ends_with(kBinding)) return std::nullopt;
    const auto name =
        request.target.substr(kPath.size(), request.target.size() - kPath.size() - kBinding.size());
    ++bindings[name];
    auto there = server.find("pods", "shop", name);
    there.at("spec").as_object()["nodeName"] =
        unit::ObjectServer::text(json::parse(request.body), "/target/name");
    server.put("pods", there);
    return client::Response{201, R"({"kind":"Status","status":"Success"})"};
  }
};

TEST(Engine, PlacesAndReportsAndReleasesItsLease) {
  Life life;
  EXPECT_TRUE(life.run_until([&] { return life.reported() == kPods; }));
  EXPECT_EQ(life.bound(), kPods);
  EXPECT_EQ(life.holder(), "me");
  EXPECT_TRUE(life.stop());
  EXPECT_EQ(life.holder(), "");
  EXPECT_EQ(life.lost, "");
  for (const auto& [name, times] : life.bindings) EXPECT_EQ(times, 1) << name;
}

TEST(Engine, RemembersDecisionsAlsoWhereItWritesNoReport) {
  auto config = configuration();
  config.podium.reports.enabled = false;
  Life life(config);
  EXPECT_EQ(life.engine->decisions().find("shop", "p0").absence,
            controller::DecisionMemory::Absence::not_begun);
  EXPECT_TRUE(life.run_until([&] { return life.engine->decisions().counts().decisions == kPods; }));
  const auto found = life.engine->decisions().find("shop", "p0");
  ASSERT_TRUE(found.decision);
  EXPECT_EQ(found.decision->status.outcome, "Scheduled");
  EXPECT_FALSE(found.decision->status.top_nodes.empty());
  EXPECT_EQ(life.reported(), 0);
  EXPECT_TRUE(life.stop());
}

TEST(Engine, LogsEachDecisionAtTheLevelOfTraces) {
  unit::LogCapture log(spdlog::level::trace);
  Life life;
  auto big = pod("big");
  big.at_pointer("/spec/containers/0/resources/requests/cpu") = "5";
  life.server.put("pods", big);
  const auto has_failed = [&] { return log.count("decision pod=shop/big ") > 0; };
  EXPECT_TRUE(life.run_until([&] { return life.bound() == kPods && has_failed(); }));
  const auto of = [&](const char* name, const char* pointer) {
    return unit::ObjectServer::text(life.server.find("pods", "shop", name), pointer);
  };
  EXPECT_EQ(
      log.count(fmt::format(R"(trace decision pod=shop/p0 uid={} attempt=1 node="{}" message="" error="")",
                            of("p0", "/metadata/uid"), of("p0", "/spec/nodeName"))),
      1);
  EXPECT_EQ(log.count(fmt::format(
                R"(trace decision pod=shop/big uid={} attempt=1 node="" message="0/3 nodes are available: )",
                of("big", "/metadata/uid"))),
            1);
  EXPECT_EQ(log.count("trace decision "), kPods + 1);
  EXPECT_TRUE(life.stop());
}

TEST(Engine, IsNotACandidateBeforeItsCachesHaveSynced) {
  Life life;
  life.run_until([&] { return !life.holder().empty(); });
  std::size_t watches_before_lease = 0;
  for (const auto& request : life.server.transport->requests()) {
    if (request.target.find("/leases") != std::string::npos) break;
    watches_before_lease += request.target.find("sendInitialEvents") != std::string::npos;
  }
  EXPECT_GE(watches_before_lease, 16u);  // one for each kind
  EXPECT_TRUE(life.stop());
}

TEST(Engine, DeletesItsReportsWhenTheyExpire) {
  Life life;
  EXPECT_TRUE(life.run_until([&] { return life.reported() == kPods; }));
  const auto reported = life.clock.now();
  EXPECT_TRUE(life.run_until([&] { return life.server.all("schedulingreports").empty(); }));
  const auto lived = life.clock.now() - reported;
  EXPECT_GE(lived, configuration().podium.reports.ttl - 1min);
  EXPECT_LE(lived, configuration().podium.reports.ttl + 10min);
  EXPECT_EQ(life.holder(), "me");
  EXPECT_TRUE(life.stop());
}

TEST(Engine, DeletesReportsWithoutATtlByItsOwn) {
  Life life;
  life.server.put("schedulingreports", {{"metadata",
                                         {{"namespace", "shop"},
                                          {"name", "of-an-earlier-release"},
                                          {"uid", "u"},
                                          {"labels", {{"podium.dev/report", "decision"}}},
                                          {"creationTimestamp", format_time(life.clock.wall())}}},
                                        {"spec", {{"dryRun", false}}},
                                        {"status", {{"outcome", "Scheduled"}}}});
  const auto stored = life.clock.now();
  const auto there = [&] {
    return !life.server.find("schedulingreports", "shop", "of-an-earlier-release").is_null();
  };
  EXPECT_TRUE(life.run_until([&] { return !there(); }));
  const auto lived = life.clock.now() - stored;
  EXPECT_GE(lived, configuration().podium.reports.ttl - 1min);
  EXPECT_LE(lived, configuration().podium.reports.ttl + 10min);
  EXPECT_TRUE(life.stop());
}

TEST(Engine, NamesTheBestNodesInAnEvent) {
  auto config = configuration();
  config.podium.events.best_nodes = true;
  Life life(config);
  const auto best_nodes = [&] {
    std::vector<std::string> out;
    for (const auto& event : life.server.all("events")) {
      if (unit::ObjectServer::text(event, "/reason") != "BestNodes") continue;
      out.push_back(unit::ObjectServer::text(event, "/type") + " " +
                    unit::ObjectServer::text(event, "/note"));
    }
    return out;
  };
  EXPECT_TRUE(life.run_until([&] { return best_nodes().size() == kPods; }));
  EXPECT_THAT(best_nodes(), testing::Each(testing::MatchesRegex(
                                "Normal best nodes: [abc] \\([0-9]+\\)(, [abc] \\([0-9]+\\))*; report: .+")));
  EXPECT_TRUE(life.stop());
}

// A missing right causes one log line, a metric and a process that is not ready. It may be granted later.
TEST(Engine, IsUnhealthyWhileItMayNotBind) {
  Life life;
  const auto bind = life.server.on_request;
  life.server.on_request = [&](const client::Request& request) -> std::optional<unit::ObjectServer::Reply> {
    if (!request.target.ends_with("/binding")) return bind(request);
    return client::Response{403, R"({"kind":"Status","code":403,"reason":"Forbidden","message":
      "pods \"p\" is forbidden: User \"me\" cannot create resource \"pods/binding\""})"};
  };
  unit::LogCapture log;
  EXPECT_EQ(life.engine->binding_trouble(), std::nullopt);
  EXPECT_TRUE(life.run_until([&] { return life.engine->binding_trouble().has_value(); }));
  EXPECT_NE(life.engine->binding_trouble()->find("pods/binding"), std::string::npos);
  const auto refusals = [&] { return log.count("binding refused verb=create resource=pods/binding"); };
  EXPECT_TRUE(life.run_until([&] { return refusals() > 0; })) << "once the pod was asked";
  life.server.on_request = bind;
  EXPECT_TRUE(life.run_until([&] { return life.bound() == kPods; }));
  EXPECT_EQ(refusals(), 1);
  EXPECT_EQ(life.engine->binding_trouble(), std::nullopt);
  EXPECT_TRUE(life.stop());
}

TEST(Engine, IsUnhealthyWhileItMayNotHaveTheLease) {
  Life life;
  const auto bind = life.server.on_request;
  life.server.on_request = [&](const client::Request& request) -> std::optional<unit::ObjectServer::Reply> {
    if (request.method == "GET" || request.target.find("/leases") == std::string::npos) return bind(request);
    return client::Response{403, R"({"code":403,"message":"User \"me\" cannot create resource \"leases\""})"};
  };
  unit::LogCapture log;
  EXPECT_TRUE(life.run_until([&] { return life.engine->lease_trouble().has_value(); }));
  EXPECT_EQ(life.bound(), 0);
  EXPECT_EQ(log.count("leader: request failed verb=create resource=leases"), 1);
  life.server.on_request = bind;
  EXPECT_TRUE(life.run_until([&] { return life.bound() == kPods; }));
  EXPECT_EQ(life.engine->lease_trouble(), std::nullopt);
  EXPECT_TRUE(life.stop());
}

TEST(Engine, ComparesItsCacheWithTheApiServer) {
  Life life;
  EXPECT_TRUE(life.run_until([&] { return life.bound() == kPods; }));
  unit::LogCapture log;
  life.engine->debug_cache();
  EXPECT_TRUE(life.run_until([&] { return log.count("cache: queue") + log.count("cache: nodes") > 0; }));
  EXPECT_EQ(log.count("cache matches the API server nodes=3 pods=5"), 1);
  EXPECT_EQ(log.count("cache: summary nodes=3 pods=5"), 1);
  EXPECT_EQ(log.count("c pods=0/110 cpu=") + log.count("c pods=1/110 cpu=") + log.count("c pods=2/110 cpu="),
            1);
  life.server.on_request = [](const client::Request& request) -> std::optional<unit::ObjectServer::Reply> {
    if (!request.target.starts_with("/api/v1/nodes?limit")) return std::nullopt;
    return client::Response{
        200, R"({"metadata":{},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"z"}}]})"};
  };
  life.engine->debug_cache();
  EXPECT_TRUE(life.run_until([&] { return log.count("cache mismatch") > 0; }));
  EXPECT_EQ(log.count("cache mismatch missed_nodes=\"z\" redundant_nodes=\"b c\""), 1);
  EXPECT_TRUE(life.stop());
}

TEST(Engine, LeadsNoLongerThanItsRenewDeadline) {
  Life life;
  EXPECT_TRUE(life.run_until([&] { return life.bound() == kPods; }));
  const auto silent = life.clock.now();
  life.server.refuse(1'000'000'000, fail(Error::Kind::unavailable, "no route to host"));
  EXPECT_TRUE(life.run_until([&] { return !life.lost.empty(); }));
  EXPECT_LE(life.clock.now() - silent, configuration().leader_election.renew_deadline +
                                           2 * configuration().leader_election.retry_period);
  EXPECT_FALSE(life.engine->elector()->leading());
  EXPECT_TRUE(life.stop());
}

TEST(Engine, CountsWhatIsNotWrittenAtTheStop) {
  Life life;
  const auto bind = life.server.on_request;
  life.server.on_request = [&](const client::Request& request) -> std::optional<unit::ObjectServer::Reply> {
    if (request.target.find("/schedulingreports") == std::string::npos || request.method == "GET")
      return bind(request);
    return fail(Error::Kind::unavailable, "connection refused");
  };
  EXPECT_TRUE(life.run_until([&] { return life.bound() == kPods; }));
  unit::LogCapture log;
  EXPECT_TRUE(life.stop());
  EXPECT_EQ(log.count("stopped before all writes completed reports_lost=5 pod_statuses_lost=0 events_lost=0"),
            1);
}

// Writes need the lease, and no process schedules until it is released.
TEST(Engine, KeepsTheLeaseForABoundedTimeWhileReportsWait) {
  Life life;
  life.server.transport->latency_of = [](const client::Request& request) -> std::chrono::milliseconds {
    const bool is_report = request.target.find("/schedulingreports") != std::string::npos;
    return is_report && request.method != "GET" ? 9s : 1ms;
  };
  EXPECT_TRUE(life.run_until([&] { return life.bound() == kPods; }));
  const auto began = life.clock.now();
  auto ended = asio::co_spawn(life.io, life.engine->stop(), asio::use_future);
  ASSERT_TRUE(life.run_until([&] { return life.holder().empty(); }));
  const auto kept = life.clock.now() - began;
  EXPECT_GT(kept, 10s) << "there were reports to write";
  EXPECT_LE(kept, 16s);
  ASSERT_TRUE(life.run_until([&] { return ended.wait_for(0s) == std::future_status::ready; }));
  life.engine.reset();
}

// The next leader tries them again, and writes what this one has not written.
TEST(Engine, AStopLeavesPodsThatWaitToTheNextLeader) {
  constexpr int kWaiting = 500;
  Life life;
  ASSERT_TRUE(life.run_until([&] { return life.reported() == kPods; }));
  life.server.transport->latency_of = [](const client::Request& request) -> std::chrono::milliseconds {
    const bool is_lease = request.target.find("/leases/") != std::string::npos;
    return request.method != "GET" && !is_lease ? 30ms : 1ms;
  };
  for (int i = 0; i < kWaiting; ++i) {
    auto waits = pod(fmt::format("waits-{}", i));
    waits.at("spec").as_object()["nodeSelector"] = {{"zone", "none"}};
    life.server.put("pods", waits);
  }
  const auto reports = [&] { return life.server.all("schedulingreports").size(); };
  ASSERT_TRUE(life.run_until([&] { return reports() > kPods; }));
  const auto began = life.clock.now();
  auto ended = asio::co_spawn(life.io, life.engine->stop(), asio::use_future);
  ASSERT_TRUE(life.run_until([&] { return life.holder().empty(); }));
  EXPECT_LT(reports(), kWaiting) << "there was more to write";
  EXPECT_LE(life.clock.now() - began, 5s) << "2 s, and what was sent before: a batch of each kind at most";
  ASSERT_TRUE(life.run_until([&] { return ended.wait_for(0s) == std::future_status::ready; }));
  EXPECT_TRUE(ended.get());
  life.engine.reset();
}

TEST(Engine, ANewLeaderLogsOnceWhichPlacedPodsHaveNoReport) {
  Life life;
  const auto place = [&](const std::string& name, std::chrono::seconds age, const char* scheduler) {
    auto placed = pod(name);
    placed.at("metadata").as_object()["creationTimestamp"] = format_time(life.clock.wall() - age);
    placed.at("spec").as_object()["nodeName"] = "a";
    placed.at("spec").as_object()["schedulerName"] = scheduler;
    life.server.put("pods", placed);
  };
  for (const auto* name : {"lost-1", "lost-2", "has-one"}) place(name, 30s, "default-scheduler");
  place("of-another", 30s, "another");
  place("long-ago", 11min, "default-scheduler");
  life.server.put("schedulingreports", json::parse(R"({"metadata":{"namespace":"shop","name":"has-one"}})"));
  unit::LogCapture log;
  EXPECT_TRUE(life.run_until([&] { return life.reported() == kPods; }));
  life.steps(5'000);
  EXPECT_EQ(log.count("placed pods have no report"), 1);
  EXPECT_EQ(log.count("pods=2 first=\"shop/lost-1, shop/lost-2\""), 1);
  EXPECT_TRUE(life.stop());
}

TEST(Engine, ANewLeaderKnowsTheEvictionsOfTheLast) {
  Life life;
  life.server.put("schedulingreports", json::parse(R"({
      "metadata":{"namespace":"ml","name":"vip","labels":{"podium.dev/report":"decision"}},
      "spec":{"podRef":{"name":"vip","uid":"v"}},"status":{"outcome":"Scheduled","attempts":2,"preemption":{
      "nodeName":"n1","victims":[{"namespace":"shop","name":"low"},{"namespace":"shop","name":"p0"}],
      "victimsTotal":2,"decidedAt":"2026-11-29T10:00:00Z"}}})"));
  const auto eviction_of = [&](const char* pod) {
    return life.engine->decisions().find("shop", pod).eviction;
  };
  ASSERT_TRUE(life.run_until([&] { return eviction_of("low").has_value(); }));
  EXPECT_EQ(eviction_of("low")->preemptor.text(), "ml/vip");
  EXPECT_EQ(eviction_of("low")->node, "n1");
  EXPECT_FALSE(eviction_of("p0")) << "a pod of this name lives";
  EXPECT_TRUE(life.stop());
}

TEST(Engine, StopsInOrderAtAnyStep) {
  for (int n = 0; n < 400; n += 13) {
    SCOPED_TRACE(n);
    Life life;
    life.steps(n);
    EXPECT_TRUE(life.stop());
    EXPECT_EQ(life.holder(), "");
    for (const auto& [name, times] : life.bindings) EXPECT_EQ(times, 1) << name;
  }
}

TEST(Engine, IsAbandonedAtAnyStep) {
  for (int n = 0; n < 400; n += 17) {
    SCOPED_TRACE(n);
    Life life;
    life.steps(n);
    life.engine->abandon();
    EXPECT_TRUE(life.stop());
  }
}

TEST(EngineDeathTest, StartsOnce) {
  Life life;
  EXPECT_DEATH(life.engine->start({}), "check failed at .*started_");
  EXPECT_TRUE(life.stop());
}

}  // namespace
}  // namespace podium::app
