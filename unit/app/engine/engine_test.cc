// The whole Engine against an in-memory API server, on one thread: it schedules, and it can stop
// at any step.
#include "app/engine/engine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <future>

#include "async/virtual_time.h"
#include "unit/client/object_server.h"

namespace podium::app {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;

constexpr int kPods = 5;

const config::Config& configuration() {
  static const auto config = config::load("", "default").value();
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
  Life() {
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
                   configuration(), "me");
    engine->start([this](std::string reason) { lost = std::move(reason); });
  }

  // Runs one handler; where none is ready, the time moves on to the next timer.
  void step() {
    io.restart();
    if (io.poll_one() == 0) clock.advance(io, 1h);
  }
  // True once it is so.
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
  // Whether everything has ended.
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

TEST(Engine, IsNoCandidateBeforeItsCachesHaveSynced) {
  Life life;
  life.run_until([&] { return !life.holder().empty(); });
  std::size_t watches_before_lease = 0;
  for (const auto& request : life.server.transport->requests()) {
    if (request.target.find("/leases") != std::string::npos) break;
    watches_before_lease += request.target.find("sendInitialEvents") != std::string::npos;
  }
  EXPECT_GE(watches_before_lease, 16u);  // one a kind
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

}  // namespace
}  // namespace podium::app
