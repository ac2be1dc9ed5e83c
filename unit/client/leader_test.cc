// LeaderElector on a transport that holds one Lease, as an API server does: versions, conflicts, absence.
#include "client/leader.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <optional>

#include "unit/client/doubles.h"

namespace podium::client {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;

struct LeaseServer {
  LeaseServer() {
    transport->on_send = [this](const Request& request) { return serve(request); };
  }
  Result<Response> serve(const Request& request) {
    if (refuse != 0) return Response{refuse, R"({"reason":"Forbidden"})"};
    if (request.method == "GET") {
      if (!lease) return Response{404, R"({"reason":"NotFound"})"};
      return Response{200, json::serialize(*lease)};
    }
    json::value object = json::parse(request.body);
    const auto version = std::to_string(++version_);
    if (request.method == "PUT") {
      if (!lease) return Response{404, R"({"reason":"NotFound"})"};
      if (object.at("metadata").at("resourceVersion") != lease->at("metadata").at("resourceVersion")) {
        return Response{409, R"({"reason":"Conflict"})"};
      }
    }
    object.at("metadata").as_object()["resourceVersion"] = version;
    lease = object;
    return Response{request.method == "POST" ? 201 : 200, json::serialize(object)};
  }
  void take_over(const std::string& holder) {
    lease->at("spec").as_object()["holderIdentity"] = holder;
    lease->at("metadata").as_object()["resourceVersion"] = std::to_string(++version_);
  }
  std::string holder() const { return lease->at("spec").at("holderIdentity").as_string().c_str(); }

  std::shared_ptr<unit::ScriptedTransport> transport = std::make_shared<unit::ScriptedTransport>();
  std::optional<json::value> lease;
  int refuse = 0;

 private:
  int version_ = 0;
};

LeaderOptions quick(const std::string& identity) {
  return {"kube-system", "podium", identity, 1'000ms, 100ms, 5ms};
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
  }), [&](std::exception_ptr, Result<void> result) { end = std::move(result); });
  EXPECT_FALSE(elector.leading());
  context.run();
  EXPECT_TRUE(led);
  EXPECT_TRUE(end && end->has_value());
  EXPECT_FALSE(elector.leading());
  EXPECT_EQ(server.holder(), "");
  EXPECT_EQ(server.lease->at("spec").at("leaseDurationSeconds"), 1);
  EXPECT_EQ(server.lease->at("spec").at("leaseTransitions"), 0);
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
  asio::co_spawn(context, elector.run([&] { server.refuse = 403; }),
                 [&](std::exception_ptr, Result<void> result) { end = std::move(result); });
  context.run();
  EXPECT_TRUE(end && !end->has_value());
}

TEST(LeaderElector, KeepsWhatElseTheLeaseHas) {
  LeaseServer server;
  server.lease = json::parse(R"({"metadata":{"name":"podium","resourceVersion":"x","labels":{"a":"b"}},
                                 "spec":{"holderIdentity":"","leaseDurationSeconds":1,"leaseTransitions":7,"strategy":"s"}})");
  asio::io_context context;
  Api api(server.transport, system_clock(), system_random());
  LeaderElector elector(api, quick("me"));
  json::value lease;
  asio::co_spawn(context, elector.run([&] {
    lease = *server.lease;
    elector.stop();
  }), [](std::exception_ptr, Result<void>) {});
  context.run();
  EXPECT_EQ(lease.at("metadata").at("labels"), json::parse(R"({"a":"b"})"));
  EXPECT_EQ(lease.at("spec").at("strategy"), "s");
  EXPECT_EQ(lease.at("spec").at("leaseTransitions"), 8);
  EXPECT_EQ(lease.at("spec").at("holderIdentity"), "me");
}

TEST(LeaderElector, StopsWhileItWaitsForAnother) {
  LeaseServer server;
  server.lease = json::parse(R"({"metadata":{"name":"podium","resourceVersion":"1"},
                                 "spec":{"holderIdentity":"other","leaseDurationSeconds":3600,"leaseTransitions":7}})");
  asio::io_context context;
  Api api(server.transport, system_clock(), system_random());
  auto options = quick("me");
  options.retry_period = 3'600'000ms;
  LeaderElector elector(api, options);
  std::optional<Result<void>> end;
  asio::co_spawn(context, elector.run([] { FAIL(); }), [&](std::exception_ptr, Result<void> result) { end = std::move(result); });
  while (elector.holder().empty()) context.run_one();
  elector.stop();
  context.run();
  EXPECT_TRUE(end && end->has_value());
  EXPECT_EQ(server.holder(), "other");
}

}  // namespace
}  // namespace podium::client
