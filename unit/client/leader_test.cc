// LeaderElector on a fake API server: versions, conflicts, a missing Lease.
#include "client/leader/leader.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <optional>

#include "async/gate.h"
#include "async/timer.h"
#include "base/clock.h"
#include "base/random.h"
#include "unit/client/object_server.h"

namespace podium::client {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;

struct LeaseServer : unit::ObjectServer {
  json::value lease() const { return find("leases", "kube-system", "podium"); }
  std::string holder() const { return text(lease(), "/spec/holderIdentity"); }
  void put_lease(std::string_view spec) {
    put("leases", {{"metadata", {{"name", "podium"}, {"namespace", "kube-system"}, {"labels", {{"a", "b"}}}}},
                   {"spec", json::parse(spec)}});
  }
  void take_over(const std::string& holder) {
    auto taken = lease();
    taken.at("spec").as_object()["holderIdentity"] = holder;
    put("leases", taken);
  }
};

LeaderOptions quick(const std::string& identity) {
  return {"kube-system", "podium", identity, 1'000ms, 100ms, 5ms};
}

Task<void> run_and_stop(LeaderElector* elector) {
  const std::function<void()> stop = [elector] { elector->stop(); };
  (void)co_await elector->run(stop);
}

TEST(LeaderElector, LeadsAndReleasesOnStop) {
  LeaseServer server;
  asio::io_context context;
  Api api(server.transport, system_clock(), system_random());
  LeaderElector elector(api, quick("me"));
  bool led = false;
  std::optional<Result<void>> end;
  asio::co_spawn(context, elector.run([&] {
    led = elector.leading();
    elector.stop();
  }),
                 [&](std::exception_ptr, Result<void> result) { end = std::move(result); });
  EXPECT_FALSE(elector.leading());
  context.run();
  EXPECT_TRUE(led);
  EXPECT_TRUE(end && end->has_value());
  EXPECT_FALSE(elector.leading());
  EXPECT_EQ(server.holder(), "");
  EXPECT_EQ(server.lease().at("spec").at("leaseDurationSeconds"), 1);
  EXPECT_EQ(server.lease().at("spec").at("leaseTransitions"), 0);
}

// The cancellation is in progress while the release ends: it must not use destroyed objects.
TEST(LeaderElector, IsCancelledAtTheMomentOfItsRelease) {
  LeaseServer server;
  asio::io_context context;
  async::Gate gate;
  Api api(server.transport, system_clock(), system_random());
  LeaderElector elector(api, quick("me"));
  server.on_request = [&](const Request& request) -> std::optional<unit::ObjectServer::Reply> {
    if (request.method == "PUT" && server.text(json::parse(request.body), "/spec/holderIdentity").empty())
      gate.cancel();
    return std::nullopt;
  };
  async::spawn(gate, context.get_executor(), "election", run_and_stop(&elector));
  context.run();
  EXPECT_EQ(gate.inside(), 0u);
  EXPECT_EQ(server.holder(), "");
}

// A renewal in flight arrives between the read and the write of the release.
TEST(LeaderElector, ReleasesALeaseThatARenewalHasJustChanged) {
  LeaseServer server;
  asio::io_context context;
  Api api(server.transport, system_clock(), system_random());
  LeaderElector elector(api, quick("me"));
  int releases = 0;
  server.on_request = [&](const Request& request) -> std::optional<unit::ObjectServer::Reply> {
    const bool is_release =
        request.method == "PUT" && server.text(json::parse(request.body), "/spec/holderIdentity").empty();
    if (is_release && ++releases == 1) server.take_over("me");
    return std::nullopt;
  };
  asio::co_spawn(context, run_and_stop(&elector), asio::detached);
  context.run();
  EXPECT_EQ(releases, 2);
  EXPECT_EQ(server.holder(), "");
}

TEST(LeaderElector, IsOverWhenAnotherTookTheLease) {
  LeaseServer server;
  asio::io_context context;
  Api api(server.transport, system_clock(), system_random());
  LeaderElector elector(api, quick("me"));
  std::optional<Result<void>> end;
  asio::co_spawn(context, elector.run([&] { server.take_over("other"); }),
                 [&](std::exception_ptr, Result<void> result) { end = std::move(result); });
  context.run();
  ASSERT_TRUE(end && !end->has_value());
  EXPECT_EQ(end->error().kind, Error::Kind::unavailable);
  EXPECT_EQ(end->error().message, "lease kube-system/podium was lost to other");
  EXPECT_FALSE(elector.leading());
  EXPECT_EQ(elector.holder(), "other");
  EXPECT_EQ(server.holder(), "other") << "what is not ours is not released";
}

TEST(LeaderElector, IsOverWhenItsRightIsTaken) {
  LeaseServer server;
  asio::io_context context;
  Api api(server.transport, system_clock(), system_random());
  LeaderElector elector(api, quick("me"));
  std::optional<Result<void>> end;
  asio::co_spawn(context,
                 elector.run([&] { server.refuse(1'000'000, Response{403, R"({"reason":"Forbidden"})"}); }),
                 [&](std::exception_ptr, Result<void> result) { end = std::move(result); });
  context.run();
  ASSERT_TRUE(end && !end->has_value());
  EXPECT_EQ(end->error().message, "lease kube-system/podium was not renewed within 100 ms");
}

// A candidate that may read the lease and not write it looks healthy otherwise.
TEST(LeaderElector, SaysWhyTheLeaseIsNotToBeHad) {
  LeaseServer server;
  server.put_lease(R"({"holderIdentity":"","leaseDurationSeconds":1,"leaseTransitions":7})");
  server.on_request = [](const Request& request) -> std::optional<unit::ObjectServer::Reply> {
    if (request.method == "GET") return std::nullopt;
    return Response{403,
                    R"({"code":403,"reason":"Forbidden","message":"User \"x\" cannot update resource"})"};
  };
  asio::io_context context;
  Api api(server.transport, system_clock(), system_random());
  LeaderElector elector(api, quick("me"));
  asio::co_spawn(context, elector.run([] {}), [](std::exception_ptr, Result<void>) {});
  EXPECT_EQ(elector.why_unavailable(), std::nullopt);
  while (!elector.why_unavailable()) context.run_one();
  EXPECT_EQ(
      *elector.why_unavailable(),
      "cannot acquire lease kube-system/podium: PUT "
      "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/podium: User \"x\" cannot update resource");
  EXPECT_EQ(elector.since_renewal(), std::nullopt);
  server.on_request = {};
  while (!elector.leading()) context.run_one();
  EXPECT_EQ(elector.why_unavailable(), std::nullopt);
  ASSERT_TRUE(elector.since_renewal());
  EXPECT_LT(*elector.since_renewal(), 60s);
  elector.stop();
  EXPECT_EQ(elector.since_renewal(), std::nullopt);
  context.run();
}

TEST(LeaderElector, AFollowerOfALiveLeaderHasNoTrouble) {
  LeaseServer server;
  server.put_lease(R"({"holderIdentity":"other","leaseDurationSeconds":3600,"leaseTransitions":7})");
  asio::io_context context;
  Api api(server.transport, system_clock(), system_random());
  LeaderElector elector(api, quick("me"));
  asio::co_spawn(context, elector.run([] { FAIL(); }), [](std::exception_ptr, Result<void>) {});
  server.refuse(3, Response{403, R"({"code":403,"reason":"Forbidden"})"});
  while (!elector.why_unavailable()) context.run_one();
  while (elector.why_unavailable()) context.run_one();
  EXPECT_EQ(elector.holder(), "other");
  elector.stop();
  context.run();
}

// since_last_step() shows an election that is stuck.
TEST(LeaderElector, SaysWhenItHasLastMadeAStep) {
  LeaseServer server;
  server.put_lease(R"({"holderIdentity":"other","leaseDurationSeconds":3600,"leaseTransitions":7})");
  asio::io_context context;
  unit::ManualClock clock;
  Api api(server.transport, clock, system_random());
  LeaderElector elector(api, quick("me"));
  EXPECT_EQ(elector.since_last_step(), std::nullopt);
  asio::co_spawn(context, elector.run([] { FAIL(); }), [](std::exception_ptr, Result<void>) {});
  while (elector.holder().empty()) context.run_one();
  EXPECT_EQ(elector.since_last_step(), 0ns);
  clock.advance(20s);
  EXPECT_EQ(elector.since_last_step(), 20s) << "nothing runs";
  while (elector.since_last_step() != 0ns) context.run_one();
  elector.stop();
  context.run();
}

// The lease as an elector writes it when it begins to lead.
json::value taken(LeaseServer& server) {
  asio::io_context context;
  Api api(server.transport, system_clock(), system_random());
  LeaderElector elector(api, quick("me"));
  json::value lease;
  asio::co_spawn(context, elector.run([&] {
    lease = server.lease();
    elector.stop();
  }),
                 [](std::exception_ptr, Result<void>) {});
  context.run();
  EXPECT_EQ(lease.at("spec").at("holderIdentity"), "me");
  return lease;
}

TEST(LeaderElector, AnAcquireTimeOfNullStaysNull) {
  LeaseServer server;
  server.put_lease(
      R"({"holderIdentity":"me","leaseDurationSeconds":1,"leaseTransitions":7,"acquireTime":null,"renewTime":null})");
  const auto lease = taken(server);
  EXPECT_TRUE(lease.at("spec").at("acquireTime").is_null()) << lease;
  EXPECT_TRUE(lease.at("spec").at("renewTime").is_string()) << lease;
}

TEST(LeaderElector, KeepsWhatElseTheLeaseHas) {
  LeaseServer server;
  server.put_lease(R"({"holderIdentity":"","leaseDurationSeconds":1,"leaseTransitions":7,"strategy":"s"})");
  const auto lease = taken(server);
  EXPECT_EQ(lease.at("metadata").at("labels"), json::parse(R"({"a":"b"})"));
  EXPECT_EQ(lease.at("spec").at("strategy"), "s");
  EXPECT_EQ(lease.at("spec").at("leaseTransitions"), 8);
}

TEST(LeaderElector, StopsWhileItWaitsForAnother) {
  LeaseServer server;
  server.put_lease(R"({"holderIdentity":"other","leaseDurationSeconds":3600,"leaseTransitions":7})");
  asio::io_context context;
  Api api(server.transport, system_clock(), system_random());
  auto options = quick("me");
  options.retry_period = 3'600'000ms;
  LeaderElector elector(api, options);
  std::optional<Result<void>> end;
  asio::co_spawn(context, elector.run([] { FAIL(); }),
                 [&](std::exception_ptr, Result<void> result) { end = std::move(result); });
  while (elector.holder().empty()) context.run_one();
  elector.stop();
  context.run();
  EXPECT_TRUE(end && end->has_value());
  EXPECT_EQ(server.holder(), "other");
}

}  // namespace
}  // namespace podium::client
